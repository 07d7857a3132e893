// SPDX-License-Identifier: GPL-2.0
/* The codec: images of the real mdadm, damage of every kind, and encoding. */
#include "golden.h"

/* Offsets of fields, from md's format. */
enum {
	MAJOR = 4,
	FEATURES = 8,
	PAD0 = 12,
	NAME = 32,
	CTIME = 64,
	LEVEL = 72,
	LAYOUT = 76,
	SIZE = 80,
	CHUNK = 88,
	DISKS = 92,
	BITMAP = 96,
	NEW_LEVEL = 100,
	NEW_OFFSET = 124,
	DATA_OFFSET = 128,
	DATA_SIZE = 136,
	SUPER_OFFSET = 144,
	RECOVERY = 152,
	DEV_NUMBER = 160,
	READS = 164,
	DEVICE_UUID = 168,
	DEVFLAGS = 184,
	BBLOG_SHIFT = 185,
	BBLOG_SIZE = 186,
	BBLOG_OFFSET = 188,
	UTIME = 192,
	EVENTS = 200,
	RESYNC = 208,
	SUM = 216,
	MAX_DEV = 220,
	LBS = 224,
	PAD3 = 228,
	ROLES = 256,
};

struct expected {
	const char *name;
	enum mqr_sb_error err;
	/* part of the reason if not OK */
	const char *word;
	int level;
	u32 layout;
	u32 disks;
	u32 chunk;
	u32 dev_number;
	u16 role;
};

/* clang-format off */
static const struct expected goldens[] = {
	{ "raid0",              0, NULL, 0, 0, 3, 128, 0, 0 },
	{ "raid0-original",     0, NULL, 0, 1, 3, 1024, 0, 0 },
	{ "raid0-alternate",    0, NULL, 0, 2, 3, 1024, 0, 0 },
	{ "raid1",              0, NULL, 1, 0, 2, 0, 0, 0 },
	{ "raid1-bitmap",       0, NULL, 1, 0, 3, 0, 0, 0 },
	{ "raid10",             0, NULL, 10, 0x102, 3, 1024, 0, 0 },
	{ "raid10-n3",          0, NULL, 10, 0x103, 4, 8, 0, 0 },
	{ "raid5-la",           0, NULL, 5, 0, 3, 128, 0, 0 },
	{ "raid5-ra",           0, NULL, 5, 1, 3, 128, 0, 0 },
	{ "raid5-ls",           0, NULL, 5, 2, 3, 128, 0, 0 },
	{ "raid5-rs",           0, NULL, 5, 3, 3, 128, 0, 0 },
	{ "raid5-parity-first", 0, NULL, 5, 4, 3, 128, 0, 0 },
	{ "raid5-parity-last",  0, NULL, 5, 5, 3, 128, 0, 0 },
	{ "raid5-big",          0, NULL, 5, 2, 3, 1024, 0, 0 },
	{ "raid5-4tib",         0, NULL, 5, 2, 3, 1024, 0, 0 },
	{ "raid6-ls",           0, NULL, 6, 2, 5, 32, 0, 0 },
	{ "raid6-rs",           0, NULL, 6, 3, 5, 32, 0, 0 },
	{ "raid6-parity-first", 0, NULL, 6, 4, 5, 32, 0, 0 },
	{ "raid6-parity-last",  0, NULL, 6, 5, 5, 32, 0, 0 },
	{ "raid5-active",       0, NULL, 5, 2, 3, 128, 1, 1 },
	{ "raid5-spare",        0, NULL, 5, 2, 3, 128, 3, MQR_ROLE_SPARE },
	{ "raid5-failed",       0, NULL, 5, 2, 3, 128, 0, 0 },
	{ "raid5-failed-old",   0, NULL, 5, 2, 3, 128, 1, 1 },
	{ "raid5-recovering",   0, NULL, 5, 2, 3, 128, 3, 1 },
	{ "raid5-dirty",        0, NULL, 5, 2, 3, 1024, 0, 0 },
	{ "raid6-la",  MQR_SB_UNSUPPORTED, "left-asymmetric", 6, 0, 5, 32, 0, 0 },
	{ "raid6-ra",  MQR_SB_UNSUPPORTED, "right-asymmetric", 6, 1, 5, 32, 0, 0 },
	{ "raid6-ddf", MQR_SB_UNSUPPORTED, "ddf-zero-restart", 6, 8, 4, 1024, 0, 0 },
	{ "raid10-far", MQR_SB_UNSUPPORTED, "far=2", 10, 0x201, 3, 1024, 0, 0 },
	{ "raid10-offset", MQR_SB_UNSUPPORTED, "offset=2", 10, 0x10201, 3, 1024, 0, 0 },
	{ "raid4",     MQR_SB_UNSUPPORTED, "RAID 4", 4, 0, 3, 1024, 0, 0 },
	{ "linear",    MQR_SB_UNSUPPORTED, "linear", -1, 0, 2, 0, 0, 0 },
	{ "raid5-ppl", MQR_SB_UNSUPPORTED, "partial parity log", 5, 2, 3, 1024, 0, 0 },
	{ "raid5-journal", MQR_SB_UNSUPPORTED, "journal", 5, 2, 3, 1024, 0, MQR_ROLE_JOURNAL },
	{ "raid5-bad-blocks", MQR_SB_UNSUPPORTED, "bad blocks", 5, 2, 3, 128, 1, 1 },
	{ "raid5-reshape", MQR_SB_UNSUPPORTED, "reshape", 5, 2, 4, 128, 0, 0 },
	{ "raid1-replacement", MQR_SB_UNSUPPORTED, "replacement", 1, 0, 2, 0, 2, 0 },
};
/* clang-format on */

