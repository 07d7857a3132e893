// SPDX-License-Identifier: GPL-2.0
/*
 * Where every sector of an array lives: checking the parameters, deriving
 * the geometry from them, and mapping between array and members.
 *
 * Chunks of all levels but RAID 0 are a power of two, so that the mapping
 * of a sector costs shifts and one division by the number of data roles;
 * the place of a role costs one more, by the number of members.
 */
#include "geometry.h"

/* A block device can't be larger: its size in bytes has to fit a loff_t. */
#define MAX_SECTORS (1ULL << 54)

/* Bits of md's RAID 10 layout word. */
#define NEAR_MASK 0xffu
#define FAR_SHIFT 8
#define FAR_MASK 0xffu
#define OFFSET_BIT (1u << 16)

struct level {
	int level;
	const char *name;
	/* 0: not supported */
	u8 min_disks;
	u8 parities;
	bool mirror;
};

static const struct level levels[] = {
	{.level = 0, .name = "RAID 0", .min_disks = 1},
	{.level = 1, .name = "RAID 1", .min_disks = 1, .mirror = true},
	{.level = 4, .name = "RAID 4"},
	{.level = 5, .name = "RAID 5", .min_disks = 3, .parities = 1},
	{.level = 6, .name = "RAID 6", .min_disks = 4, .parities = 2},
	{.level = 10, .name = "RAID 10", .min_disks = 2, .mirror = true},
	{.level = -1, .name = "linear"},
	{.level = -4, .name = "multipath"},
	{.level = -5, .name = "faulty"},
	{.level = -100, .name = "container"},
};

static const char *const parity_layouts[] = {
	[MQR_LEFT_ASYMMETRIC] = "left-asymmetric",
	[MQR_RIGHT_ASYMMETRIC] = "right-asymmetric",
	[MQR_LEFT_SYMMETRIC] = "left-symmetric",
	[MQR_RIGHT_SYMMETRIC] = "right-symmetric",
	[MQR_PARITY_0] = "parity-first",
	[MQR_PARITY_N] = "parity-last",
	/* RAID 6 only, and not supported */
	[8] = "ddf-zero-restart",
	[9] = "ddf-N-restart",
	[10] = "ddf-N-continue",
	[16] = "left-asymmetric-6",
	[17] = "right-asymmetric-6",
	[18] = "left-symmetric-6",
	[19] = "right-symmetric-6",
	[20] = "parity-first-6",
};

static const char *const raid0_layouts[] = {
	[MQR_RAID0_UNSET] = "unset",
	[MQR_RAID0_ORIGINAL] = "original",
	[MQR_RAID0_ALTERNATE] = "alternate",
};

static const struct level *level_find(int level)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(levels); i++)
		if (levels[i].level == level)
			return &levels[i];
	return NULL;
}

const char *mqr_level_name(int level)
{
	const struct level *l = level_find(level);

	return l ? l->name : "unknown level";
}

static const char *raid10_layout_name(u32 layout, char *buf, size_t size)
{
	u32 near = layout & NEAR_MASK;
	u32 far = (layout >> FAR_SHIFT) & FAR_MASK;
	const char *kind = layout & OFFSET_BIT ? "offset" : "far";

	if (far == 1 && !(layout >> 16))
		scnprintf(buf, size, "near=%u", near);
	else if (near == 1)
		scnprintf(buf, size, "%s=%u", kind, far);
	else
		scnprintf(buf, size, "near=%u, %s=%u", near, kind, far);
	return buf;
}

const char *mqr_layout_name(int level, u32 layout, char *buf, size_t size)
{
	const char *name = NULL;

	if (level == 10)
		return raid10_layout_name(layout, buf, size);
	if (level == 1)
		return "";
	if (level == 0 && layout < ARRAY_SIZE(raid0_layouts))
		name = raid0_layouts[layout];
	if (level >= 4 && level <= 6 && layout < ARRAY_SIZE(parity_layouts))
		name = parity_layouts[layout];
	if (name)
		return name;
	scnprintf(buf, size, "%u", layout);
	return buf;
}

