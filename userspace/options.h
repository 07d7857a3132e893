/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Typed command-line options.  A command lists the rows it takes; parsing,
 * checking, help, man page and completion all come from the rows.
 */
#ifndef RAIDCTL_OPTIONS_H
#define RAIDCTL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/platform.h"

#define WORDS_MAX 256

struct words {
	const char *word[WORDS_MAX];
	unsigned int n;
};

struct uuid_list {
	u8 uuid[16][16];
	unsigned int n;
};

/* Values of all options; zero means not given unless said otherwise. */
struct options {
	bool help;
	bool json;
	bool force;
	bool assume_clean;
	bool wait;
	bool no_wait;
	bool scan;
	bool degraded;
	bool all;
	bool assemble;
	bool remove_bitmap;
	/* -1: not given */
	int level;
	const char *layout;
	const char *name;
	u64 chunk;
	u64 size;
	u64 data_offset;
	u64 logical_block_size;
	/* at most one UUID */
	struct uuid_list uuid;
	struct uuid_list destroy;
	struct words spares;
};

enum option_type {
	/* bool */
	OPT_FLAG,
	/* u64, bytes */
	OPT_SIZE,
	/* int, one of choices */
	OPT_ENUM,
	/* const char * */
	OPT_TEXT,
	/* struct uuid_list; refuses more than max */
	OPT_UUID,
	/* struct words, given several times or with commas */
	OPT_LIST,
};

struct choice {
	const char *name;
	int value;
};

struct option_def {
	const char *name;
	enum option_type type;
	/* what the value is called in help; NULL for flags */
	const char *arg;
	const char *help;
	/* in struct options */
	size_t offset;
	/* OPT_SIZE: bytes; OPT_UUID: count */
	u64 min, max;
	/* OPT_ENUM: ends with a NULL name */
	const struct choice *choices;
};

/*
 * Parse @argv (without the command's name) by @defs, which end with a NULL
 * name.  What isn't an option goes to @args.  0, or RC_USAGE after complaint.
 */
int options_parse(const char *command, const struct option_def *defs, int argc,
		  char **argv, struct options *o, struct words *args);

/* "128K", "1MiB", "4096"; false if it isn't a size. */
bool parse_size(const char *text, u64 *bytes);
/* 32 hex digits, '-' and ':' between them ignored. */
bool parse_uuid(const char *text, u8 *uuid);

/* "0, 1 or 10" */
void choices_text(const struct choice *c, char *buf, size_t size);

#endif