static void check_golden(const struct expected *e)
{
	struct mqr_why why = {""};
	struct golden g;
	struct golden again;
	struct mqr_sb sb;
	enum mqr_sb_error err;

	golden_read(&g, e->name);
	err = mqr_sb_decode(&sb, g.image, g.sectors, &why);
	assert_that(err == e->err, "%s: %u (%s)", e->name, err, why.text);
	if (err)
		assert_because(&why, e->word);
	assert_int_equal(sb.level, e->level);
	assert_that(sb.layout == e->layout, "%s: %u", e->name, sb.layout);
	assert_int_equal(sb.raid_disks, e->disks);
	assert_that(sb.chunk_sectors == e->chunk, "%s: %u", e->name,
		    sb.chunk_sectors);
	assert_that(sb.dev_number == e->dev_number, "%s", e->name);
	assert_that(mqr_sb_own_role(&sb) == e->role, "%s", e->name);
	assert_string_equal(sb.set_name, "golden:array");
	assert_string_equal(mqr_sb_short_name(&sb), "array");
	assert_int_equal(sb.super_offset, MQR_SB_SECTOR);
	assert_int_equal(sb.max_dev, 128);
	assert_true(sb.ctime > 1600000000 && sb.ctime <= sb.utime);

	again = g;
	mqr_sb_encode(&sb, again.image);
	assert_memory_equal(again.image, g.image, sizeof(g.image));
}

static void real_superblocks(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(goldens); i++)
		check_golden(&goldens[i]);
}

