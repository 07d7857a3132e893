/* SPDX-License-Identifier: GPL-2.0 */
/* Making a device a member: space, superblock, and what to wipe. */
#ifndef RAIDCTL_NEWMEMBER_H
#define RAIDCTL_NEWMEMBER_H

#include "device.h"
#include "signature.h"

/* No data below this, even where a member is short of space. */
#define MEMBER_MIN_DATA_OFFSET 2048ull

/* The user's word for a layout, or the default of @level for NULL. */
int parse_layout(int level, const char *text, u32 *layout);

void random_uuid(u8 *uuid);

/* Length of the role table that mdadm would write for @devices. */
u32 new_max_dev(u32 devices);

/*
 * Where data begins on @d: as mdadm would choose or, if not 0, @data_offset
 * (bytes).
 */
int new_member_space(const struct device *d, u32 chunk_sectors, u64 data_offset,
		     struct mqr_sb_space *s);

/*
 * The same for a member that must hold @sectors: begins earlier if it has
 * to.
 */
int new_member_fit(const struct device *d, u32 chunk_sectors, u64 sectors,
		   struct mqr_sb_space *s);

/*
 * What is particular to @d, in @d->sb, of which the array's part and
 * dev_number are filled in.  @d->image becomes a blank one.
 */
void new_member_fill(struct device *d, const struct mqr_sb_space *s);

/*
 * Wipe what is on @d, clear the areas that its superblock refers to, write
 * the superblock.
 */
int new_member_write(struct device *d);

#endif
