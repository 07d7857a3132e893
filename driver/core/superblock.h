/* SPDX-License-Identifier: GPL-2.0 */
/*
 * md's version 1.2 superblock: decode, encode, judge one, choose among many.
 *
 * The on-disk structure is the uapi's struct mdp_superblock_1; it is touched
 * in superblock.c only.  Everywhere else struct mqr_sb is used: host byte
 * order, and only what we understand.  To write one, the image that was read
 * is patched, so that bytes of no concern to us are preserved.
 *
 * While mqraid owns an array, MQR_FEATURE_OWNER is set on every member: md
 * refuses feature bits that it doesn't know and so never assembles the array
 * behind our back.
 *
 * Pure: any context.
 */
#ifndef MQR_CORE_SUPERBLOCK_H
#define MQR_CORE_SUPERBLOCK_H

#include "geometry.h"

/* Version 1.2 lives 4 KiB into the member. */
#define MQR_SB_SECTOR 8u
#define MQR_SB_BYTES 4096u
#define MQR_SB_MAX_DEV 384u
#define MQR_FEATURE_OWNER (1u << 31)
/* resync_offset and recovery_offset: nothing left to do */
#define MQR_ALL_DONE (~0ULL)
/* values of role[] that are no slot */
#define MQR_ROLE_SPARE 0xffffu
#define MQR_ROLE_FAULTY 0xfffeu
#define MQR_ROLE_JOURNAL 0xfffdu
#define MQR_ROLE_MAX 0xff00u

struct mqr_sb {
	u32 feature_map;
	u8 set_uuid[16];
	u8 device_uuid[16];
	/* as on disk: "name" or "host:name"; always ends in 0 here */
	char set_name[33];
	/* seconds */
	u64 ctime;
	u64 utime;
	s32 level;
	u32 layout;
	/* sectors used of each member; 0 for RAID 0 */
	u64 size;
	u32 chunk_sectors;
	u32 raid_disks;
	/* sectors from the superblock, signed; if MD_FEATURE_BITMAP_OFFSET */
	s32 bitmap_offset;
	u64 data_offset;
	u64 data_size;
	u64 super_offset;
	/* member sectors that are right; MQR_ALL_DONE without the feature */
	u64 recovery_offset;
	u32 dev_number;
	u32 corrected_reads;
	u8 devflags;
	u16 bblog_size;
	s32 bblog_offset;
	u64 events;
	/* MQR_ALL_DONE = clean */
	u64 resync_offset;
	u32 max_dev;
	/* bytes; 0 = not recorded (kernels before 6.19) */
	u32 logical_block_size;
	/* by dev_number */
	u16 role[MQR_SB_MAX_DEV];
};

enum mqr_sb_error {
	MQR_SB_OK,
	/* no magic: not an md member (or version 0.90, 1.0, 1.1) */
	MQR_SB_NONE,
	/* magic, but damaged: checksum, offsets, counts */
	MQR_SB_DAMAGED,
	/* sound, but has something that we don't support: @why names it */
	MQR_SB_UNSUPPORTED,
};

/*
 * Decode and check the 4096 bytes at MQR_SB_SECTOR of a device of
 * @dev_sectors sectors.  With MQR_SB_UNSUPPORTED, @sb is filled in all the
 * same (examine shows it); padding that isn't 0, an unknown field, counts as
 * unsupported.  Whatever the bytes are, a result of MQR_SB_OK
 * guarantees: level, layout, chunk and raid_disks make a valid geometry,
 * raid_disks <= MQR_MAX_MEMBERS, data_offset + data_size lies in the device
 * and behind the superblock, size <= data_size, max_dev <= MQR_SB_MAX_DEV,
 * dev_number < max_dev and role[] of slots < raid_disks.
 */
enum mqr_sb_error mqr_sb_decode(struct mqr_sb *sb, const void *image,
				u64 dev_sectors, struct mqr_why *why);

