// SPDX-License-Identifier: GPL-2.0
/* raidctl - the command line of mqraid: dispatch. */
#include <stdlib.h>

#include "commands.h"
#include "ctl.h"
#include "output.h"

static bool has_json(const struct command *c)
{
	const struct option_def *d;

	for (d = c->options; d && d->name; d++)
		if (d->offset == offsetof(struct options, json))
			return true;
	return false;
}

static int check_count(const struct command *c, unsigned int n)
{
	if (n < c->min_args)
		return complain(RC_USAGE,
				"%s: too few arguments; usage: raidctl %s "
				"[OPTION...] %s",
				c->name, c->name, c->args);
	if (n > c->max_args)
		return complain(RC_USAGE,
				"%s: too many arguments; usage: raidctl %s "
				"[OPTION...] %s",
				c->name, c->name, c->args);
	return RC_OK;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct invocation *inv = allocate(sizeof(*inv));
	int rc;

	inv->command = c;
	rc = options_parse(c->name, c->options, argc, argv, &inv->opt,
			   &inv->args);
	if (!rc && inv->opt.help) {
		rc = command_help(c);
		goto out_free;
	}
	if (!rc)
		rc = check_count(c, inv->args.n);
	if (rc)
		goto out_free;
	out_start(has_json(c) && inv->opt.json);
	rc = c->run(inv);
	out_end();
out_free:
	free(inv);
	return rc;
}

static int flush(int rc)
{
	if (!fflush(stdout) && !ferror(stdout))
		return rc;
	return worst(rc, complain(RC_SYSTEM, "can't write the output: %s",
				  strerror(errno)));
}

int main(int argc, char **argv)
{
	const struct command *c;
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word) {
		commands_overview(stderr);
		return RC_USAGE;
	}
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		word = "help";
	if (!strcmp(word, "--version"))
		word = "version";
	c = command_find(word);
	if (!c)
		return complain(RC_USAGE,
				"%s: no such command; 'raidctl help' lists "
				"them",
				word);
	return flush(run(c, argc - 2, argv + 2));
}
