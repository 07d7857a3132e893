/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where every sector of an array lives.
 *
 * An array is a sequence of rows.  A row of a parity level holds one chunk
 * on each member: @data_roles chunks of data and @parities of parity.  A row
 * of a mirror level (1, 10) holds one chunk of data and its copies.  A role
 * numbers the chunks of a row: roles 0 .. data_roles-1 are data in array
 * order, then P, then Q; for mirrors role i is copy i.  A slot is a member's
 * place in the array (md's role number).
 *
 * RAID 0 has no rows that matter: it maps sectors through zones (members may
 * differ in size).  All layouts are md's.
 *
 * Units: sectors are 512 bytes; member sectors count from the member's
 * data_offset.  All functions are pure and may run in any context.
 */
#ifndef MQR_CORE_GEOMETRY_H
#define MQR_CORE_GEOMETRY_H

#include "platform.h"

#define MQR_MAX_MEMBERS 64
#define MQR_SECTOR_SHIFT 9
/* The unit of parity and planning: a block is a column of a chunk. */
#define MQR_BLOCK_SHIFT 12
#define MQR_BLOCK_SIZE (1u << MQR_BLOCK_SHIFT)
#define MQR_BLOCK_SECTORS (MQR_BLOCK_SIZE >> MQR_SECTOR_SHIFT)
#define MQR_MIN_CHUNK_SECTORS MQR_BLOCK_SECTORS
#define MQR_MAX_CHUNK_SECTORS 2048u
#define MQR_MAX_CHUNK_BLOCKS (MQR_MAX_CHUNK_SECTORS / MQR_BLOCK_SECTORS)
/* RAID 1 has no chunk: its rows are regions of this size (128 KiB). */
#define MQR_RAID1_ROW_SECTORS 256u

/* RAID 5/6 layouts, md's numbers. */
enum mqr_layout {
	MQR_LEFT_ASYMMETRIC = 0,
	MQR_RIGHT_ASYMMETRIC = 1,
	MQR_LEFT_SYMMETRIC = 2,
	MQR_RIGHT_SYMMETRIC = 3,
	MQR_PARITY_0 = 4,
	MQR_PARITY_N = 5,
};

/* RAID 0 layouts of arrays with more than one zone, md's numbers. */
enum mqr_raid0_layout {
	MQR_RAID0_UNSET = 0,
	MQR_RAID0_ORIGINAL = 1,
	MQR_RAID0_ALTERNATE = 2,
};

struct mqr_geo_params {
	int level;
	u32 layout;
	u32 raid_disks;
	/* 0 for RAID 1 */
	u32 chunk_sectors;
	/* sectors used on every member; not used by RAID 0 */
	u64 member_sectors;
	/* RAID 0 only: usable sectors of each member, by slot */
	u64 slot_sectors[MQR_MAX_MEMBERS];
};

struct mqr_zone {
	/* first array sector behind the zone */
	u64 end;
	/* first array sector of the zone */
	u64 start;
	/* where the zone begins on its members */
	u64 member_start;
	u8 disks;
	u8 slot[MQR_MAX_MEMBERS];
};

struct mqr_geo {
	int level;
	u32 layout;
	u8 raid_disks;
	/* roles of a row: data_roles + parities, or the copies of a mirror */
	u8 roles;
	/* K; 1 for mirrors */
	u8 data_roles;
	/* 0 for RAID 0 and mirrors */
	u8 parities;
	/* members that may be lost whichever they are */
	u8 tolerance;
	bool mirror;
	/* chunk of a row in sectors (RAID 1: MQR_RAID1_ROW_SECTORS) */
	u32 chunk_sectors;
	/* ilog2(chunk_sectors), or 0 if it isn't a power of two (RAID 0) */
	u8 chunk_shift;
	u32 chunk_blocks;
	/* array sectors in a row: data_roles * chunk_sectors */
	u32 row_sectors;
	u64 rows;
	u64 array_sectors;
	/* sectors in use on each member (RAID 0: of the largest) */
	u64 member_sectors;
	u8 zones;
	struct mqr_zone zone[MQR_MAX_MEMBERS];
};

/* A place inside a row. */
struct mqr_pos {
	u64 row;
	/* data role; 0 for mirrors */
	u32 role;
	/* sectors from the beginning of the chunk */
	u32 offset;
};

/* A run of sectors on one member. */
struct mqr_loc {
	u64 sector;
	/* sectors that follow on the same member without a gap */
	u32 sectors;
	u8 slot;
};

/*
 * Check @p and derive the rest.  0, or -EINVAL with @why filled in.  Rejects
 * what md would accept but we don't (far and offset RAID 10, other RAID 6
 * layouts, more than MQR_MAX_MEMBERS members, chunks over 1 MiB, not whole
 * blocks or, except for RAID 0, not a power of two), each by name.
 */
int mqr_geo_init(struct mqr_geo *g, const struct mqr_geo_params *p,
		 struct mqr_why *why);

/* As mqr_geo_init(), but looks at level, layout, chunk and raid_disks only. */
int mqr_geo_check(const struct mqr_geo_params *p, struct mqr_why *why);

/* RAID 0: the place of array sector @sector (< array_sectors). */
struct mqr_loc mqr_geo_raid0(const struct mqr_geo *g, u64 sector);

/* All other levels: the row and role of array sector @sector. */
struct mqr_pos mqr_geo_pos(const struct mqr_geo *g, u64 sector);

/* The array sector of @pos; inverse of mqr_geo_pos(). */
u64 mqr_geo_sector(const struct mqr_geo *g, struct mqr_pos pos);

/* The slot that holds @role in @row. */
u8 mqr_geo_slot(const struct mqr_geo *g, u64 row, u32 role);

/* The role that @slot plays in @row, or -1 (mirrors: holds no copy). */
int mqr_geo_role(const struct mqr_geo *g, u64 row, u32 slot);

/* Where @role's chunk of @row begins on its member. */
u64 mqr_geo_role_sector(const struct mqr_geo *g, u64 row, u32 role);

/*
 * Sectors of each chunk of @row: chunk_sectors, but the last row of a RAID 1
 * may be shorter and need not even be a multiple of the block.
 */
u32 mqr_geo_chunk_len(const struct mqr_geo *g, u64 row);

/*
 * Recovery positions.  A walker goes through rows in order; md records how
 * far in member sectors.  mqr_geo_rows_before(): rows that need not be done
 * again if every member is right below @member_sector (rounds down).
 * mqr_geo_member_done(): member sectors below which everything is right once
 * all rows before @row are done.
 */
u64 mqr_geo_rows_before(const struct mqr_geo *g, u64 member_sector);
u64 mqr_geo_member_done(const struct mqr_geo *g, u64 row);

/*
 * The same for md's resync_offset, which counts member sectors, but array
 * sectors in RAID 10.
 */
u64 mqr_geo_rows_resynced(const struct mqr_geo *g, u64 resync_offset);
u64 mqr_geo_resync_done(const struct mqr_geo *g, u64 row);

/* Can the array work without the slots of mask @missing? */
bool mqr_geo_survives(const struct mqr_geo *g, u64 missing);
/* The same from parameters that mqr_geo_check() has accepted. */
bool mqr_level_survives(int level, u32 layout, u32 raid_disks, u64 missing);

/* "RAID 6", and "left-symmetric", "near=2", ... ; never NULL. */
const char *mqr_level_name(int level);
const char *mqr_layout_name(int level, u32 layout, char *buf, size_t size);

#endif