/*
 * RAID 6 in the asymmetric layouts is refused for what md does there: its
 * syndrome counts data chunks from behind Q around the row, not in array
 * order, so that the coefficient of a role would depend on the row.
 */
static bool raid6_layout_ok(u32 layout)
{
	return layout >= MQR_LEFT_SYMMETRIC && layout <= MQR_PARITY_N;
}

static const char *layout_wanted(const struct mqr_geo_params *p)
{
	u32 near = p->layout & NEAR_MASK;

	switch (p->level) {
	case 0:
		if (p->layout <= MQR_RAID0_ALTERNATE)
			return NULL;
		return "original (1) or alternate (2)";
	case 1:
		return p->layout ? "0" : NULL;
	case 5:
		if (p->layout <= MQR_PARITY_N)
			return NULL;
		return "0 to 5";
	case 6:
		if (raid6_layout_ok(p->layout))
			return NULL;
		return "left-symmetric, right-symmetric, parity-first or "
		       "parity-last";
	default:
		if (p->layout >> FAR_SHIFT == 1 && near > 1 &&
		    near <= p->raid_disks)
			return NULL;
		return "near=2 up to near=(number of members)";
	}
}

static int check_layout(const struct mqr_geo_params *p, struct mqr_why *why)
{
	const char *wanted = layout_wanted(p);
	char buf[32];

	if (!wanted)
		return 0;
	mqr_because(why, "%s layout %s (%u) is not supported: it must be %s",
		    mqr_level_name(p->level),
		    mqr_layout_name(p->level, p->layout, buf, sizeof(buf)),
		    p->layout, wanted);
	return -EINVAL;
}

static int check_chunk(const struct mqr_geo_params *p, struct mqr_why *why)
{
	u32 chunk = p->chunk_sectors;
	bool range = chunk >= MQR_MIN_CHUNK_SECTORS &&
		     chunk <= MQR_MAX_CHUNK_SECTORS;
	const char *wanted;
	bool ok;

	if (p->level == 1) {
		ok = !chunk;
		wanted = "0";
	} else if (p->level == 0) {
		ok = range && !(chunk % MQR_BLOCK_SECTORS);
		wanted = "a multiple of 8 (4 KiB) up to 2048 (1 MiB)";
	} else {
		ok = range && !(chunk & (chunk - 1));
		wanted = "a power of two from 8 (4 KiB) to 2048 (1 MiB)";
	}
	if (ok)
		return 0;
	mqr_because(why,
		    "%s chunk of %u sectors is not supported: it must be %s",
		    mqr_level_name(p->level), chunk, wanted);
	return -EINVAL;
}

int mqr_geo_check(const struct mqr_geo_params *p, struct mqr_why *why)
{
	const struct level *l = level_find(p->level);
	int err;

	if (!l || !l->min_disks) {
		mqr_because(why,
			    "%s (%d) is not supported: the level must be 0, 1, "
			    "5, 6 or 10",
			    mqr_level_name(p->level), p->level);
		return -EINVAL;
	}
	if (p->raid_disks < l->min_disks || p->raid_disks > MQR_MAX_MEMBERS) {
		mqr_because(
			why,
			"%s of %u members is not supported: it takes %u to %u",
			l->name, p->raid_disks, l->min_disks, MQR_MAX_MEMBERS);
		return -EINVAL;
	}
	err = check_chunk(p, why);
	return err ? err : check_layout(p, why);
}

static u64 whole_chunks(const struct mqr_geo_params *p, u32 slot)
{
	return div_u64(p->slot_sectors[slot], p->chunk_sectors) *
	       p->chunk_sectors;
}

/*
 * Fill in the zone that begins at @z->start and @z->member_start: it has all
 * members that reach further and ends with the smallest of these.  Returns
 * the member sector behind it, or 0 if no member reaches further.
 */
static u64 zone_fill(struct mqr_zone *z, const struct mqr_geo_params *p)
{
	u64 smallest = 0;
	u64 sectors;
	u32 slot;

	z->disks = 0;
	for (slot = 0; slot < p->raid_disks; slot++) {
		sectors = whole_chunks(p, slot);
		if (sectors <= z->member_start)
			continue;
		if (!z->disks || sectors < smallest)
			smallest = sectors;
		z->slot[z->disks++] = (u8)slot;
	}
	z->end = z->start + (smallest - z->member_start) * z->disks;
	return smallest;
}

