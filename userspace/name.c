// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include "ctl.h"
#include "name.h"
#include "output.h"

static bool name_ok(const char *name)
{
	const char *c;

	for (c = name; *c; c++)
		if (*c <= ' ' || *c > '~' || strchr("/:,=\\\"'", *c))
			return false;
	return c != name && c - name <= 31 && *name != '-';
}

static bool kernel_like(const char *name)
{
	return !strncmp(name, "mqr", 3) && name[3] &&
	       strspn(name + 3, "0123456789") == strlen(name + 3);
}

int name_check(const char *command, const char *name)
{
	struct array_list l;
	int rc = RC_OK;
	unsigned int i;

	if (!name_ok(name))
		return complain(RC_USAGE,
				"%s: name %s: accepted are 1 to 31 "
				"printable characters without blanks and "
				"/ : , = \\ and quotes",
				command, name);
	if (kernel_like(name))
		return complain(RC_USAGE,
				"%s: name %s: mqr0, mqr1, ... are given by "
				"the kernel; choose a name of your own, such "
				"as data",
				command, name);
	if (ctl_list(&l))
		return RC_OK;
	for (i = 0; i < l.n && !rc; i++)
		if (!strcmp(array_short_name(&l.array[i]), name))
			rc = complain(RC_USAGE,
				      "%s: name %s: mqr%u has this name "
				      "already",
				      command, name, l.array[i].array);
	array_list_free(&l);
	return rc;
}

void name_store(struct mqr_sb *sb, const char *name)
{
	char host[65] = "";
	size_t n;

	gethostname(host, sizeof(host) - 1);
	n = strlen(host);
	if (!n || strchr(host, ':') || n + 1 + strlen(name) > 32) {
		snprintf(sb->set_name, sizeof(sb->set_name), "%s", name);
		return;
	}
	memcpy(sb->set_name, host, n);
	sb->set_name[n] = ':';
	strcpy(sb->set_name + n + 1, name);
}
