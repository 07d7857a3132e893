// SPDX-License-Identifier: GPL-2.0
/*
 * RAID 0 of members of any sizes, against a model that deals out chunks one
 * by one (RB-12).
 */
#include "unit.h"

#include "core/geometry.h"

#define MAX_CHUNKS 4096

struct chunk {
	u32 slot;
	u64 number;
};

/* Where each chunk of the array is. */
struct model {
	struct chunk chunk[MAX_CHUNKS];
	u32 chunks;
};

/*
 * Go along the members, one chunk of each at a time, leaving out those that
 * have ended.  Among those that are left, the alternate layout deals them
 * out from the first, the original one from where the number of the chunk in
 * the array points.
 */
static void deal(struct model *m, const struct mqr_geo_params *p)
{
	u32 left[MQR_MAX_MEMBERS];
	u64 number = 0;
	u32 count;
	u32 slot;
	u32 begin;
	u32 i;

	m->chunks = 0;
	do {
		count = 0;
		for (slot = 0; slot < p->raid_disks; slot++)
			if (p->slot_sectors[slot] / p->chunk_sectors > number)
				left[count++] = slot;
		begin = m->chunks;
		for (i = 0; i < count; i++) {
			slot = p->layout == MQR_RAID0_ORIGINAL
				       ? left[(begin + i) % count]
				       : left[i];
			assert_true(m->chunks < MAX_CHUNKS);
			m->chunk[m->chunks].slot = slot;
			m->chunk[m->chunks++].number = number;
		}
		number++;
	} while (count);
}

static void check_against_model(const struct mqr_geo_params *p)
{
	static struct model m;
	struct mqr_geo *g = malloc(sizeof(*g));
	struct mqr_why why = {""};
	struct mqr_loc loc;
	u64 size = 0;
	u64 sector;
	u32 offset;
	u64 c;
	u32 i;

	if (mqr_geo_init(g, p, &why))
		fail_msg("%s", why.text);
	deal(&m, p);

	/* The size of the array is the one that md computes. */
	for (i = 0; i < p->raid_disks; i++)
		size += p->slot_sectors[i] / p->chunk_sectors *
				p->chunk_sectors &
			~((u64)p->chunk_sectors - 1);
	assert_true(g->array_sectors == size);
	assert_true(size <= (u64)m.chunks * p->chunk_sectors);

	for (sector = 0; sector < size; sector++) {
		c = sector / p->chunk_sectors;
		offset = (u32)(sector % p->chunk_sectors);
		loc = mqr_geo_raid0(g, sector);
		assert_int_equal(loc.slot, m.chunk[c].slot);
		assert_true(loc.sector ==
			    m.chunk[c].number * p->chunk_sectors + offset);
		assert_true(loc.sectors >= p->chunk_sectors - offset);
		/* A longer run must really be one. */
		for (c++; loc.sectors > p->chunk_sectors - offset; c++) {
			loc.sectors -= p->chunk_sectors;
			assert_true(c < m.chunks);
			assert_int_equal(loc.slot, m.chunk[c].slot);
			assert_true(m.chunk[c].number ==
				    m.chunk[c - 1].number + 1);
		}
	}
	free(g);
}

static const u64 size_sets[][6] = {
	{3, 3, 3, 3, 3, 3},   {1, 1, 1, 1, 1, 1},  {5, 9, 2, 9, 5, 3},
	{1, 2, 3, 4, 5, 6},   {6, 5, 4, 3, 2, 1},  {7, 7, 20, 7, 7, 7},
	{20, 3, 3, 20, 3, 3}, {2, 2, 2, 2, 2, 11},
};

static void every_sector(u32 layout, u32 chunk)
{
	struct mqr_geo_params p = {
		.level = 0, .layout = layout, .chunk_sectors = chunk};
	size_t set;
	u32 i;

	for (set = 0; set < ARRAY_SIZE(size_sets); set++) {
		for (p.raid_disks = 1; p.raid_disks <= 6; p.raid_disks++) {
			/* Sizes that don't end with a chunk. */
			for (i = 0; i < p.raid_disks; i++)
				p.slot_sectors[i] = size_sets[set][i] * chunk +
						    (i * 5 + set) % chunk;
			check_against_model(&p);
		}
	}
}

static void original(void **state)
{
	(void)state;
	every_sector(MQR_RAID0_ORIGINAL, 8);
	every_sector(MQR_RAID0_ORIGINAL, 128);
}

static void alternate(void **state)
{
	(void)state;
	every_sector(MQR_RAID0_ALTERNATE, 8);
	every_sector(MQR_RAID0_ALTERNATE, 128);
}