/*
 * The original layout numbers the chunks of the whole array, not of the
 * zone, to find the member; that is the same as a turned list of members.
 */
static void zone_turn(struct mqr_zone *z, u32 chunk_sectors)
{
	u8 slot[MQR_MAX_MEMBERS];
	u32 by;
	u32 i;

	div_u64_rem(div_u64(z->start, chunk_sectors), z->disks, &by);
	memcpy(slot, z->slot, sizeof(slot));
	for (i = 0; i < z->disks; i++) {
		z->slot[i] = slot[by];
		by = by + 1 < z->disks ? by + 1 : 0;
	}
}

static int raid0_layout_known(const struct mqr_geo *g, struct mqr_why *why)
{
	/* With one member in the second zone, both layouts are the same. */
	if (g->layout != MQR_RAID0_UNSET || g->zones < 2 ||
	    g->zone[1].disks == 1)
		return 0;
	mqr_because(why, "RAID 0 of members that differ in size, but no layout "
			 "is recorded: choose original (written by kernels "
			 "before 3.14) or alternate (3.14 to 5.3)");
	return -EINVAL;
}

static int raid0_sizes(struct mqr_geo *g, const struct mqr_geo_params *p,
		       struct mqr_why *why)
{
	/*
	 * md rounds a member twice: to whole chunks, and for the size of the
	 * array once more by this mask, which cuts off too much if the chunk
	 * isn't a power of two.  The size must be md's all the same.
	 */
	u64 mask = ~((u64)p->chunk_sectors - 1);
	u64 sectors;
	u32 slot;

	for (slot = 0; slot < p->raid_disks; slot++) {
		sectors = whole_chunks(p, slot);
		if (!sectors || sectors > MAX_SECTORS) {
			mqr_because(why,
				    "RAID 0 slot %u has %llu sectors: it must "
				    "be one chunk (%u) to 2^54",
				    slot,
				    (unsigned long long)p->slot_sectors[slot],
				    p->chunk_sectors);
			return -EINVAL;
		}
		g->array_sectors += sectors & mask;
		g->member_sectors = max(g->member_sectors, sectors);
	}
	return 0;
}

static int raid0_init(struct mqr_geo *g, const struct mqr_geo_params *p,
		      struct mqr_why *why)
{
	struct mqr_zone *z = g->zone;
	u64 member = 0;
	u64 start = 0;
	u32 i;
	int err;

	err = raid0_sizes(g, p, why);
	if (err)
		return err;
	do {
		z->start = start;
		z->member_start = member;
		member = zone_fill(z, p);
		start = z->end;
		z++;
	} while (member < g->member_sectors);
	g->zones = (u8)(z - g->zone);
	err = raid0_layout_known(g, why);
	if (err || g->layout != MQR_RAID0_ORIGINAL)
		return err;
	for (i = 1; i < g->zones; i++)
		zone_turn(&g->zone[i], g->chunk_sectors);
	return 0;
}

/* Rows and sizes of all levels but RAID 0, rounded as md does. */
static void rows_init(struct mqr_geo *g, u64 member_sectors)
{
	u64 chunks = member_sectors >> g->chunk_shift;

	if (g->level == 1) {
		g->rows = (member_sectors + MQR_RAID1_ROW_SECTORS - 1) >>
			  g->chunk_shift;
		g->member_sectors = member_sectors;
		g->array_sectors = member_sectors;
		return;
	}
	g->rows = chunks;
	if (g->level == 10) {
		/* The last copies may leave some members without a chunk. */
		g->rows = div_u64(chunks * g->raid_disks, g->roles);
		chunks = div_u64(g->rows * g->roles + g->raid_disks - 1,
				 g->raid_disks);
	}
	g->member_sectors = chunks << g->chunk_shift;
	g->array_sectors = g->rows * g->row_sectors;
}

