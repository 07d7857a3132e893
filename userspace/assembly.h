/* SPDX-License-Identifier: GPL-2.0 */
/* What assemble, adopt and release share. */
#ifndef RAIDCTL_ASSEMBLY_H
#define RAIDCTL_ASSEMBLY_H

#include "members.h"

/*
 * "[NAME] [DEVICE...]": @ref is the name (NULL if the first word is a
 * device).  @l gets the devices, or all of the machine if none is given, with
 * their superblocks read.
 */
int assembly_open(const struct words *args, enum device_use use,
		  struct device_list *l, const char **ref);

/* All of @l carry superblocks of one array. */
int assembly_one_array(const struct device_list *l);

/* Start @set, which has been judged, with these flags of the ioctl. */
int assembly_start(struct member_set *set, u32 flags);

#endif