/* What the names of the files say is really in them. */
static void real_states(void **state)
{
	struct mqr_why why;
	struct golden g;
	struct mqr_sb sb;

	(void)state;
	golden_read(&g, "raid5-recovering");
	mqr_sb_decode(&sb, g.image, g.sectors, &why);
	assert_true(sb.recovery_offset > 0 && sb.recovery_offset < sb.size);
	assert_int_equal(sb.role[1], MQR_ROLE_FAULTY);
	assert_true(mqr_sb_clean(&sb));

	golden_read(&g, "raid5-failed");
	mqr_sb_decode(&sb, g.image, g.sectors, &why);
	assert_int_equal(sb.role[1], MQR_ROLE_FAULTY);
	assert_true(sb.recovery_offset == MQR_ALL_DONE);

	golden_read(&g, "raid5-dirty");
	mqr_sb_decode(&sb, g.image, g.sectors, &why);
	assert_false(mqr_sb_clean(&sb));

	golden_read(&g, "raid1-bitmap");
	mqr_sb_decode(&sb, g.image, g.sectors, &why);
	assert_int_equal(sb.feature_map & 1, 1);
	assert_int_equal(sb.bitmap_offset, 8);
	golden_read(&g, "raid1");
	mqr_sb_decode(&sb, g.image, g.sectors, &why);
	assert_int_equal(sb.feature_map, 0);
}

/* What mqr_sb_decode() promises of a superblock that it calls OK. */
static void check_promises(const struct mqr_sb *sb, u64 sectors)
{
	struct mqr_geo_params p;
	struct mqr_why why;
	u32 i;

	mqr_sb_geometry(sb, &p);
	assert_int_equal(mqr_geo_check(&p, &why), 0);
	assert_true(sb->raid_disks <= MQR_MAX_MEMBERS);
	assert_true(sb->data_offset >= 16 && sb->data_offset <= sectors);
	assert_true(sb->data_size <= sectors - sb->data_offset);
	assert_true(sb->size <= sb->data_size);
	assert_true(sb->max_dev && sb->max_dev <= MQR_SB_MAX_DEV);
	assert_true(sb->dev_number < sb->max_dev);
	for (i = 0; i < sb->max_dev; i++)
		assert_true(sb->role[i] < sb->raid_disks ||
			    sb->role[i] == MQR_ROLE_SPARE ||
			    sb->role[i] == MQR_ROLE_FAULTY);
	assert_int_equal(sb->set_name[32], 0);
}

static void check_any(struct golden *g)
{
	struct mqr_why why = {""};
	struct golden again = *g;
	struct mqr_sb sb;
	enum mqr_sb_error err;

	err = mqr_sb_decode(&sb, g->image, g->sectors, &why);
	if (err)
		assert_true(why.text[0]);
	else
		check_promises(&sb, g->sectors);
	if (err == MQR_SB_OK || err == MQR_SB_UNSUPPORTED) {
		mqr_sb_encode(&sb, again.image);
		assert_memory_equal(again.image, g->image, sizeof(g->image));
	}
}

/* RB-19: every bit flipped, with the old checksum and with a right one. */
static void every_bit_flipped(void **state)
{
	static const char *const names[] = {"raid5-recovering", "raid1-bitmap",
					    "raid0-alternate"};
	struct mqr_why why;
	struct golden g;
	struct mqr_sb sb;
	size_t bit;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		for (bit = 0; bit < 8 * (256 + 2 * 128); bit++) {
			golden_read(&g, names[i]);
			g.image[bit / 8] ^= (u8)(1 << bit % 8);
			assert_int_equal(
				mqr_sb_decode(&sb, g.image, g.sectors, &why),
				bit < 32 ? MQR_SB_NONE : MQR_SB_DAMAGED);
			golden_sum(g.image);
			check_any(&g);
		}
	}
}

static void random_garbage(void **state)
{
	static const u64 values[] = {
		0, 1, 0xff, ~0ULL, 1ULL << 31, 1ULL << 32, 1ULL << 63, 0xfffe};
	u64 seed = 1;
	struct golden g;
	int round;
	int i;

	(void)state;
	for (round = 0; round < 3000; round++) {
		golden_read(
			&g,
			goldens[unit_random(&seed) % ARRAY_SIZE(goldens)].name);
		for (i = unit_random(&seed) % 4; i >= 0; i--)
			golden_put(g.image, 8 + unit_random(&seed) % 260,
				   1 << unit_random(&seed) % 4,
				   values[unit_random(&seed) %
					  ARRAY_SIZE(values)]);
		golden_sum(g.image);
		check_any(&g);
	}
}