static void shape_init(struct mqr_geo *g, const struct mqr_geo_params *p)
{
	const struct level *l = level_find(p->level);
	u32 chunk = p->level == 1 ? MQR_RAID1_ROW_SECTORS : p->chunk_sectors;
	u32 disks = p->raid_disks;

	memset(g, 0, sizeof(*g));
	g->level = p->level;
	g->layout = p->layout;
	g->raid_disks = (u8)disks;
	g->mirror = l->mirror;
	g->parities = l->parities;
	g->roles = (u8)(p->level == 10 ? p->layout & NEAR_MASK : disks);
	g->data_roles = l->mirror ? 1 : (u8)(disks - l->parities);
	g->tolerance = l->mirror ? (u8)(g->roles - 1) : l->parities;
	g->chunk_sectors = chunk;
	if (!(chunk & (chunk - 1)))
		g->chunk_shift = (u8)__ffs64(chunk);
	g->chunk_blocks = chunk / MQR_BLOCK_SECTORS;
	g->row_sectors = g->data_roles * chunk;
}

int mqr_geo_init(struct mqr_geo *g, const struct mqr_geo_params *p,
		 struct mqr_why *why)
{
	int err;

	err = mqr_geo_check(p, why);
	if (err)
		return err;
	shape_init(g, p);
	if (p->level == 0) {
		err = raid0_init(g, p, why);
		if (err)
			return err;
	} else if (p->member_sectors <= MAX_SECTORS) {
		rows_init(g, p->member_sectors);
	}
	if (g->array_sectors && g->array_sectors <= MAX_SECTORS)
		return 0;
	mqr_because(why,
		    "%s of %u members with %llu sectors each: the array must "
		    "have one chunk up to 2^54 sectors",
		    mqr_level_name(p->level), p->raid_disks,
		    (unsigned long long)(p->level ? p->member_sectors
						  : g->member_sectors));
	return -EINVAL;
}

struct mqr_loc mqr_geo_raid0(const struct mqr_geo *g, u64 sector)
{
	const struct mqr_zone *z = g->zone;
	struct mqr_loc loc;
	u64 chunk;
	u32 offset;
	u32 i;

	while (sector >= z->end)
		z++;
	if (z->disks == 1) {
		loc.slot = z->slot[0];
		loc.sector = z->member_start + (sector - z->start);
		loc.sectors = (u32)min(z->end - sector, (u64)~0u);
		return loc;
	}
	if (g->chunk_shift) {
		chunk = (sector - z->start) >> g->chunk_shift;
		offset = (u32)sector & (g->chunk_sectors - 1);
	} else {
		chunk = div_u64_rem(sector - z->start, g->chunk_sectors,
				    &offset);
	}
	chunk = div_u64_rem(chunk, z->disks, &i);
	loc.slot = z->slot[i];
	loc.sector = z->member_start + chunk * g->chunk_sectors + offset;
	loc.sectors = g->chunk_sectors - offset;
	return loc;
}

struct mqr_pos mqr_geo_pos(const struct mqr_geo *g, u64 sector)
{
	struct mqr_pos pos = {
		.row = sector >> g->chunk_shift,
		.offset = (u32)sector & (g->chunk_sectors - 1),
	};

	if (!g->mirror)
		pos.row = div_u64_rem(pos.row, g->data_roles, &pos.role);
	return pos;
}

u64 mqr_geo_sector(const struct mqr_geo *g, struct mqr_pos pos)
{
	return pos.row * g->row_sectors + ((u64)pos.role << g->chunk_shift) +
	       pos.offset;
}

/* The slot of P; Q, if there is one, follows it (around the end). */
static u32 parity_slot(const struct mqr_geo *g, u64 row)
{
	u32 turn;

	if (g->layout == MQR_PARITY_0)
		return 0;
	if (g->layout == MQR_PARITY_N)
		return g->data_roles;
	div_u64_rem(row, g->raid_disks, &turn);
	if (g->layout == MQR_LEFT_SYMMETRIC || g->layout == MQR_LEFT_ASYMMETRIC)
		return g->raid_disks - 1 - turn;
	return turn;
}

