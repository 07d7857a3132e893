// SPDX-License-Identifier: GPL-2.0
/*
 * Geometry of the levels that have rows, against models that are built up
 * chunk by chunk.  RAID 0 is in test_raid0.c, what is refused in
 * test_geo_refused.c.
 */
#include "unit.h"

#include "core/geometry.h"

#define P_CHUNK (-1)
#define Q_CHUNK (-2)
#define MAX_DISKS 16

/* What the slots of a row hold: data chunk of the row, P or Q. */
struct table {
	int chunk[MAX_DISKS][MAX_DISKS];
};

static struct mqr_geo *init(const struct mqr_geo_params *p)
{
	struct mqr_geo *g = malloc(sizeof(*g));
	struct mqr_why why = {""};

	if (mqr_geo_init(g, p, &why))
		fail_msg("%s", why.text);
	return g;
}

static struct mqr_geo *init_of(int level, u32 layout, u32 disks, u32 chunk,
			       u64 member)
{
	struct mqr_geo_params p = {
		.level = level,
		.layout = layout,
		.raid_disks = disks,
		.chunk_sectors = chunk,
		.member_sectors = member,
	};

	return init(&p);
}

/*
 * A cycle of rows.  "Left": parity begins on the last member and moves down,
 * "right": on the first and up.  Q comes behind P.  "Asymmetric": data fill
 * the remaining slots from the first on, "symmetric": from behind the
 * parities on and around.
 */
static void table_make(struct table *t, u32 layout, int disks, int parities)
{
	bool left =
		layout == MQR_LEFT_ASYMMETRIC || layout == MQR_LEFT_SYMMETRIC;
	bool around =
		layout != MQR_LEFT_ASYMMETRIC && layout != MQR_RIGHT_ASYMMETRIC;
	int p = left ? disks - 1 : 0;
	int data;
	int slot;
	int row;
	int i;

	if (layout == MQR_PARITY_N)
		p = disks - parities;
	for (row = 0; row < disks; row++) {
		for (slot = 0; slot < disks; slot++)
			t->chunk[row][slot] = 0;
		t->chunk[row][p] = P_CHUNK;
		if (parities == 2)
			t->chunk[row][(p + 1) % disks] = Q_CHUNK;
		data = 0;
		for (i = 0; i < disks; i++) {
			slot = around ? (p + parities + i) % disks : i;
			if (t->chunk[row][slot] >= 0)
				t->chunk[row][slot] = data++;
		}
		if (layout < MQR_PARITY_0)
			p = (p + (left ? disks - 1 : 1)) % disks;
	}
}

static void check_row(const struct mqr_geo *g, const struct table *t, u64 row)
{
	int cycle = (int)(row % g->raid_disks);
	u32 slot;
	int role;

	for (slot = 0; slot < g->raid_disks; slot++) {
		role = t->chunk[cycle][slot];
		if (role < 0)
			role = g->data_roles - role - 1;
		assert_int_equal(mqr_geo_slot(g, row, (u32)role), slot);
		assert_int_equal(mqr_geo_role(g, row, slot), role);
		assert_true(mqr_geo_role_sector(g, row, (u32)role) ==
			    row * g->chunk_sectors);
	}
}

/* The rows of a parity array at and around row @from. */
static void check_rows(const struct mqr_geo *g, const struct table *t, u64 from)
{
	u64 row = from > 20 ? from - 20 : 0;
	u64 end = min(from + 20, g->rows);
	struct mqr_pos pos;
	u64 sector;
	u32 role;

	for (; row < end; row++) {
		check_row(g, t, row);
		for (role = 0; role < g->data_roles; role++) {
			sector =
				(row * g->data_roles + role) * g->chunk_sectors;
			pos = mqr_geo_pos(g, sector + g->chunk_sectors - 1);
			assert_true(pos.row == row);
			assert_int_equal(pos.role, role);
			assert_int_equal(pos.offset, g->chunk_sectors - 1);
			assert_true(mqr_geo_sector(g, pos) ==
				    sector + g->chunk_sectors - 1);
			pos = mqr_geo_pos(g, sector);
			assert_true(pos.row == row && pos.role == role &&
				    !pos.offset);
			assert_true(mqr_geo_sector(g, pos) == sector);
		}
	}
}