static void odd_chunks(void **state)
{
	(void)state;
	every_sector(MQR_RAID0_ORIGINAL, 24);
	every_sector(MQR_RAID0_ALTERNATE, 24);
	every_sector(MQR_RAID0_ALTERNATE, 40);
	every_sector(MQR_RAID0_ORIGINAL, 56);
}

static void many_members(void **state)
{
	struct mqr_geo_params p = {
		.level = 0, .raid_disks = 64, .chunk_sectors = 8};
	u32 i;

	(void)state;
	for (p.layout = 1; p.layout <= 2; p.layout++) {
		for (i = 0; i < 64; i++)
			p.slot_sectors[i] = 8 * (1 + i * 37 % 64);
		check_against_model(&p);
	}
}

/* No layout recorded: only where both layouts are the same. */
static void layout_unset(void **state)
{
	struct mqr_geo_params p = {
		.level = 0,
		.layout = MQR_RAID0_UNSET,
		.raid_disks = 3,
		.chunk_sectors = 8,
		.slot_sectors = {80, 87, 82},
	};
	struct mqr_geo *g = malloc(sizeof(*g));
	struct mqr_why why = {""};

	(void)state;
	/* All the same after rounding to the chunk: one zone. */
	check_against_model(&p);
	/* The second zone has one member. */
	p.slot_sectors[1] = 160;
	check_against_model(&p);
	p.slot_sectors[2] = 160;
	assert_int_equal(mqr_geo_init(g, &p, &why), -EINVAL);
	assert_because(&why, "choose original");
	assert_because(&why, "alternate");
	p.layout = MQR_RAID0_ALTERNATE;
	check_against_model(&p);
	free(g);
}

static void too_small(void **state)
{
	struct mqr_geo_params p = {
		.level = 0,
		.raid_disks = 2,
		.chunk_sectors = 128,
		.slot_sectors = {1000, 127},
	};
	struct mqr_geo *g = malloc(sizeof(*g));
	struct mqr_why why = {""};

	(void)state;
	assert_int_equal(mqr_geo_init(g, &p, &why), -EINVAL);
	assert_because(&why, "slot 1 has 127 sectors");
	p.slot_sectors[1] = ~0ULL;
	assert_int_equal(mqr_geo_init(g, &p, &why), -EINVAL);
	p.slot_sectors[1] = 1ULL << 54;
	assert_int_equal(mqr_geo_init(g, &p, &why), -EINVAL);
	assert_because(&why, "2^54");
	free(g);
}

/* 2.1, 3 and 17 TiB: both layouts, in all zones. */
static void beyond_32_bits(void **state)
{
	static const u64 at[] = {1ULL << 31, 1ULL << 32, 13421772801ULL,
				 1ULL << 35, (1ULL << 35) + 1234567};
	struct mqr_geo_params p = {
		.level = 0,
		.raid_disks = 3,
		.chunk_sectors = 1024,
		.slot_sectors = {4509715660ULL, 6442450944ULL, 36507222016ULL},
	};
	struct mqr_geo *g = malloc(sizeof(*g));
	struct mqr_why why = {""};
	struct mqr_loc loc;
	u64 zone1;
	u64 zone2;
	u64 chunk;
	size_t i;
	u32 in;

	(void)state;
	for (p.layout = 1; p.layout <= 2; p.layout++) {
		assert_int_equal(mqr_geo_init(g, &p, &why), 0);
		zone1 = 4509715660ULL / 1024 * 3;
		zone2 = zone1 + (6442450944ULL / 1024 - zone1 / 3) * 2;
		for (i = 0; i < ARRAY_SIZE(at); i++) {
			loc = mqr_geo_raid0(g, at[i]);
			chunk = at[i] / 1024;
			in = (u32)(at[i] % 1024);
			if (chunk < zone1) {
				assert_int_equal(loc.slot, chunk % 3);
				chunk /= 3;
			} else if (chunk < zone2) {
				assert_int_equal(loc.slot,
						 1 + (p.layout == 1
							      ? chunk
							      : chunk - zone1) %
								 2);
				chunk = zone1 / 3 + (chunk - zone1) / 2;
			} else {
				assert_int_equal(loc.slot, 2);
				chunk = 6442450944ULL / 1024 + chunk - zone2;
			}
			assert_true(loc.sector == chunk * 1024 + in);
		}
	}
	free(g);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(original),
		cmocka_unit_test(alternate),
		cmocka_unit_test(odd_chunks),
		cmocka_unit_test(many_members),
		cmocka_unit_test(layout_unset),
		cmocka_unit_test(too_small),
		cmocka_unit_test(beyond_32_bits),
	};

	return cmocka_run_group_tests_name("raid0", tests, NULL, NULL);
}