/* Do the data roles begin behind the parities and wrap around? */
static bool layout_wraps(const struct mqr_geo *g)
{
	return g->layout != MQR_LEFT_ASYMMETRIC &&
	       g->layout != MQR_RIGHT_ASYMMETRIC;
}

u8 mqr_geo_slot(const struct mqr_geo *g, u64 row, u32 role)
{
	u32 slot;

	if (g->level == 1)
		return (u8)role;
	if (g->mirror) {
		div_u64_rem(row * g->roles + role, g->raid_disks, &slot);
		return (u8)slot;
	}
	slot = parity_slot(g, row);
	if (role >= g->data_roles)
		slot += role - g->data_roles;
	else if (layout_wraps(g))
		slot += g->parities + role;
	else
		slot = role < slot ? role : role + 1;
	return (u8)(slot < g->raid_disks ? slot : slot - g->raid_disks);
}

int mqr_geo_role(const struct mqr_geo *g, u64 row, u32 slot)
{
	u32 first;
	u32 i;

	if (g->level == 1)
		return (int)slot;
	if (g->mirror)
		div_u64_rem(row * g->roles, g->raid_disks, &first);
	else
		first = parity_slot(g, row);
	i = slot >= first ? slot - first : slot + g->raid_disks - first;
	if (g->mirror)
		return i < g->roles ? (int)i : -1;
	if (i < g->parities)
		return (int)(g->data_roles + i);
	if (layout_wraps(g))
		return (int)(i - g->parities);
	return (int)(slot < first ? slot : slot - 1);
}

u64 mqr_geo_role_sector(const struct mqr_geo *g, u64 row, u32 role)
{
	if (g->level == 10)
		row = div_u64(row * g->roles + role, g->raid_disks);
	return row << g->chunk_shift;
}

u32 mqr_geo_chunk_len(const struct mqr_geo *g, u64 row)
{
	if (g->level == 1 && row == g->rows - 1)
		return (u32)(g->member_sectors - (row << g->chunk_shift));
	return g->chunk_sectors;
}

u64 mqr_geo_rows_before(const struct mqr_geo *g, u64 member_sector)
{
	u64 chunks = member_sector >> g->chunk_shift;

	if (member_sector >= g->member_sectors)
		return g->rows;
	if (g->level == 10)
		chunks = div_u64(chunks * g->raid_disks, g->roles);
	return min(chunks, g->rows);
}

u64 mqr_geo_member_done(const struct mqr_geo *g, u64 row)
{
	if (row >= g->rows)
		return g->member_sectors;
	if (g->level == 10)
		row = div_u64(row * g->roles, g->raid_disks);
	return row << g->chunk_shift;
}

u64 mqr_geo_rows_resynced(const struct mqr_geo *g, u64 resync_offset)
{
	if (g->level != 10)
		return mqr_geo_rows_before(g, resync_offset);
	return min(resync_offset >> g->chunk_shift, g->rows);
}

u64 mqr_geo_resync_done(const struct mqr_geo *g, u64 row)
{
	if (g->level != 10)
		return mqr_geo_member_done(g, row);
	return min(row, g->rows) << g->chunk_shift;
}

/* Copies of a row begin at any slot that is a multiple of @copies, around. */
static bool copies_survive(u32 copies, u32 disks, u64 missing)
{
	u32 first = 0;
	u32 i;

	do {
		for (i = 0; i < copies; i++)
			if (!(missing & BIT_ULL((first + i) % disks)))
				break;
		if (i == copies)
			return false;
		first = (first + copies) % disks;
	} while (first);
	return true;
}

bool mqr_level_survives(int level, u32 layout, u32 raid_disks, u64 missing)
{
	missing &= ~0ULL >> (64 - raid_disks);
	switch (level) {
	case 1:
		return copies_survive(raid_disks, raid_disks, missing);
	case 10:
		return copies_survive(layout & NEAR_MASK, raid_disks, missing);
	default:
		return hweight64(missing) <= level_find(level)->parities;
	}
}

bool mqr_geo_survives(const struct mqr_geo *g, u64 missing)
{
	return mqr_level_survives(g->level, g->layout, g->raid_disks, missing);
}