/* Rows at both ends, and where 32-bit arithmetic would go wrong. */
static void check_everywhere(const struct mqr_geo *g, const struct table *t)
{
	static const u64 bounds[] = {1ULL << 31, 1ULL << 32, 1ULL << 35,
				     1ULL << 41};
	size_t i;

	check_rows(g, t, 0);
	check_rows(g, t, g->rows - 1);
	for (i = 0; i < ARRAY_SIZE(bounds); i++) {
		/* of the array, of a member, of the rows */
		if (bounds[i] < g->array_sectors)
			check_rows(g, t, bounds[i] / g->row_sectors);
		if (bounds[i] < g->member_sectors)
			check_rows(g, t, bounds[i] / g->chunk_sectors);
		if (bounds[i] < g->rows)
			check_rows(g, t, bounds[i]);
	}
}

static void parity_layouts(int level, u32 first, u32 last)
{
	static const u64 sizes[] = {5000, 1ULL << 32, 36507222016ULL,
				    (1ULL << 43) + 4097};
	static const u32 chunks[] = {8, 128, 1024, 2048};
	int parities = level - 4;
	struct table t;
	struct mqr_geo *g;
	u32 layout;
	u32 disks;
	size_t c;
	size_t s;

	for (layout = first; layout <= last; layout++) {
		for (disks = (u32)level - 2; disks <= MAX_DISKS; disks++) {
			table_make(&t, layout, (int)disks, parities);
			for (c = 0; c < ARRAY_SIZE(chunks); c++) {
				for (s = 0; s < ARRAY_SIZE(sizes); s++) {
					g = init_of(level, layout, disks,
						    chunks[c], sizes[s]);
					check_everywhere(g, &t);
					free(g);
				}
			}
		}
	}
}

static void raid5_layouts(void **state)
{
	(void)state;
	parity_layouts(5, MQR_LEFT_ASYMMETRIC, MQR_PARITY_N);
}

static void raid6_layouts(void **state)
{
	(void)state;
	parity_layouts(6, MQR_LEFT_SYMMETRIC, MQR_PARITY_N);
}

/*
 * md counts the data of its syndrome from the slot behind Q on and around.
 * That this is the order of data roles makes 2^role the coefficient in Q.
 */
static bool syndrome_in_order(const struct table *t, int disks)
{
	bool in_order = true;
	int slot;
	int next;
	int row;
	int q;
	int i;

	for (row = 0; row < disks; row++) {
		for (q = 0; t->chunk[row][q] != Q_CHUNK;)
			q++;
		next = 0;
		for (i = 1; i < disks; i++) {
			slot = (q + i) % disks;
			if (t->chunk[row][slot] >= 0)
				in_order &= t->chunk[row][slot] == next++;
		}
	}
	return in_order;
}

static void raid6_syndrome_order(void **state)
{
	struct table t;
	u32 layout;
	int disks;

	(void)state;
	for (layout = 0; layout <= MQR_PARITY_N; layout++) {
		for (disks = 4; disks <= MAX_DISKS; disks++) {
			table_make(&t, layout, disks, 2);
			/* The others are refused for that. */
			assert_int_equal(syndrome_in_order(&t, disks),
					 layout >= MQR_LEFT_SYMMETRIC);
		}
	}
}