struct change {
	size_t at;
	size_t bytes;
	u64 value;
	enum mqr_sb_error err;
	/* part of the reason */
	const char *word;
};

/* Changes to raid5-ls: 3 members of 131072 sectors, data at 2048. */
static const struct change changes[] = {
	/* clang-format off */
	{ MAJOR, 4, 2, MQR_SB_DAMAGED, "major version is 2" },
	{ MAX_DEV, 4, 0, MQR_SB_DAMAGED, "max_dev is 0" },
	{ MAX_DEV, 4, 1921, MQR_SB_DAMAGED, "max_dev is 1921" },
	{ MAX_DEV, 4, 385, MQR_SB_UNSUPPORTED, "max_dev of 385" },
	{ MAX_DEV, 4, 1, MQR_SB_OK, NULL },
	{ MAX_DEV, 4, 3, MQR_SB_OK, NULL },
	{ MAX_DEV, 4, ~0u, MQR_SB_DAMAGED, "max_dev" },
	{ SUPER_OFFSET, 8, 0, MQR_SB_DAMAGED, "at sector 0" },
	{ DATA_OFFSET, 8, 15, MQR_SB_DAMAGED, "data at sector 15" },
	{ DATA_OFFSET, 8, 2049, MQR_SB_DAMAGED, "data at sector 2049" },
	{ DATA_OFFSET, 8, ~0ULL, MQR_SB_DAMAGED, "data at sector" },
	{ DATA_SIZE, 8, 129025, MQR_SB_DAMAGED, "129025 sectors" },
	{ DATA_SIZE, 8, 0, MQR_SB_DAMAGED, "0 sectors" },
	{ DATA_SIZE, 8, ~0ULL - 2047, MQR_SB_DAMAGED, "data at sector" },
	{ SIZE, 8, 129025, MQR_SB_DAMAGED, "size of 129025" },
	{ SIZE, 8, 0, MQR_SB_DAMAGED, "size of 0 sectors: must be a chunk" },
	{ SIZE, 8, 127, MQR_SB_DAMAGED, "a chunk (128)" },
	{ DEV_NUMBER, 4, 128, MQR_SB_DAMAGED, "device number is 128" },
	{ DEV_NUMBER, 4, ~0u, MQR_SB_DAMAGED, "device number" },
	{ DEV_NUMBER, 4, 127, MQR_SB_OK, NULL },
	{ ROLES + 2, 2, 3, MQR_SB_DAMAGED, "role of device 1 is 0x3" },
	{ ROLES + 8, 2, 0xfffd, MQR_SB_DAMAGED, "role of device 4 is 0xfffd" },
	{ ROLES + 254, 2, 0xff00, MQR_SB_DAMAGED, "role of device 127" },
	{ LBS, 4, 512, MQR_SB_OK, NULL },
	{ LBS, 4, 4096, MQR_SB_OK, NULL },
	{ LBS, 4, 65536, MQR_SB_OK, NULL },
	{ LBS, 4, 256, MQR_SB_DAMAGED, "logical block size is 256" },
	{ LBS, 4, 131072, MQR_SB_DAMAGED, "logical block size" },
	{ LBS, 4, 4095, MQR_SB_DAMAGED, "power of two" },
	{ FEATURES, 4, MQR_FEATURE_OWNER, MQR_SB_OK, NULL },
	{ FEATURES, 4, 2, MQR_SB_OK, NULL },
	{ FEATURES, 4, 4, MQR_SB_UNSUPPORTED, "reshape" },
	{ FEATURES, 4, 8, MQR_SB_UNSUPPORTED, "bad blocks" },
	{ FEATURES, 4, 16, MQR_SB_UNSUPPORTED, "replacement" },
	{ FEATURES, 4, 32, MQR_SB_UNSUPPORTED, "backwards" },
	{ FEATURES, 4, 64, MQR_SB_UNSUPPORTED, "data offset" },
	{ FEATURES, 4, 128, MQR_SB_UNSUPPORTED, "guided by the bitmap" },
	{ FEATURES, 4, 256, MQR_SB_UNSUPPORTED, "cluster" },
	{ FEATURES, 4, 512, MQR_SB_UNSUPPORTED, "journal" },
	{ FEATURES, 4, 1024, MQR_SB_UNSUPPORTED, "PPL" },
	{ FEATURES, 4, 2048, MQR_SB_UNSUPPORTED, "multiple" },
	{ FEATURES, 4, 4096, MQR_SB_DAMAGED, "RAID 0 layout on level 5" },
	{ FEATURES, 4, 8192, MQR_SB_UNSUPPORTED, "0x2000" },
	{ FEATURES, 4, 1u << 30, MQR_SB_UNSUPPORTED, "0x40000000" },
	/* Set, but no bitmap has room at offset 0. */
	{ FEATURES, 4, 1, MQR_SB_UNSUPPORTED, "bitmap 0 sectors" },
	{ PAD0, 4, 1 << 8, MQR_SB_UNSUPPORTED, "byte 12" },
	{ PAD3, 1, 1, MQR_SB_UNSUPPORTED, "byte 228" },
	{ ROLES - 1, 1, 1, MQR_SB_UNSUPPORTED, "byte 255" },
	{ BBLOG_OFFSET, 4, 7, MQR_SB_UNSUPPORTED, "bad-block log 7" },
	{ BBLOG_OFFSET, 4, (u32)-8, MQR_SB_UNSUPPORTED, "bad-block log -8" },
	{ BBLOG_OFFSET, 4, 2033, MQR_SB_UNSUPPORTED, "bad-block log 2033" },
	{ BBLOG_OFFSET, 4, 2032, MQR_SB_OK, NULL },
	{ BBLOG_OFFSET, 4, 0x7fffffff, MQR_SB_UNSUPPORTED, "bad-block log" },
	{ LEVEL, 4, 4, MQR_SB_UNSUPPORTED, "RAID 4" },
	{ LEVEL, 4, 6, MQR_SB_UNSUPPORTED, "RAID 6 of 3" },
	{ LEVEL, 4, 7, MQR_SB_UNSUPPORTED, "unknown level (7)" },
	{ LEVEL, 4, (u32)-4, MQR_SB_UNSUPPORTED, "multipath" },
	{ LEVEL, 4, 1, MQR_SB_OK, NULL },
	{ LAYOUT, 4, 6, MQR_SB_UNSUPPORTED, "layout 6" },
	{ DISKS, 4, 65, MQR_SB_UNSUPPORTED, "65 members" },
	{ DISKS, 4, 2, MQR_SB_UNSUPPORTED, "2 members" },
	{ DISKS, 4, ~0u, MQR_SB_UNSUPPORTED, "4294967295 members" },
	{ CHUNK, 4, 0, MQR_SB_UNSUPPORTED, "chunk of 0" },
	{ CHUNK, 4, 100, MQR_SB_UNSUPPORTED, "chunk of 100" },
	{ CHUNK, 4, 4096, MQR_SB_UNSUPPORTED, "chunk of 4096" },
	/* Not looked at, or nothing wrong with any value. */
	{ BITMAP, 4, ~0u, MQR_SB_OK, NULL },
	{ NEW_LEVEL, 8, ~0ULL, MQR_SB_OK, NULL },
	{ NEW_OFFSET, 4, ~0u, MQR_SB_OK, NULL },
	{ RECOVERY, 8, ~0ULL, MQR_SB_OK, NULL },
	{ READS, 4, ~0u, MQR_SB_OK, NULL },
	{ DEVICE_UUID, 8, 0, MQR_SB_OK, NULL },
	{ DEVFLAGS, 1, 0xff, MQR_SB_OK, NULL },
	{ BBLOG_SHIFT, 1, 0xff, MQR_SB_OK, NULL },
	{ BBLOG_SIZE, 2, 0, MQR_SB_OK, NULL },
	{ EVENTS, 8, ~0ULL, MQR_SB_OK, NULL },
	{ RESYNC, 8, 12345, MQR_SB_OK, NULL },
	{ CTIME, 8, ~0ULL, MQR_SB_OK, NULL },
	{ UTIME, 8, ~0ULL, MQR_SB_OK, NULL },
	/* clang-format on */
};

