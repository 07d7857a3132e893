// SPDX-License-Identifier: GPL-2.0
/*
 * Text and JSON output.  The document under construction is one static
 * object: a command has one output.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <json-c/json.h>

#include "output.h"

#define OUT_DEPTH 8
#define LABEL_WIDTH 16

static struct {
	bool json;
	/* open objects and lists; [0] is the document */
	struct json_object *open[OUT_DEPTH];
	unsigned int depth;
	/* between out_table() and out_table_end() */
	bool in_table;
	bool row_open;
	struct table table;
} out;

void *allocate(size_t size)
{
	void *p = calloc(1, size);

	if (!p) {
		fputs("raidctl: out of memory\n", stderr);
		exit(RC_SYSTEM);
	}
	return p;
}

/* A new string: @s with everything escaped that isn't printable ASCII. */
static char *escaped(const char *s, bool newlines)
{
	char *text = allocate(4 * strlen(s) + 1);
	char *t = text;

	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if ((c >= 0x20 && c < 0x7f) || (newlines && c == '\n'))
			*t++ = (char)c;
		else
			t += sprintf(t, "\\x%02x", c);
	}
	*t = 0;
	return text;
}

static char *vformat(const char *fmt, va_list ap, bool newlines)
{
	char *raw, *text;

	if (vasprintf(&raw, fmt, ap) < 0) {
		fputs("raidctl: out of memory\n", stderr);
		exit(RC_SYSTEM);
	}
	text = escaped(raw, newlines);
	free(raw);
	return text;
}

/* Declares and fills a char * named @text from @fmt and what follows it. */
#define FORMAT(text, fmt, newlines)        \
	char *text;                        \
	va_list ap;                        \
                                           \
	va_start(ap, fmt);                 \
	text = vformat(fmt, ap, newlines); \
	va_end(ap)

int complain(enum rc rc, const char *fmt, ...)
{
	FORMAT(text, fmt, false);

	fflush(stdout);
	fprintf(stderr, "raidctl: %s\n", text);
	free(text);
	return rc;
}

void note(const char *fmt, ...)
{
	FORMAT(text, fmt, false);

	fflush(stdout);
	fprintf(stderr, "raidctl: note: %s\n", text);
	free(text);
}

void say(FILE *f, const char *fmt, ...)
{
	FORMAT(text, fmt, true);

	fputs(text, f);
	free(text);
}

/* Tables */

void table_row(struct table *t)
{
	t->column = 0;
	t->rows++;
	t->cell = realloc(t->cell, t->rows * TABLE_COLUMNS * sizeof(*t->cell));
	if (!t->cell) {
		fputs("raidctl: out of memory\n", stderr);
		exit(RC_SYSTEM);
	}
	memset(&t->cell[(t->rows - 1) * TABLE_COLUMNS], 0,
	       TABLE_COLUMNS * sizeof(*t->cell));
}

void table_cell(struct table *t, const char *title, const char *fmt, ...)
{
	FORMAT(text, fmt, false);

	if (t->column >= TABLE_COLUMNS) {
		free(text);
		return;
	}
	t->title[t->column] = title;
	t->cell[(t->rows - 1) * TABLE_COLUMNS + t->column] = text;
	t->column++;
	if (t->columns < t->column)
		t->columns = t->column;
}

static const char *table_text(const struct table *t, unsigned int row,
			      unsigned int column)
{
	const char *text;

	if (!row)
		return t->title[column];
	text = t->cell[(row - 1) * TABLE_COLUMNS + column];
	return text ? text : "";
}

static int table_width(const struct table *t, unsigned int column)
{
	size_t width = 0;
	unsigned int i;

	for (i = 0; i <= t->rows; i++)
		width = max(width, strlen(table_text(t, i, column)));
	return (int)width;
}

void table_print(struct table *t, FILE *f)
{
	int width[TABLE_COLUMNS];
	unsigned int i, k;

	for (k = 0; k < t->columns; k++)
		width[k] = k + 1 < t->columns ? table_width(t, k) : 0;
	for (i = 0; t->rows && i <= t->rows; i++) {
		for (k = 0; k < t->columns; k++)
			fprintf(f, "  %-*s", width[k], table_text(t, i, k));
		fputc('\n', f);
	}
	for (i = 0; i < t->rows * TABLE_COLUMNS; i++)
		free(t->cell[i]);
	free(t->cell);
	memset(t, 0, sizeof(*t));
}

/* The emitter */

void out_start(bool json)
{
	out.json = json;
	out.depth = 0;
	if (!json)
		return;
	out.open[0] = json_object_new_object();
	out_num("schema", NULL, OUT_SCHEMA);
}

