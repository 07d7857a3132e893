/* SPDX-License-Identifier: GPL-2.0 */
/* Names that users give to arrays. */
#ifndef RAIDCTL_NAME_H
#define RAIDCTL_NAME_H

#include "core/superblock.h"

/* Is it a good name, and not one of a running array? */
int name_check(const char *command, const char *name);

/* Into @sb: "host:name" if that fits, as mdadm does. */
void name_store(struct mqr_sb *sb, const char *name);

#endif
