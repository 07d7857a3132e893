/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that raidctl says: results on stdout as text or JSON through one
 * emitter, errors and notes as single lines on stderr.
 *
 * Whatever the text is made of (names on disk, serial numbers, arguments),
 * bytes that are not printable ASCII come out as \xNN.
 */
#ifndef RAIDCTL_OUTPUT_H
#define RAIDCTL_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/platform.h"

/* Exit codes; the worst of several wins (max). */
enum rc {
	RC_OK = 0,
	/* an array works with members missing */
	RC_DEGRADED = 1,
	/* too few members, or data and redundancy disagree */
	RC_FAILED = 2,
	/* the command line is wrong or refused; nothing was changed */
	RC_USAGE = 3,
	RC_SYSTEM = 4,
};

/* A function: max() evaluates its arguments twice. */
static inline int worst(int a, int b)
{
	return a > b ? a : b;
}

#define PRINTF(a, b) __attribute__((format(printf, a, b)))

/* "raidctl: ..." on stderr; returns @rc. */
int complain(enum rc rc, const char *fmt, ...) PRINTF(2, 3);
/* "raidctl: note: ..." on stderr. */
void note(const char *fmt, ...) PRINTF(1, 2);
/* Text on @f, escaped as above; newlines pass. */
void say(FILE *f, const char *fmt, ...) PRINTF(2, 3);

/*
 * The emitter.  A value has a JSON key and a text label; without a key it is
 * text only, without a label JSON only.  In a row of a table, labels are the
 * columns.  Keys are literals.
 */
#define OUT_SCHEMA 1

void out_start(bool json);
/* Prints the JSON document, if there is one. */
void out_end(void);
bool out_json(void);

void out_object(const char *key);
void out_list(const char *key);
void out_close(void);
/* A list of objects in JSON, lines with aligned columns in text. */
void out_table(const char *key);
void out_row(void);
void out_table_end(void);

/* Text only: a line. */
void out_line(const char *fmt, ...) PRINTF(1, 2);

void out_str(const char *key, const char *label, const char *fmt, ...)
	PRINTF(3, 4);
void out_num(const char *key, const char *label, u64 value);
void out_int(const char *key, const char *label, s64 value);
void out_bytes(const char *key, const char *label, u64 bytes);
void out_time(const char *key, const char *label, u64 seconds);
void out_bool(const char *key, const char *label, bool value);
/* JSON null, and "-" in text. */
void out_null(const char *key, const char *label);
/* @text or, if it is empty, null. */
void out_maybe(const char *key, const char *label, const char *text);

/*
 * Columns that find their width by themselves, for use beside the emitter
 * (explanations on stderr).  Cells of one row are added in column order.
 */
#define TABLE_COLUMNS 16

struct table {
	unsigned int columns;
	unsigned int rows;
	unsigned int column;
	const char *title[TABLE_COLUMNS];
	/* rows * TABLE_COLUMNS */
	char **cell;
};

void table_row(struct table *t);
void table_cell(struct table *t, const char *title, const char *fmt, ...)
	PRINTF(3, 4);
/* Prints and frees. */
void table_print(struct table *t, FILE *f);

/* Values as text; @buf is returned. */
char *text_bytes(char *buf, size_t size, u64 bytes);
char *text_seconds(char *buf, size_t size, u64 seconds);
char *text_time(char *buf, size_t size, u64 seconds);
#define UUID_TEXT 37
char *text_uuid(char *buf, const u8 *uuid);

void *allocate(size_t size);

#endif
