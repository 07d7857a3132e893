/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is on a device already: file systems, partition tables, members of
 * arrays and volume groups, as libblkid knows them.
 */
#ifndef RAIDCTL_SIGNATURE_H
#define RAIDCTL_SIGNATURE_H

#include "device.h"

struct signatures {
	unsigned int n;
	/* "ext4 file system (UUID ...), GPT partition table" */
	char text[512];
	/* members of md or mqraid arrays of any version */
	bool raid;
	bool raid_uuid_known;
	u8 raid_uuid[16];
	char raid_version[16];
};

/* 0 or -errno. */
int signatures_find(const struct device *d, struct signatures *s);

/* Removes what signatures_find() finds.  0 or -errno. */
int signatures_wipe(const struct device *d);

/*
 * Refuse @d if it carries something: see create in raidctl(8) for what
 * @force and @destroy override.  RC_OK, or the code after a complaint.
 */
int signatures_refuse(struct device *d, bool force,
		      const struct uuid_list *destroy);

#endif