/* A few that a reader can check by hand. */
static void by_hand(void **state)
{
	static const struct {
		const char *name;
		int level;
		u32 layout;
		u32 disks;
		u64 sector;
		/* slot and sector of the data, slot of P */
		u32 slot;
		u64 member;
		u32 parity;
	} rows[] = {
		/* clang-format off */
		{ "r5 parity last",  5, MQR_LEFT_SYMMETRIC,   3,    0, 0,   0, 2 },
		{ "r5 next member",  5, MQR_LEFT_SYMMETRIC,   3,  128, 1,   0, 2 },
		{ "r5 rotates",      5, MQR_LEFT_SYMMETRIC,   3,  256, 2, 128, 1 },
		{ "r5 wraps",        5, MQR_LEFT_SYMMETRIC,   3,  390, 0, 134, 1 },
		{ "r5 la",           5, MQR_LEFT_ASYMMETRIC,  3,  256, 0, 128, 1 },
		{ "r5 ra",           5, MQR_RIGHT_ASYMMETRIC, 3,    0, 1,   0, 0 },
		{ "r5 rs",           5, MQR_RIGHT_SYMMETRIC,  3,  256, 2, 128, 1 },
		{ "r5 parity first", 5, MQR_PARITY_0,         3,  512, 1, 256, 0 },
		{ "r5 parity N",     5, MQR_PARITY_N,         3,  512, 0, 256, 2 },
		{ "r6 q wraps",      6, MQR_LEFT_SYMMETRIC,   4,    0, 1,   0, 3 },
		{ "r6 row 1",        6, MQR_LEFT_SYMMETRIC,   4,  256, 0, 128, 2 },
		{ "r6 row 2",        6, MQR_LEFT_SYMMETRIC,   4,  640, 0, 256, 1 },
		/* clang-format on */
	};
	struct mqr_geo *g;
	struct mqr_pos pos;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		g = init_of(rows[i].level, rows[i].layout, rows[i].disks, 128,
			    1 << 20);
		pos = mqr_geo_pos(g, rows[i].sector);
		assert_that(mqr_geo_slot(g, pos.row, pos.role) == rows[i].slot,
			    "%s", rows[i].name);
		assert_that(mqr_geo_role_sector(g, pos.row, pos.role) +
					    pos.offset ==
				    rows[i].member,
			    "%s", rows[i].name);
		assert_that(mqr_geo_slot(g, pos.row, g->data_roles) ==
				    rows[i].parity,
			    "%s", rows[i].name);
		free(g);
	}
}

/* RAID 10: lay down the copies one after the other, around the members. */
static void raid10_near(void **state)
{
	struct mqr_geo *g;
	struct mqr_pos pos;
	u64 place;
	u64 rows;
	u64 row;
	u32 disks;
	u32 slot;
	u32 near;
	u32 copy;

	(void)state;
	for (disks = 2; disks <= 9; disks++) {
		for (near = 2; near <= disks; near++) {
			g = init_of(10, near | 1 << 8, disks, 8, 8 * 101 + 3);
			rows = 101 * disks / near;
			assert_true(g->rows == rows);
			assert_true(g->array_sectors == rows * 8);
			assert_int_equal(g->tolerance, near - 1);
			place = 0;
			for (row = 0; row < rows; row++) {
				for (slot = 0; slot < disks; slot++)
					if ((slot + disks - place % disks) %
						    disks >=
					    near)
						assert_int_equal(
							mqr_geo_role(g, row,
								     slot),
							-1);
				for (copy = 0; copy < near; copy++) {
					slot = (u32)(place % disks);
					assert_int_equal(mqr_geo_slot(g, row,
								      copy),
							 slot);
					assert_int_equal(mqr_geo_role(g, row,
								      slot),
							 copy);
					assert_true(mqr_geo_role_sector(g, row,
									copy) ==
						    place / disks * 8);
					place++;
				}
				pos = mqr_geo_pos(g, row * 8 + 5);
				assert_true(pos.row == row && !pos.role &&
					    pos.offset == 5);
				assert_true(mqr_geo_sector(g, pos) ==
					    row * 8 + 5);
			}
			assert_true(g->member_sectors ==
				    (place + disks - 1) / disks * 8);
			free(g);
		}
	}
}

static void raid10_large(void **state)
{
	static const u64 bounds[] = {1ULL << 31, 1ULL << 32, 1ULL << 35,
				     1ULL << 44};
	struct mqr_geo *g;
	struct mqr_pos pos;
	u64 chunk;
	size_t i;
	u32 copy;

	(void)state;
	g = init_of(10, 3 | 1 << 8, 7, 8, 1ULL << 47);
	for (i = 0; i < ARRAY_SIZE(bounds); i++) {
		pos = mqr_geo_pos(g, bounds[i] + 9);
		assert_true(pos.row == (bounds[i] >> 3) + 1);
		assert_int_equal(pos.offset, 1);
		assert_true(mqr_geo_sector(g, pos) == bounds[i] + 9);
		for (copy = 0; copy < 3; copy++) {
			chunk = 3 * pos.row + copy;
			assert_int_equal(mqr_geo_slot(g, pos.row, copy),
					 chunk % 7);
			assert_true(mqr_geo_role_sector(g, pos.row, copy) ==
				    chunk / 7 * 8);
		}
	}
	free(g);
}