/*
 * Patch @image (4096 bytes: the old image, or zeros for a new member) to say
 * what @sb says, checksum included.  @image must be aligned to 8 bytes.
 */
void mqr_sb_encode(const struct mqr_sb *sb, void *image);

/* The role of the superblock's own device. */
u16 mqr_sb_own_role(const struct mqr_sb *sb);

/* Clean: nothing to resynchronise. */
static inline bool mqr_sb_clean(const struct mqr_sb *sb)
{
	return sb->resync_offset == MQR_ALL_DONE;
}

/*
 * The data offset and size that mdadm would choose for a new member of
 * @dev_sectors sectors (chunk 0 for RAID 1), and the space it reserves for a
 * bitmap.  0, or -ENOSPC with @why.
 */
struct mqr_sb_space {
	u64 data_offset;
	/* usable sectors from data_offset, not rounded to the chunk */
	u64 data_size;
	/* sectors reserved for a bitmap behind the superblock */
	u32 bitmap_sectors;
	u16 bblog_size;
	s32 bblog_offset;
};

int mqr_sb_space(struct mqr_sb_space *s, u64 dev_sectors, u32 chunk_sectors,
		 struct mqr_why *why);

/* What became of a device in mqr_sb_choose(). */
enum mqr_verdict {
	/* in its slot and current */
	MQR_IN_SYNC,
	/* in its slot, right up to its recovery_offset */
	MQR_RECOVERING,
	MQR_SPARE,
	/* superblock too old: it missed writes */
	MQR_STALE,
	/* the freshest superblock says that it failed or was removed */
	MQR_EXPELLED,
	/* of another array, or contradicts the freshest superblock */
	MQR_FOREIGN,
	/* same array, slot and device uuid as another device: a clone */
	MQR_DUPLICATE,
};

struct mqr_cand {
	/* in: decoded with MQR_SB_OK */
	const struct mqr_sb *sb;
	/* out */
	enum mqr_verdict verdict;
	/* out: slot for IN_SYNC and RECOVERING, else -1 */
	int slot;
};

#define MQR_CHOOSE_FORCE 1u /* take the freshest stale members, if needed */

struct mqr_choice {
	/* index of the freshest candidate: its array data are the truth */
	int freshest;
	/* candidate of each slot, or -1 */
	int cand[MQR_MAX_MEMBERS];
	/* slots in sync */
	u64 in_sync;
	/* slots being recovered */
	u64 recovering;
	/* not shut down cleanly: a resync is due */
	bool dirty;
	/* FORCE took stale members: a resync is due and data may be old */
	bool forced;
	/* enough members to run */
	bool enough;
	/* as many as the array has slots */
	bool complete;
};

/*
 * Judge @n candidates of one array (all have the same set_uuid as cand[0],
 * else they get MQR_FOREIGN).  Rules: the highest event count is the truth,
 * its role table decides who is in; a member one event behind that the truth
 * still lists as active is current; anything older is stale.  Duplicates are
 * never chosen by order: both get MQR_DUPLICATE and the result is -EEXIST, as
 * it is if members of equal age exclude each other or share a slot.
 * -ENODEV if not enough members, -EUCLEAN if dirty and degraded parity
 * needs FORCE (write hole), each with @why; 0 otherwise.
 */
int mqr_sb_choose(struct mqr_choice *out, struct mqr_cand *cand, unsigned int n,
		  u32 flags, struct mqr_why *why);

const char *mqr_verdict_name(enum mqr_verdict v);

/*
 * Geometry parameters of the array that @sb describes.  RAID 0 needs the
 * data_size of each slot: fill p->slot_sectors afterwards.
 */
void mqr_sb_geometry(const struct mqr_sb *sb, struct mqr_geo_params *p);

/* The set name without "host:". */
const char *mqr_sb_short_name(const struct mqr_sb *sb);

#endif