void out_end(void)
{
	if (!out.json || !out.open[0])
		return;
	puts(json_object_to_json_string_ext(
		out.open[0], JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
				     JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(out.open[0]);
	out.open[0] = NULL;
}

bool out_json(void)
{
	return out.json;
}

static void json_add(const char *key, struct json_object *value)
{
	struct json_object *to = out.open[out.depth];

	if (json_object_is_type(to, json_type_array))
		json_object_array_add(to, value);
	else
		json_object_object_add(to, key, value);
}

static void json_open(const char *key, struct json_object *value)
{
	if (!out.json || out.depth + 1 >= OUT_DEPTH) {
		json_object_put(value);
		return;
	}
	json_add(key, value);
	out.open[++out.depth] = value;
}

void out_object(const char *key)
{
	json_open(key, json_object_new_object());
}

void out_list(const char *key)
{
	json_open(key, json_object_new_array());
}

void out_close(void)
{
	if (out.json && out.depth)
		out.depth--;
}

void out_table(const char *key)
{
	out_list(key);
	out.in_table = true;
	out.row_open = false;
}

void out_row(void)
{
	if (out.row_open)
		out_close();
	out.row_open = true;
	if (!out.json)
		table_row(&out.table);
	out_object(NULL);
}

void out_table_end(void)
{
	if (out.row_open)
		out_close();
	out.in_table = false;
	out.row_open = false;
	if (!out.json)
		table_print(&out.table, stdout);
	out_close();
}

void out_line(const char *fmt, ...)
{
	FORMAT(text, fmt, true);

	if (!out.json)
		printf("%s\n", text);
	free(text);
}

/* Takes over @value; @text is escaped already. */
static void emit(const char *key, const char *label, struct json_object *value,
		 const char *text)
{
	if (out.json && key) {
		json_add(key, value);
		return;
	}
	json_object_put(value);
	if (out.json || !label)
		return;
	if (out.in_table)
		table_cell(&out.table, label, "%s", text);
	else
		printf("  %-*s %s\n", LABEL_WIDTH, label, text);
}

void out_str(const char *key, const char *label, const char *fmt, ...)
{
	FORMAT(text, fmt, false);

	emit(key, label, json_object_new_string(text), text);
	free(text);
}

void out_num(const char *key, const char *label, u64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	emit(key, label, json_object_new_uint64(value), text);
}

void out_int(const char *key, const char *label, s64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	emit(key, label, json_object_new_int64(value), text);
}

void out_bytes(const char *key, const char *label, u64 bytes)
{
	char text[32];

	emit(key, label, json_object_new_uint64(bytes),
	     text_bytes(text, sizeof(text), bytes));
}

void out_time(const char *key, const char *label, u64 seconds)
{
	char text[40];

	text_time(text, sizeof(text), seconds);
	emit(key, label, json_object_new_string(text), text);
}

void out_bool(const char *key, const char *label, bool value)
{
	emit(key, label, json_object_new_boolean(value), value ? "yes" : "no");
}

void out_null(const char *key, const char *label)
{
	emit(key, label, NULL, "-");
}

void out_maybe(const char *key, const char *label, const char *text)
{
	if (text && *text)
		out_str(key, label, "%s", text);
	else
		out_null(key, label);
}

/* Values as text */

char *text_bytes(char *buf, size_t size, u64 bytes)
{
	static const char *const unit[] = {"bytes", "KiB", "MiB",
					   "GiB",   "TiB", "PiB"};
	unsigned int i = 0;
	u64 whole = bytes, below = 0;

	while (whole >= 1024 && i + 1 < ARRAY_SIZE(unit)) {
		below = whole % 1024;
		whole /= 1024;
		i++;
	}
	if (below)
		snprintf(buf, size, "%llu.%02llu %s", (unsigned long long)whole,
			 (unsigned long long)(below * 100 / 1024), unit[i]);
	else
		snprintf(buf, size, "%llu %s", (unsigned long long)whole,
			 unit[i]);
	return buf;
}

char *text_seconds(char *buf, size_t size, u64 seconds)
{
	unsigned long long s = seconds;

	if (s < 90)
		snprintf(buf, size, "%llu s", s);
	else if (s < 90 * 60)
		snprintf(buf, size, "%llu min", (s + 30) / 60);
	else
		snprintf(buf, size, "%llu h %llu min", s / 3600, s % 3600 / 60);
	return buf;
}

char *text_time(char *buf, size_t size, u64 seconds)
{
	time_t t = (time_t)seconds;
	struct tm tm;

	if (!gmtime_r(&t, &tm) ||
	    !strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(buf, size, "%llu", (unsigned long long)seconds);
	return buf;
}

char *text_uuid(char *buf, const u8 *uuid)
{
	char *t = buf;
	int i;

	for (i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*t++ = '-';
		t += sprintf(t, "%02x", uuid[i]);
	}
	return buf;
}