static void one_field_changed(void **state)
{
	struct mqr_why why;
	struct golden g;
	struct mqr_sb sb;
	enum mqr_sb_error err;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		const struct change *c = &changes[i];

		golden_read(&g, "raid5-ls");
		golden_put(g.image, c->at, c->bytes, c->value);
		golden_sum(g.image);
		err = mqr_sb_decode(&sb, g.image, g.sectors, &why);
		assert_that(err == c->err, "row %zu: %u (%s)", i, err,
			    err ? why.text : "");
		if (c->word)
			assert_because(&why, c->word);
		check_any(&g);
	}
}

static void device_too_small(void **state)
{
	struct mqr_why why;
	struct golden g;
	struct mqr_sb sb;

	(void)state;
	golden_read(&g, "raid5-ls");
	assert_int_equal(mqr_sb_decode(&sb, g.image, g.sectors - 1, &why),
			 MQR_SB_DAMAGED);
	assert_because(&why, "end of the device (131071)");
	assert_int_equal(mqr_sb_decode(&sb, g.image, 0, &why), MQR_SB_DAMAGED);
	assert_int_equal(mqr_sb_decode(&sb, g.image, ~0ULL, &why), MQR_SB_OK);
	memset(g.image, 0, sizeof(g.image));
	assert_int_equal(mqr_sb_decode(&sb, g.image, g.sectors, &why),
			 MQR_SB_NONE);
}

