// SPDX-License-Identifier: GPL-2.0
/* help, man, completion, version: walks over the command table. */
#include <ctype.h>

#include "commands.h"
#include "ctl.h"
#include "output.h"

#define WIDTH 76
#define OPTION_COLUMN 28
/* Date of the manual page: when the table last changed. */
#define MAN_DATE "November 30, 2026"

struct exit_code {
	int code;
	const char *meaning;
};

static const struct exit_code exit_codes[] = {
	{RC_OK, "all is well"},
	{RC_DEGRADED, "an array works with members missing"},
	{RC_FAILED, "an array has too few members, or data and redundancy "
		    "disagree, or a superblock is not usable"},
	{RC_USAGE, "the command line is wrong, or what it asks for is "
		   "refused; nothing was changed"},
	{RC_SYSTEM, "system error: no module, no such array, no "
		    "permission, I/O error"},
};

/*
 * Print @text with words wrapped, each line indented; @column is where the
 * cursor is.
 */
static void wrap(FILE *f, const char *text, int indent, int column)
{
	while (*text) {
		int len = (int)strcspn(text, " ");

		if (column > indent && column + 1 + len > WIDTH) {
			fprintf(f, "\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', f);
			column++;
		} else if (column < indent) {
			fprintf(f, "%*s", indent - column, "");
			column = indent;
		}
		fprintf(f, "%.*s", len, text);
		column += len;
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', f);
}

/* One paragraph of @text into @buf; returns where the next one begins. */
static const char *paragraph(const char *text, char *buf, size_t size)
{
	const char *end = strstr(text, "\n\n");
	size_t len = end ? (size_t)(end - text) : strlen(text);

	scnprintf(buf, size, "%.*s", (int)len, text);
	return end ? end + 2 : text + len;
}

static void help_option(const struct option_def *d)
{
	char values[128] = "", text[512];
	int n = printf("  --%s%s%s", d->name, d->arg ? " " : "",
		       d->arg ? d->arg : "");

	if (d->choices)
		choices_text(d->choices, values, sizeof(values));
	snprintf(text, sizeof(text), "%s%s%s", values, *values ? "; " : "",
		 d->help);
	if (n >= OPTION_COLUMN) {
		putchar('\n');
		n = 0;
	}
	wrap(stdout, text, OPTION_COLUMN, n);
}

int command_help(const struct command *c)
{
	const struct option_def *d = c->options;
	const char *text = c->text;
	char buf[1024];
	int i;

	printf("Usage: raidctl %s%s%s%s\n\n", c->name,
	       d->name ? " [OPTION...]" : "", *c->args ? " " : "", c->args);
	printf("  %c%s.\n", toupper((unsigned char)*c->summary),
	       c->summary + 1);
	while (*text) {
		text = paragraph(text, buf, sizeof(buf));
		putchar('\n');
		wrap(stdout, buf, 2, 0);
	}
	if (d->name)
		printf("\nOptions:\n");
	for (; d->name; d++)
		help_option(d);
	if (c->examples[0])
		printf("\nExamples:\n");
	for (i = 0; c->examples[i]; i++)
		printf("  %s\n", c->examples[i]);
	return RC_OK;
}

int commands_overview(FILE *f)
{
	const struct command *c;
	unsigned int i;

	fprintf(f, "Usage: raidctl COMMAND [OPTION...] [ARGUMENT...]\n\n");
	for (c = commands; c->name; c++)
		fprintf(f, "  %-12s %s\n", c->name, c->summary);
	fprintf(f, "\nARRAY is mqrN, /dev/mqrN, the array's name or its UUID.\n"
		   "'raidctl help COMMAND' explains a command.\n\n"
		   "Exit codes:\n");
	for (i = 0; i < ARRAY_SIZE(exit_codes); i++) {
		int n = fprintf(f, "  %d  ", exit_codes[i].code);

		wrap(f, exit_codes[i].meaning, 5, n);
	}
	return RC_OK;
}

int cmd_help(struct invocation *inv)
{
	const struct command *c;

	if (!inv->args.n)
		return commands_overview(stdout);
	c = command_find(inv->args.word[0]);
	if (c)
		return command_help(c);
	return complain(RC_USAGE,
			"help: %s: no such command; 'raidctl help' lists them",
			inv->args.word[0]);
}

int cmd_version(struct invocation *inv)
{
	struct mqr_ioc_version v;
	int err = ctl_version(&v);

	(void)inv;
	out_str("raidctl", NULL, "%s", MQR_VERSION);
	out_num("abi", NULL, MQR_ABI_VERSION);
	out_line("raidctl %s", MQR_VERSION);
	if (err) {
		out_null("module", NULL);
		out_line("mqraid module: not loaded or not accessible");
		return RC_OK;
	}
	v.module[sizeof(v.module) - 1] = 0;
	v.calc[sizeof(v.calc) - 1] = 0;
	out_str("module", NULL, "%s", v.module);
	out_num("module_abi", NULL, v.abi);
	out_str("parity", NULL, "%s", v.calc);
	out_line("mqraid module: %s, interface %u, parity by %s", v.module,
		 v.abi, v.calc);
	return RC_OK;
}

/* raidctl(8) */

static void man_word(const char *word, int len)
{
	int i;

	if (*word == '.' || *word == '\'')
		fputs("\\&", stdout);
	for (i = 0; i < len; i++) {
		if (word[i] == '\\')
			fputs("\\e", stdout);
		else if (word[i] == '-')
			fputs("\\-", stdout);
		else if (word[i] == '\'')
			fputs("\\(aq", stdout);
		else
			putchar(word[i]);
	}
}

/* A line per sentence, and none too long. */
static void man_text(const char *text)
{
	int column = 0;

	while (*text) {
		int len = (int)strcspn(text, " ");
		bool ends = text[len - 1] == '.';

		if (column && column + 1 + len > WIDTH - 8) {
			putchar('\n');
			column = 0;
		} else if (column) {
			column += printf(" ");
		}
		man_word(text, len);
		column += len;
		text += len;
		text += strspn(text, " ");
		if (ends && *text) {
			putchar('\n');
			column = 0;
		}
	}
	putchar('\n');
}

static void man_options(const struct option_def *d)
{
	char values[128], text[512];

	if (!d->name)
		return;
	printf(".Bl -tag -width indent\n");
	for (; d->name; d++) {
		printf(".It Fl \\-%s%s%s\n", d->name, d->arg ? " Ar " : "",
		       d->arg ? d->arg : "");
		values[0] = 0;
		if (d->choices)
			choices_text(d->choices, values, sizeof(values));
		snprintf(text, sizeof(text), "%s%s%c%s.", values,
			 *values ? "; " : "",
			 *values ? *d->help : toupper((unsigned char)*d->help),
			 d->help + 1);
		man_text(text);
	}
	printf(".El\n");
}

static void man_examples(const struct command *c)
{
	int i;

	if (!c->examples[0])
		return;
	printf(".Bd -literal -offset indent\n");
	for (i = 0; c->examples[i]; i++) {
		man_word(c->examples[i], (int)strlen(c->examples[i]));
		putchar('\n');
	}
	printf(".Ed\n");
}

static void man_command(const struct command *c)
{
	const char *text = c->text;
	char buf[1024];

	printf(".Ss %s\n.Nm raidctl Cm %s", c->name, c->name);
	if (c->options->name)
		printf(" Op Ar option ...");
	printf("\n.Pp\n");
	snprintf(buf, sizeof(buf), "%c%s.", toupper((unsigned char)*c->summary),
		 c->summary + 1);
	man_text(buf);
	if (*c->args) {
		printf("Arguments:\n");
		man_text(c->args);
	}
	while (*text) {
		text = paragraph(text, buf, sizeof(buf));
		printf(".Pp\n");
		man_text(buf);
	}
	man_options(c->options);
	man_examples(c);
}

static void man_head(void)
{
	const struct command *c;

	printf(".\\\" SPDX-License-Identifier: GPL-2.0\n"
	       ".\\\" Made by 'raidctl man'; change userspace/commands.c.\n"
	       ".Dd " MAN_DATE "\n.Dt RAIDCTL 8\n.Os\n"
	       ".Sh NAME\n.Nm raidctl\n.Nd manage mqraid arrays\n"
	       ".Sh SYNOPSIS\n");
	for (c = commands; c->name; c++) {
		printf(".Nm\n.Cm %s\n", c->name);
		if (c->options->name)
			printf(".Op Ar option ...\n");
		if (*c->args)
			man_text(c->args);
	}
	printf(".Sh DESCRIPTION\n");
	man_text("raidctl creates, starts, watches and repairs RAID arrays of "
		 "the mqraid driver. The arrays' format on disk is that of md, "
		 "version 1.2, with a mark of its own in each superblock.");
	printf(".Pp\n");
	man_text("ARRAY is mqrN, /dev/mqrN, the array's name or its UUID. "
		 "DEVICE is any path of a block device. SIZE is a number of "
		 "bytes, or of KiB, MiB, GiB or TiB with K, M, G or T behind "
		 "it.");
	printf(".Pp\n");
	man_text("Names and other text from disks are shown with bytes that "
		 "are not printable ASCII written as \\xNN.");
}

static void man_tail(void)
{
	unsigned int i;

	printf(".Sh FILES\n.Bl -tag -width indent\n"
	       ".It Pa /dev/mqraid\\-control\n");
	man_text("The module's control device.");
	printf(".It Pa /sys/block/mqrN/mqraid\n");
	man_text("Settings and state of an array.");
	printf(".El\n.Sh EXIT STATUS\n.Bl -tag -width indent\n");
	for (i = 0; i < ARRAY_SIZE(exit_codes); i++) {
		char text[256];

		printf(".It %d\n", exit_codes[i].code);
		snprintf(text, sizeof(text), "%c%s.",
			 toupper((unsigned char)*exit_codes[i].meaning),
			 exit_codes[i].meaning + 1);
		man_text(text);
	}
	printf(".El\n.Pp\n");
	man_text("Codes 1 and 2 say how an array is: status, list and wait "
		 "give them. check, assemble, examine, adopt, release and "
		 "new-uuid give 2 for what they find. With several arrays, the "
		 "highest code "
		 "is given.");
	printf(".Sh SEE ALSO\n.Xr blkid 8 ,\n.Xr mdadm 8\n");
}

int cmd_man(struct invocation *inv)
{
	const struct command *c;

	(void)inv;
	man_head();
	printf(".Sh COMMANDS\n");
	for (c = commands; c->name; c++)
		man_command(c);
	man_tail();
	return RC_OK;
}

/* Completion */

static void completion_case(const struct command *c)
{
	const struct option_def *d;
	const struct choice *v;

	printf("\t%s)\n\t\toptions='--help", c->name);
	for (d = c->options; d->name; d++)
		printf(" --%s", d->name);
	printf("'\n");
	if (strstr(c->args, "ARRAY"))
		printf("\t\tarrays=1\n");
	if (strstr(c->args, "DEVICE") || strstr(c->args, "MEMBER"))
		printf("\t\tfiles=1\n");
	for (d = c->options; d->name; d++) {
		if (!d->choices)
			continue;
		printf("\t\t[[ $prev == --%s ]] && files='' words='", d->name);
		for (v = d->choices; v->name; v++)
			printf("%s%s", v == d->choices ? "" : " ", v->name);
		printf("'\n");
	}
	printf("\t\t;;\n");
}

static void completion_commands(void)
{
	const struct command *c;

	for (c = commands; c->name; c++)
		printf("%s%s", c == commands ? "" : " ", c->name);
}

int cmd_completion(struct invocation *inv)
{
	const struct command *c;

	if (strcmp(inv->args.word[0], "bash"))
		return complain(RC_USAGE, "completion: %s: accepted is bash",
				inv->args.word[0]);
	printf("# bash completion of raidctl; made by 'raidctl completion "
	       "bash'\n_raidctl()\n{\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n"
	       "\tlocal prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	       "\tlocal options='' words='' arrays='' files=''\n\n"
	       "\tif ((COMP_CWORD == 1)); then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W '");
	completion_commands();
	printf("' -- \"$cur\")\n\t\treturn\n\tfi\n"
	       "\tcase ${COMP_WORDS[1]} in\n");
	for (c = commands; c->name; c++)
		completion_case(c);
	printf("\tesac\n\t[[ ${COMP_WORDS[1]} == help ]] && words='");
	completion_commands();
	printf("'\n"
	       "\tif [[ $cur == -* ]]; then\n\t\twords=$options\n"
	       "\telif [[ $arrays && -z $words ]]; then\n"
	       "\t\twords=$(cd /sys/block 2>/dev/null && echo mqr[0-9]*)\n"
	       "\t\twords=${words#'mqr[0-9]*'}\n\tfi\n"
	       "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	       "\t[[ $files && $cur != -* ]] &&\n"
	       "\t\tmapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < "
	       "<(compgen -f -- \"$cur\")\n"
	       "\treturn 0\n}\ncomplete -o filenames -F _raidctl raidctl\n");
	return RC_OK;
}
