// SPDX-License-Identifier: GPL-2.0
/*
 * Options of raidstress: one table makes parser and help.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"

enum option_type {
	FLAG,
	NO_FLAG,
	U32,
	U64,
	SIZE,
	TEXT,
	WINDOW,
};

struct option_row {
	const char *name;
	enum option_type type;
	void *value;
	const char *help;
};

static const struct option_row rows[] = {
	{"seed", U64, &config.seed, "N  repeat the run of this seed"},
	{"secs", U32, &config.secs, "N  run this long (10)"},
	{"ops", U64, &config.ops, "N  run this many operations instead"},
	{"threads", U32, &config.threads, "N  workers (4)"},
	{"depth", U32, &config.depth, "N  operations of a worker at once (8)"},
	{"max-io", SIZE, &config.max_io_bytes, "SIZE  largest one (4M)"},
	{"window", WINDOW, NULL,
	 "START+SIZE  use this part of the device (repeatable)"},
	{"align", U32, &config.align,
	 "N  align memory at least so, whatever the device allows"},
	{"stall", U32, &config.stall_secs,
	 "N  seconds of silence that are a hang (120)"},
	{"no-fill", NO_FLAG, &config.fill,
	 "start with whatever the device holds"},
	{"no-discard", NO_FLAG, &config.discard, "no discards"},
	{"no-buffered", NO_FLAG, &config.buffered, "direct I/O only"},
	{"no-nowait", NO_FLAG, &config.nowait, "no RWF_NOWAIT"},
	{"no-overlap", NO_FLAG, &config.overlap,
	 "no overlapping writes in flight"},
	{"settle", FLAG, &config.settle,
	 "rewrite what overlapping writes left"},
	{"no-uring", NO_FLAG, &config.uring, "threads instead of io_uring"},
	{"manager", TEXT, &config.manager,
	 "PROGRAM  that fails and adds members (default: manage, beside us)"},
	{"no-manage", TEXT, NULL, "any block device: leave the array alone"},
	{"calm", FLAG, &config.calm,
	 "no failures before the workers have ended"},
	{"restart", FLAG, &config.restart,
	 "stop and assemble the array now and then"},
	{"ways", U32, &config.ways,
	 "N  sets of lost members to verify at the end (8)"},
	{"mismatches", U64, &config.mismatches, "N  that check may find (0)"},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void usage(int code)
{
	FILE *out = code ? stderr : stdout;
	unsigned int i;

	fprintf(out,
		"raidstress [OPTIONS] DEVICE: random operations on an array,\n"
		"verified against a shadow.  DESTROYS what DEVICE holds.\n");
	for (i = 0; i < ROWS; i++)
		fprintf(out, "  --%s %s\n", rows[i].name, rows[i].help);
	fprintf(out, "Exit codes: 0 well, 1 wrong data or failed I/O, 2 hang, "
		     "3 usage, 4 system.\n");
	exit(code);
}

static u64 parse_number(const char *name, const char *text, char **end)
{
	u64 n;

	errno = 0;
	n = strtoull(text, end, 0);
	if (errno || *end == text)
		die(EXIT_USAGE, "--%s %s: not a number", name, text);
	return n;
}

static void add_window(const char *text)
{
	if (config.windows == MAX_WINDOWS)
		die(EXIT_USAGE, "--window: at most %u", MAX_WINDOWS);
	if (!parse_window(text, config.window[config.windows++]))
		die(EXIT_USAGE, "--window %s: START+SIZE is accepted", text);
}

/* Returns whether @text was used. */
static bool parse_value(const struct option_row *row, const char *text)
{
	char *end = "";

	switch (row->type) {
	case FLAG:
	case NO_FLAG:
		*(bool *)row->value = row->type == FLAG;
		return false;
	case TEXT:
		if (!row->value) {
			config.manager = NULL;
			return false;
		}
		*(const char **)row->value = text;
		return true;
	case WINDOW:
		add_window(text);
		return true;
	case U32:
		*(u32 *)row->value = parse_number(row->name, text, &end);
		break;
	case U64:
		*(u64 *)row->value = parse_number(row->name, text, &end);
		break;
	case SIZE:
		*(u32 *)row->value = parse_size(text, &end);
		break;
	}
	if (*end)
		die(EXIT_USAGE, "--%s %s: not a number", row->name, text);
	return true;
}

static bool takes_value(const struct option_row *row)
{
	return row->type != FLAG && row->type != NO_FLAG &&
	       !(row->type == TEXT && !row->value);
}

static int parse_option(char **argv, int i)
{
	const char *name = argv[i] + 2;
	unsigned int r;

	if (!strcmp(name, "help"))
		usage(0);
	for (r = 0; r < ROWS; r++)
		if (!strcmp(name, rows[r].name))
			break;
	if (r == ROWS)
		die(EXIT_USAGE, "--%s: unknown option, see --help", name);
	if (takes_value(&rows[r]) && !argv[i + 1])
		die(EXIT_USAGE, "--%s: a value is missing", name);
	return parse_value(&rows[r], argv[i + 1]) ? 2 : 1;
}

/* The script beside the sources: build/raidstress -> tests/stress/manage. */
static const char *default_manager(void)
{
	static char path[512];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 64);
	char *slash;

	if (n < 0)
		return NULL;
	path[n] = 0;
	slash = strrchr(path, '/');
	strcpy(slash, "/../tests/stress/manage");
	return path;
}

static const char *join(char **argv)
{
	static char line[1024];
	size_t n = 0;

	for (; *argv && n < sizeof(line) - 1; argv++)
		n += snprintf(line + n, sizeof(line) - n, "%s ", *argv);
	return line;
}

static u64 random_seed(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return mix64(t.tv_sec * 1000003ULL + t.tv_nsec + getpid()) % 1000000000;
}

static void check_limits(void)
{
	if (!config.threads || config.threads > 256)
		die(EXIT_USAGE, "--threads %u: 1 to 256", config.threads);
	if (!config.depth || config.depth > 64)
		die(EXIT_USAGE, "--depth %u: 1 to 64", config.depth);
	if (config.max_io_bytes < 65536 || config.max_io_bytes > 64u << 20)
		die(EXIT_USAGE, "--max-io %u: 64K to 64M", config.max_io_bytes);
}

void options_parse(int argc, char **argv)
{
	int i = 1;

	config = (struct config){
		.seed = random_seed(),
		.secs = 10,
		.threads = 4,
		.depth = 8,
		.max_io_bytes = 4u << 20,
		.stall_secs = 120,
		.fill = true,
		.discard = true,
		.buffered = true,
		.nowait = true,
		.overlap = true,
		.uring = true,
		.manager = default_manager(),
		.ways = 8,
		.command_line = join(argv),
	};
	while (i < argc) {
		if (!strncmp(argv[i], "--", 2))
			i += parse_option(argv, i);
		else if (config.path)
			die(EXIT_USAGE, "%s: one device only", argv[i]);
		else
			config.path = argv[i++];
	}
	if (!config.path)
		usage(EXIT_USAGE);
	check_limits();
}