static void raid0_layout_bit(void **state)
{
	struct mqr_why why;
	struct golden g;
	struct mqr_sb sb;

	(void)state;
	/* Without the bit, the field doesn't count and isn't touched. */
	golden_read(&g, "raid0-alternate");
	golden_put(g.image, FEATURES, 4, 0);
	golden_sum(g.image);
	assert_int_equal(mqr_sb_decode(&sb, g.image, g.sectors, &why), 0);
	assert_int_equal(sb.layout, MQR_RAID0_UNSET);
	mqr_sb_encode(&sb, g.image);
	assert_int_equal(golden_get(g.image, LAYOUT, 4), 2);
	/* A layout that is set comes with the bit. */
	sb.layout = MQR_RAID0_ORIGINAL;
	mqr_sb_encode(&sb, g.image);
	assert_int_equal(golden_get(g.image, LAYOUT, 4), 1);
	assert_int_equal(golden_get(g.image, FEATURES, 4), 4096);
}

static void recovery_bit(void **state)
{
	struct mqr_why why;
	struct golden g;
	struct mqr_sb sb;

	(void)state;
	/* A position that is set comes with the bit. */
	golden_read(&g, "raid5-ls");
	assert_int_equal(mqr_sb_decode(&sb, g.image, g.sectors, &why), 0);
	assert_true(sb.recovery_offset == MQR_ALL_DONE);
	sb.recovery_offset = 4711;
	mqr_sb_encode(&sb, g.image);
	assert_int_equal(golden_get(g.image, FEATURES, 4), 2);
	assert_int_equal(mqr_sb_decode(&sb, g.image, g.sectors, &why), 0);
	assert_int_equal(sb.recovery_offset, 4711);
	/* md may write that just before it clears the bit. */
	sb.recovery_offset = MQR_ALL_DONE;
	mqr_sb_encode(&sb, g.image);
	assert_int_equal(mqr_sb_decode(&sb, g.image, g.sectors, &why), 0);
	assert_true(sb.recovery_offset == MQR_ALL_DONE);
	sb.feature_map = 0;
	mqr_sb_encode(&sb, g.image);
	assert_int_equal(golden_get(g.image, FEATURES, 4), 0);
}

