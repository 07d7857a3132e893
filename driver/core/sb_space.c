// SPDX-License-Identifier: GPL-2.0
/*
 * How mdadm (4.2) divides up a new member of version 1.2:
 *
 *	sector 8	superblock, 4 KiB
 *	16		bitmap, if there is one, in the space left for it
 *	then		bad-block log, 4 KiB
 *	data_offset	data; what is left before it is headroom, which a
 *			reshape will need
 *
 * Keeping to it makes arrays of ours look like anybody else's to mdadm, and
 * a drive that held a member of one can hold a member of the other.
 */
#include "superblock.h"

#define KIB 2ULL
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

#define SB_SECTORS 8u
#define BBLOG_SECTORS 8u
/* Sectors before the bitmap, and for the bad-block log. */
#define FIXED_SECTORS (MQR_SB_SECTOR + SB_SECTORS + BBLOG_SECTORS)
#define DATA_ALIGN MIB
#define MAX_HEADROOM (128 * MIB)

static u32 bitmap_space(u64 sectors)
{
	if (sectors < 64 * KIB)
		return 0;
	if (sectors - 64 * KIB >= 200 * GIB)
		return 128 * KIB;
	if (sectors - 4 * KIB > 8 * GIB)
		return 64 * KIB;
	return 4 * KIB;
}

/* About a thousandth of the member, but two chunks or more. */
static u64 headroom(u64 dev_sectors, u32 chunk_sectors)
{
	u64 room = MAX_HEADROOM;

	while (room << 10 > dev_sectors && room / 2 >= 2 * (u64)chunk_sectors)
		room /= 2;
	return room;
}

int mqr_sb_space(struct mqr_sb_space *s, u64 dev_sectors, u32 chunk_sectors,
		 struct mqr_why *why)
{
	u64 offset = FIXED_SECTORS + bitmap_space(dev_sectors) +
		     headroom(dev_sectors, chunk_sectors);
	u32 least = max(chunk_sectors, SB_SECTORS);

	s->data_offset = (offset + DATA_ALIGN - 1) & ~(DATA_ALIGN - 1);
	if (dev_sectors < s->data_offset + least) {
		mqr_because(why,
			    "device of %llu sectors is too small: %llu are "
			    "needed for metadata and one chunk",
			    (unsigned long long)dev_sectors,
			    (unsigned long long)s->data_offset + least);
		return -ENOSPC;
	}
	s->data_size = dev_sectors - s->data_offset;
	/* Of the data, not of the device: this may come out smaller. */
	s->bitmap_sectors = bitmap_space(s->data_size);
	s->bblog_size = BBLOG_SECTORS;
	s->bblog_offset = (s32)(SB_SECTORS + s->bitmap_sectors);
	return 0;
}
