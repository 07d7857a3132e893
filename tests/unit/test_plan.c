// SPDX-License-Identifier: GPL-2.0
/* Column plans: all of them for small arrays, and some to read. */
#include "unit.h"

#include "plan_model.h"

static struct mqr_geo *geo_of(int level, u32 disks)
{
	static struct mqr_geo g;
	struct mqr_geo_params p = {
		.level = level,
		.layout = level == 1 ? 0 : MQR_LEFT_SYMMETRIC,
		.raid_disks = disks,
		.chunk_sectors = level == 1 ? 0 : 128,
		.member_sectors = 1 << 20,
	};
	struct mqr_why why;

	assert_int_equal(mqr_geo_init(&g, &p, &why), 0);
	plan_model_init(&g);
	return &g;
}

static void check(const struct mqr_geo *g, const struct mqr_col_in *in)
{
	struct mqr_col_plan plan = mqr_plan_column(g, in);
	const char *wrong = plan_model_check(g, in, &plan);

	if (!wrong)
		return;
	plan_model_print(in, &plan);
	fail_msg("%s of %u: %s", mqr_level_name(g->level), g->raid_disks,
		 wrong);
}

/* All that can be wanted, written, healed and trusted with @missing. */
static void check_missing(const struct mqr_geo *g, u64 missing)
{
	struct mqr_col_in in = {.missing = missing};
	u64 roles = BIT_ULL(g->data_roles);
	int trusted;

	for (in.full = 0; in.full < roles; in.full++) {
		for (in.part = 0; in.part < roles; in.part++) {
			if (in.full & in.part)
				continue;
			for (in.want = 0; in.want < roles; in.want++) {
				in.heal = missing;
				for (;;) {
					for (trusted = 0; trusted < 2;
					     trusted++) {
						in.trusted = trusted;
						check(g, &in);
					}
					if (!in.heal)
						break;
					in.heal = (in.heal - 1) & missing;
				}
			}
		}
	}
}

/* Everything that the array must survive. */
static void check_survivable(int level, u32 disks)
{
	const struct mqr_geo *g = geo_of(level, disks);
	u64 missing;

	for (missing = 0; missing < BIT_ULL(disks); missing++)
		if (hweight64(missing) <= g->tolerance)
			check_missing(g, missing);
}

static void raid5(void **state)
{
	u32 disks;

	(void)state;
	for (disks = 3; disks <= 5; disks++)
		check_survivable(5, disks);
}

static void raid6(void **state)
{
	u32 disks;

	(void)state;
	for (disks = 4; disks <= 6; disks++)
		check_survivable(6, disks);
}

static void mirrors(void **state)
{
	const struct mqr_geo *g;
	u64 missing;
	u32 disks;

	(void)state;
	for (disks = 1; disks <= 4; disks++) {
		g = geo_of(1, disks);
		for (missing = 0; missing < BIT_ULL(disks); missing++)
			check_missing(g, missing);
	}
}

/* More is missing than an array survives: blocks may be unreadable, too. */
static void too_much_missing(void **state)
{
	const struct mqr_geo *g;
	u64 missing;
	u32 disks;

	(void)state;
	for (disks = 3; disks <= 5; disks++) {
		g = geo_of(5, disks);
		for (missing = 0; missing < BIT_ULL(disks); missing++)
			if (hweight64(missing) > 1)
				check_missing(g, missing);
	}
	for (disks = 4; disks <= 5; disks++) {
		g = geo_of(6, disks);
		for (missing = 0; missing < BIT_ULL(disks); missing++)
			if (hweight64(missing) > 2)
				check_missing(g, missing);
	}
}

static void larger_arrays(void **state)
{
	const struct mqr_geo *g;
	struct mqr_col_in in;
	u64 seed = 7;
	u64 data;
	int round;
	int kind;

	(void)state;
	for (kind = 0; kind < 4; kind++) {
		g = geo_of(kind & 1 ? 6 : 5, kind & 2 ? 8 : 7);
		data = unit_mask(g->data_roles);
		for (round = 0; round < 15000; round++) {
			in.full = unit_random(&seed) & data;
			in.part = unit_random(&seed) & data & ~in.full;
			in.want =
				unit_random(&seed) & unit_random(&seed) & data;
			in.missing = unit_random(&seed) & unit_random(&seed) &
				     unit_mask(g->roles);
			in.heal = unit_random(&seed) & in.missing;
			in.trusted = unit_random(&seed) % 4;
			check(g, &in);
		}
	}
}

