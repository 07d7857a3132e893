// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdlib.h>

#include "options.h"
#include "output.h"

bool parse_size(const char *text, u64 *bytes)
{
	static const char units[] = "KMGTP";
	const char *unit;
	unsigned long long n;
	unsigned int shift = 0;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno)
		return false;
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit) {
		shift = 10 * (unsigned int)(unit - units + 1);
		end++;
		if (!strcmp(end, "iB"))
			end += 2;
	}
	if (*end || (shift && n >> (64 - shift)))
		return false;
	*bytes = (u64)n << shift;
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool parse_uuid(const char *text, u8 *uuid)
{
	unsigned int digits = 0;
	u8 parsed[16] = {0};

	for (; *text; text++) {
		int d = hex_digit(*text);

		if (*text == '-' || *text == ':')
			continue;
		if (d < 0 || digits == 32)
			return false;
		parsed[digits / 2] = (u8)(parsed[digits / 2] << 4 | d);
		digits++;
	}
	if (digits != 32)
		return false;
	memcpy(uuid, parsed, sizeof(parsed));
	return true;
}

void choices_text(const struct choice *c, char *buf, size_t size)
{
	int n = 0;

	for (; c->name; c++)
		n += scnprintf(buf + n, size - (size_t)n, "%s%s", c->name,
			       !c[1].name  ? ""
			       : c[2].name ? ", "
					   : " or ");
}

static int set_size(const char *command, const struct option_def *d,
		    const char *value, u64 *field)
{
	char low[32], high[32];
	u64 bytes;

	if (parse_size(value, &bytes) && bytes >= d->min &&
	    (!d->max || bytes <= d->max)) {
		*field = bytes;
		return RC_OK;
	}
	text_bytes(low, sizeof(low), d->min);
	if (!d->max)
		return complain(RC_USAGE,
				"%s: --%s %s: accepted is a size of at least "
				"%s, such as 64M or 1GiB",
				command, d->name, value, low);
	return complain(
		RC_USAGE,
		"%s: --%s %s: accepted is a size from %s to %s, such as 128K",
		command, d->name, value, low,
		text_bytes(high, sizeof(high), d->max));
}

static int set_enum(const char *command, const struct option_def *d,
		    const char *value, int *field)
{
	const struct choice *c;
	char names[256];

	for (c = d->choices; c->name; c++) {
		if (strcmp(c->name, value))
			continue;
		*field = c->value;
		return RC_OK;
	}
	choices_text(d->choices, names, sizeof(names));
	return complain(RC_USAGE, "%s: --%s %s: accepted are %s", command,
			d->name, value, names);
}

static int set_uuid(const char *command, const struct option_def *d,
		    const char *value, struct uuid_list *field)
{
	if (field->n >= d->max)
		return complain(RC_USAGE, "%s: --%s %s: given more than %s",
				command, d->name, value,
				d->max == 1 ? "once" : "16 times");
	if (!parse_uuid(value, field->uuid[field->n]))
		return complain(RC_USAGE,
				"%s: --%s %s: accepted are 32 hexadecimal "
				"digits, with or without - and : between them",
				command, d->name, value);
	field->n++;
	return RC_OK;
}

/* The strings live as long as the program. */
static int set_list(const char *command, const struct option_def *d,
		    const char *value, struct words *field)
{
	char *rest = strdup(value);
	char *word;

	while (rest && (word = strsep(&rest, ","))) {
		if (!*word)
			return complain(RC_USAGE,
					"%s: --%s %s: a name is empty", command,
					d->name, value);
		if (field->n == WORDS_MAX)
			return complain(RC_USAGE, "%s: --%s: more than %d",
					command, d->name, WORDS_MAX);
		field->word[field->n++] = word;
	}
	return RC_OK;
}

static int set_option(const char *command, const struct option_def *d,
		      const char *value, struct options *o)
{
	void *field = (char *)o + d->offset;

	switch (d->type) {
	case OPT_FLAG:
		*(bool *)field = true;
		return RC_OK;
	case OPT_TEXT:
		*(const char **)field = value;
		return RC_OK;
	case OPT_SIZE:
		return set_size(command, d, value, field);
	case OPT_ENUM:
		return set_enum(command, d, value, field);
	case OPT_UUID:
		return set_uuid(command, d, value, field);
	case OPT_LIST:
		return set_list(command, d, value, field);
	}
	return RC_USAGE;
}

static const struct option_def *find_option(const struct option_def *defs,
					    const char *name, size_t len)
{
	const struct option_def *d;

	for (d = defs; d && d->name; d++)
		if (strlen(d->name) == len && !strncmp(d->name, name, len))
			return d;
	return NULL;
}

static int unknown_option(const char *command, const struct option_def *defs,
			  const char *word)
{
	const struct option_def *d;
	char names[512] = "";
	int n = 0;

	for (d = defs; d && d->name; d++)
		n += scnprintf(names + n, sizeof(names) - (size_t)n, " --%s",
			       d->name);
	if (!n)
		return complain(RC_USAGE, "%s: %s: this command has no options",
				command, word);
	return complain(RC_USAGE, "%s: %s: unknown option; accepted are%s",
			command, word, names);
}

/* One option at argv[*i]; moves *i past its value. */
static int parse_option(const char *command, const struct option_def *defs,
			int argc, char **argv, int *i, struct options *o)
{
	const char *word = argv[*i];
	const char *equals = strchr(word, '=');
	const char *value = equals ? equals + 1 : NULL;
	const struct option_def *d = NULL;

	if (!strncmp(word, "--", 2))
		d = find_option(defs, word + 2,
				equals ? (size_t)(equals - word - 2)
				       : strlen(word + 2));
	if (!d)
		return unknown_option(command, defs, word);
	if (d->type == OPT_FLAG && value)
		return complain(RC_USAGE, "%s: --%s takes no value, got %s",
				command, d->name, value);
	if (d->type != OPT_FLAG && !value) {
		if (*i + 1 >= argc)
			return complain(RC_USAGE, "%s: --%s needs a value: %s",
					command, d->name, d->arg);
		value = argv[++*i];
	}
	return set_option(command, d, value, o);
}

int options_parse(const char *command, const struct option_def *defs, int argc,
		  char **argv, struct options *o, struct words *args)
{
	bool only_args = false;
	int i, rc;

	memset(o, 0, sizeof(*o));
	memset(args, 0, sizeof(*args));
	o->level = -1;
	for (i = 0; i < argc; i++) {
		const char *word = argv[i];

		if (only_args || word[0] != '-' || !word[1]) {
			if (args->n == WORDS_MAX)
				return complain(RC_USAGE,
						"%s: more than %d arguments",
						command, WORDS_MAX);
			args->word[args->n++] = word;
		} else if (!strcmp(word, "--")) {
			only_args = true;
		} else if (!strcmp(word, "-h") || !strcmp(word, "--help")) {
			o->help = true;
		} else {
			rc = parse_option(command, defs, argc, argv, &i, o);
			if (rc)
				return rc;
		}
	}
	return RC_OK;
}