static void raid1_rows(void **state)
{
	struct mqr_geo *g = init_of(1, 0, 3, 0, 1001);
	u64 sector;
	struct mqr_pos pos;

	(void)state;
	assert_true(g->rows == 4);
	assert_true(g->array_sectors == 1001 && g->member_sectors == 1001);
	assert_int_equal(g->tolerance, 2);
	assert_int_equal(mqr_geo_chunk_len(g, 2), 256);
	assert_int_equal(mqr_geo_chunk_len(g, 3), 1001 - 3 * 256);
	for (sector = 0; sector < 1001; sector++) {
		pos = mqr_geo_pos(g, sector);
		assert_true(pos.row == sector / 256 && !pos.role);
		assert_int_equal(pos.offset, sector % 256);
		assert_true(mqr_geo_sector(g, pos) == sector);
		assert_true(mqr_geo_role_sector(g, pos.row, 2) ==
			    pos.row * 256);
	}
	assert_int_equal(mqr_geo_slot(g, 3, 2), 2);
	assert_int_equal(mqr_geo_role(g, 3, 1), 1);
	free(g);

	g = init_of(1, 0, 1, 0, 1);
	assert_true(g->rows == 1 && mqr_geo_chunk_len(g, 0) == 1);
	assert_int_equal(g->tolerance, 0);
	free(g);
	g = init_of(1, 0, 64, 0, (1ULL << 35) + 1);
	assert_true(g->rows == (1ULL << 27) + 1);
	assert_int_equal(mqr_geo_chunk_len(g, 1ULL << 27), 1);
	free(g);
}

/* Every sector of the members is used once, but for the rounded-off end. */
static void nothing_is_shared(void **state)
{
	static const struct mqr_geo_params all[] = {
		{1, 0, 3, 0, 999, {}},	       {5, 2, 4, 8, 8 * 37, {}},
		{5, 0, 5, 16, 16 * 37, {}},    {6, 2, 6, 8, 8 * 37, {}},
		{6, 4, 4, 8, 8 * 37, {}},      {10, 0x102, 5, 8, 8 * 37, {}},
		{10, 0x103, 4, 8, 8 * 37, {}},
	};
	static u8 used[8][1024];
	struct mqr_geo *g;
	u64 count;
	u64 place;
	u64 row;
	u32 role;
	u32 i;
	size_t n;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(all); n++) {
		g = init(&all[n]);
		memset(used, 0, sizeof(used));
		count = 0;
		for (row = 0; row < g->rows; row++) {
			for (role = 0; role < g->roles; role++) {
				place = mqr_geo_role_sector(g, row, role);
				for (i = 0; i < mqr_geo_chunk_len(g, row); i++)
					count += !used[mqr_geo_slot(
						g, row, role)][place + i]++;
				assert_true(place + i <= g->member_sectors);
			}
		}
		assert_true(count ==
			    g->array_sectors / g->data_roles * g->roles);
		free(g);
	}
}

/* Recovery positions from what they mean, by looking at all chunks. */
static void check_positions(const struct mqr_geo *g, u64 step)
{
	u64 first_undone;
	u64 sector;
	u64 begin;
	u64 rows;
	u64 row;
	u32 role;

	for (sector = 0; sector <= g->member_sectors; sector += step) {
		rows = mqr_geo_rows_before(g, sector);
		/* The first row with something at or behind @sector. */
		first_undone = g->rows;
		for (row = g->rows; row-- > 0;)
			for (role = 0; role < g->roles; role++)
				if (mqr_geo_role_sector(g, row, role) +
					    mqr_geo_chunk_len(g, row) >
				    sector)
					first_undone = row;
		assert_true(rows == first_undone);
	}
	for (row = 0; row <= g->rows; row++) {
		/* The first sector that a row not done yet uses. */
		begin = g->member_sectors;
		for (rows = row; rows < g->rows; rows++)
			for (role = 0; role < g->roles; role++)
				begin = min(begin,
					    mqr_geo_role_sector(g, rows, role));
		assert_true(mqr_geo_member_done(g, row) == begin);
		assert_true(mqr_geo_rows_before(g, begin) <= row);
		assert_true(mqr_geo_rows_resynced(
				    g, mqr_geo_resync_done(g, row)) == row ||
			    g->level == 10);
	}
	assert_true(mqr_geo_rows_before(g, ~0ULL) == g->rows);
	assert_true(mqr_geo_rows_resynced(g, ~0ULL) == g->rows);
}