/* With the most members there are, no bit may fall off the end. */
static void widest_arrays(void **state)
{
	struct mqr_col_plan plan;
	struct mqr_col_in in = {.trusted = true};
	struct mqr_geo *g = geo_of(1, 1);
	struct mqr_geo_params p = {6, 2, 64, 8, 1 << 20, {}};
	struct mqr_why why;
	u64 data = unit_mask(62);

	(void)state;
	assert_int_equal(mqr_geo_init(g, &p, &why), 0);
	in.full = data;
	plan = mqr_plan_column(g, &in);
	assert_true(!plan.read && plan.write == ~0ULL);
	in.full = 1ULL << 61;
	plan = mqr_plan_column(g, &in);
	assert_true(plan.read == 7ULL << 61 && plan.write == 7ULL << 61);
	assert_int_equal(plan.calc, MQR_CALC_DELTA);
	in.full = 0;
	in.want = 1ULL << 61;
	in.missing = 3ULL << 60;
	plan = mqr_plan_column(g, &in);
	assert_true(plan.read == ~(3ULL << 60));
	assert_true(plan.using == 3ULL << 62 && plan.decode == in.missing);

	p = (struct mqr_geo_params){1, 0, 64, 0, 1 << 20, {}};
	assert_int_equal(mqr_geo_init(g, &p, &why), 0);
	in = (struct mqr_col_in){.full = 1, .missing = 1, .trusted = true};
	plan = mqr_plan_column(g, &in);
	assert_true(!plan.read && plan.write == ~1ULL);
}

struct example {
	const char *name;
	struct mqr_col_in in;
	struct mqr_col_plan plan;
};

#define P 0x10
#define Q 0x20

/* RAID 6 of 6, data roles 0 to 3. */
static const struct example examples[] = {
	/* clang-format off */
	{ "one block, tie: reconstruct",
	  { .full = 1, .trusted = true },
	  { .read = 0xe, .write = 1 | P | Q, .calc = MQR_CALC_GEN } },
	{ "part of a block, read-modify-write",
	  { .part = 1, .trusted = true },
	  { .read = 1 | P | Q, .write = 1 | P | Q, .calc = MQR_CALC_DELTA } },
	{ "the row isn't in sync",
	  { .part = 1 },
	  { .read = 0xf, .write = 1 | P | Q, .calc = MQR_CALC_GEN } },
	{ "whole row", { .full = 0xf, .trusted = true },
	  { .write = 0xf | P | Q, .calc = MQR_CALC_GEN } },
	{ "degraded read takes P only",
	  { .want = 1, .missing = 1, .trusted = true },
	  { .read = 0xe | P, .decode = 1, .using = P } },
	{ "degraded read, P missing too",
	  { .want = 1, .missing = 1 | P, .trusted = true },
	  { .read = 0xe | Q, .decode = 1, .using = Q } },
	{ "lost block overwritten: its old content isn't needed",
	  { .full = 1, .missing = 1, .trusted = true },
	  { .read = 0xe, .write = P | Q, .calc = MQR_CALC_GEN } },
	{ "lost block not written: it isn't part of the delta",
	  { .full = 2, .missing = 1, .trusted = true },
	  { .read = 2 | P | Q, .write = 2 | P | Q, .calc = MQR_CALC_DELTA } },
	{ "lost block partly written: decode",
	  { .part = 1, .missing = 1, .trusted = true },
	  { .read = 0xe | P, .decode = 1, .using = P, .write = P | Q,
	    .calc = MQR_CALC_GEN } },
	{ "both parities gone: nothing to keep up",
	  { .full = 1, .missing = P | Q, .trusted = true },
	  { .write = 1 } },
	{ "rebuild of data",
	  { .missing = 1, .heal = 1, .trusted = true },
	  { .read = 0xe | P, .decode = 1, .using = P, .write = 1 } },
	{ "rebuild of Q", { .missing = Q, .heal = Q, .trusted = true },
	  { .read = 0xf, .write = Q, .calc = MQR_CALC_GEN } },
	{ "resync", { .missing = P | Q, .heal = P | Q },
	  { .read = 0xf, .write = P | Q, .calc = MQR_CALC_GEN } },
	{ "old parity isn't used", { .want = 1, .missing = 1 },
	  { .lost = true } },
	{ "three gone", { .want = 1, .missing = 7, .trusted = true },
	  { .lost = true } },
	{ "three gone, but not what is wanted",
	  { .want = 8, .missing = 7, .trusted = true },
	  { .read = 8 } },
	/* clang-format on */
};

static void to_read(void **state)
{
	const struct mqr_geo *g = geo_of(6, 6);
	struct mqr_col_plan plan;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(examples); i++) {
		const struct example *e = &examples[i];

		plan = mqr_plan_column(g, &e->in);
		if (plan.lost == e->plan.lost &&
		    (plan.lost || (plan.read == e->plan.read &&
				   plan.decode == e->plan.decode &&
				   plan.using == e->plan.using &&
				   plan.write == e->plan.write &&
				   plan.calc == e->plan.calc)))
			continue;
		plan_model_print(&e->in, &plan);
		fail_msg("%s", e->name);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(to_read),
		cmocka_unit_test(mirrors),
		cmocka_unit_test(raid5),
		cmocka_unit_test(raid6),
		cmocka_unit_test(too_much_missing),
		cmocka_unit_test(larger_arrays),
		cmocka_unit_test(widest_arrays),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