static void names_and_times(void **state)
{
	struct mqr_why why;
	struct golden g;
	struct mqr_sb sb;

	(void)state;
	golden_read(&g, "raid5-ls");
	/* All 32 bytes in use, no end. */
	memset(g.image + NAME, 'x', 32);
	golden_put(g.image, UTIME, 8, 0xabcdef0000001234ULL);
	golden_sum(g.image);
	assert_int_equal(mqr_sb_decode(&sb, g.image, g.sectors, &why), 0);
	assert_int_equal(strlen(sb.set_name), 32);
	assert_string_equal(mqr_sb_short_name(&sb), sb.set_name);
	assert_int_equal(sb.utime, 0x1234);
	check_any(&g);
	/* Microseconds stay while the seconds do. */
	sb.utime++;
	strcpy(sb.set_name, "host:new");
	mqr_sb_encode(&sb, g.image);
	assert_int_equal(golden_get(g.image, UTIME, 8), 0x1235);
	assert_memory_equal(g.image + NAME, "host:new\0\0\0\0\0\0\0\0", 16);
	assert_int_equal(g.image[NAME + 31], 0);
	/* Bytes behind the end of the name stay, too. */
	g.image[NAME + 20] = 1;
	golden_sum(g.image);
	check_any(&g);
}

/* A new member: all bytes are known, as mdadm would write them. */
static void encode_from_nothing(void **state)
{
	struct mqr_why why;
	struct golden g;
	struct golden fresh = {.sectors = 0};
	struct mqr_sb sb;

	(void)state;
	golden_read(&g, "raid6-ls");
	assert_int_equal(mqr_sb_decode(&sb, g.image, g.sectors, &why), 0);
	mqr_sb_encode(&sb, fresh.image);
	assert_memory_equal(fresh.image, g.image, sizeof(g.image));

	sb.feature_map |= MQR_FEATURE_OWNER;
	sb.logical_block_size = 4096;
	mqr_sb_encode(&sb, fresh.image);
	memset(&sb, 0xff, sizeof(sb));
	assert_int_equal(mqr_sb_decode(&sb, fresh.image, g.sectors, &why), 0);
	assert_int_equal(sb.feature_map, MQR_FEATURE_OWNER);
	assert_int_equal(sb.logical_block_size, 4096);
}

static void geometry_of_mirrors(void **state)
{
	struct mqr_geo_params p;
	struct mqr_sb sb = {
		.level = 1,
		.layout = 2,
		.chunk_sectors = 128,
		.raid_disks = 2,
		.size = 1000,
	};

	(void)state;
	mqr_sb_geometry(&sb, &p);
	assert_int_equal(p.layout, 0);
	assert_int_equal(p.chunk_sectors, 0);
	assert_int_equal(p.member_sectors, 1000);
	sb.max_dev = 1;
	sb.dev_number = 1;
	assert_int_equal(mqr_sb_own_role(&sb), MQR_ROLE_SPARE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_superblocks),
		cmocka_unit_test(real_states),
		cmocka_unit_test(every_bit_flipped),
		cmocka_unit_test(random_garbage),
		cmocka_unit_test(one_field_changed),
		cmocka_unit_test(device_too_small),
		cmocka_unit_test(raid0_layout_bit),
		cmocka_unit_test(recovery_bit),
		cmocka_unit_test(names_and_times),
		cmocka_unit_test(encode_from_nothing),
		cmocka_unit_test(geometry_of_mirrors),
	};

	return cmocka_run_group_tests_name("superblock", tests, NULL, NULL);
}
