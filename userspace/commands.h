/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one list of commands.  Dispatch, help, completion and raidctl(8) are
 * made from it.
 */
#ifndef RAIDCTL_COMMANDS_H
#define RAIDCTL_COMMANDS_H

#include "options.h"

#ifndef MQR_VERSION
#define MQR_VERSION "0.1"
#endif

/* One call of a command. */
struct invocation {
	const struct command *command;
	struct options opt;
	struct words args;
};

struct command {
	const char *name;
	/* "ARRAY DEVICE..." */
	const char *args;
	const char *summary;
	/* paragraphs, separated by an empty line */
	const char *text;
	const struct option_def *options;
	unsigned int min_args, max_args;
	int (*run)(struct invocation *inv);
	/* complete command lines, ends with NULL */
	const char *examples[5];
};

extern const struct command commands[];

const struct command *command_find(const char *name);

int command_help(const struct command *c);
int commands_overview(FILE *f);

int cmd_create(struct invocation *inv);
int cmd_assemble(struct invocation *inv);
int cmd_stop(struct invocation *inv);
int cmd_status(struct invocation *inv);
int cmd_list(struct invocation *inv);
int cmd_examine(struct invocation *inv);
int cmd_add(struct invocation *inv);
int cmd_fail(struct invocation *inv);
int cmd_remove(struct invocation *inv);
int cmd_check(struct invocation *inv);
int cmd_repair(struct invocation *inv);
int cmd_cancel(struct invocation *inv);
int cmd_wait(struct invocation *inv);
int cmd_adopt(struct invocation *inv);
int cmd_release(struct invocation *inv);
int cmd_new_uuid(struct invocation *inv);
int cmd_set(struct invocation *inv);
int cmd_get(struct invocation *inv);
int cmd_help(struct invocation *inv);
int cmd_man(struct invocation *inv);
int cmd_completion(struct invocation *inv);
int cmd_version(struct invocation *inv);

#endif