static void recovery_positions(void **state)
{
	static const struct mqr_geo_params all[] = {
		{1, 0, 2, 0, 1500, {}},
		{5, 2, 3, 8, 8 * 17 + 5, {}},
		{6, 2, 4, 16, 16 * 13, {}},
		{10, 0x102, 3, 8, 8 * 17, {}},
		{10, 0x102, 4, 8, 8 * 17, {}},
		{10, 0x103, 5, 8, 8 * 16 + 1, {}},
	};
	struct mqr_geo *g;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		g = init(&all[i]);
		check_positions(g, 1);
		free(g);
	}
	/* md counts the resync of RAID 10 in sectors of the array. */
	g = init_of(10, 0x102, 3, 8, 8 * 17);
	assert_true(mqr_geo_rows_resynced(g, 8 * 20 + 7) == 20);
	assert_true(mqr_geo_resync_done(g, 20) == 8 * 20);
	assert_true(mqr_geo_resync_done(g, g->rows) == g->array_sectors);
	free(g);
	g = init_of(6, 2, 8, 1024, 36507222016ULL);
	assert_true(mqr_geo_member_done(g, 1ULL << 22) == 1ULL << 32);
	assert_true(mqr_geo_rows_before(g, (1ULL << 35) - 1) ==
		    (1ULL << 25) - 1);
	free(g);
}

/* Is there a readable copy of, or enough for, every row? */
static bool rows_survive(const struct mqr_geo *g, u64 missing)
{
	u32 lost;
	u64 row;
	u32 role;

	for (row = 0; row < g->rows; row++) {
		lost = 0;
		for (role = 0; role < g->roles; role++)
			lost += missing >> mqr_geo_slot(g, row, role) & 1;
		if (lost > g->roles - (g->mirror ? 1u : g->data_roles))
			return false;
	}
	return true;
}

static void survives(void **state)
{
	static const struct mqr_geo_params all[] = {
		{1, 0, 1, 0, 999, {}},	      {1, 0, 4, 0, 999, {}},
		{5, 2, 5, 8, 8 * 9, {}},      {6, 3, 6, 8, 8 * 9, {}},
		{10, 0x102, 4, 8, 8 * 9, {}}, {10, 0x102, 5, 8, 8 * 9, {}},
		{10, 0x103, 5, 8, 8 * 9, {}}, {10, 0x103, 6, 8, 8 * 9, {}},
		{10, 0x104, 6, 8, 8 * 9, {}}, {10, 0x104, 4, 8, 8 * 9, {}},
	};
	struct mqr_geo *g;
	u64 missing;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		g = init(&all[i]);
		for (missing = 0; missing < 1u << g->raid_disks; missing++) {
			assert_int_equal(mqr_geo_survives(g, missing),
					 rows_survive(g, missing));
			if (hweight64(missing) <= g->tolerance)
				assert_true(mqr_geo_survives(g, missing));
		}
		assert_true(mqr_geo_survives(g, ~unit_mask(g->raid_disks)));
		free(g);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(raid5_layouts),
		cmocka_unit_test(raid6_layouts),
		cmocka_unit_test(raid6_syndrome_order),
		cmocka_unit_test(raid10_near),
		cmocka_unit_test(raid10_large),
		cmocka_unit_test(raid1_rows),
		cmocka_unit_test(nothing_is_shared),
		cmocka_unit_test(recovery_positions),
		cmocka_unit_test(survives),
	};

	return cmocka_run_group_tests_name("geometry", tests, NULL, NULL);
}
