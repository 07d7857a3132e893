// SPDX-License-Identifier: GPL-2.0
/* Which devices make up the array: RB-06, RB-18, RB-20 and more. */
#include "unit.h"

#include "core/superblock.h"

#define MAX_CANDS 12

/* A set of superblocks, of which each test changes something. */
struct set {
	struct mqr_sb sb[MAX_CANDS];
	struct mqr_cand cand[MAX_CANDS];
	struct mqr_choice out;
	struct mqr_why why;
	unsigned int n;
};

static struct set *set_make(int level, unsigned int disks)
{
	static struct set s;
	unsigned int i;
	unsigned int j;

	memset(&s, 0, sizeof(s));
	s.n = disks;
	for (i = 0; i < MAX_CANDS; i++) {
		struct mqr_sb *sb = &s.sb[i];

		memset(sb->set_uuid, 0xab, 16);
		memset(sb->device_uuid, (int)i + 1, 16);
		sb->level = level;
		sb->layout = level == 10 ? 0x102 : level == 1 ? 0 : 2;
		sb->size = 1 << 20;
		sb->chunk_sectors = level == 1 ? 0 : 128;
		sb->raid_disks = disks;
		sb->events = 5000;
		sb->recovery_offset = MQR_ALL_DONE;
		sb->resync_offset = MQR_ALL_DONE;
		sb->max_dev = 128;
		sb->dev_number = i;
		for (j = 0; j < sb->max_dev; j++)
			sb->role[j] = (u16)(j < disks ? j : MQR_ROLE_SPARE);
		s.cand[i].sb = sb;
	}
	return &s;
}

/* All superblocks but that of @device say that it has @role. */
static void set_role(struct set *s, unsigned int device, u16 role)
{
	unsigned int i;

	for (i = 0; i < MAX_CANDS; i++)
		if (i != device)
			s->sb[i].role[device] = role;
}

static int choose(struct set *s, u32 flags)
{
	s->why.text[0] = 0;
	return mqr_sb_choose(&s->out, s->cand, s->n, flags, &s->why);
}

/* The result must not depend on the order of the candidates. */
static int choose_any_order(struct set *s, u32 flags)
{
	struct mqr_choice first;
	struct mqr_cand cand[MAX_CANDS];
	unsigned int turn;
	unsigned int i;
	int err = choose(s, flags);

	first = s->out;
	memcpy(cand, s->cand, sizeof(cand));
	for (turn = 1; turn < s->n; turn++) {
		for (i = 0; i < s->n; i++)
			s->cand[i].sb = cand[(i + turn) % s->n].sb;
		assert_int_equal(choose(s, flags), err);
		assert_true(s->out.in_sync == first.in_sync);
		assert_true(s->out.recovering == first.recovering);
		assert_int_equal(s->out.dirty, first.dirty);
		assert_int_equal(s->out.forced, first.forced);
		assert_int_equal(s->out.enough, first.enough);
		assert_int_equal(s->out.complete, first.complete);
		for (i = 0; i < s->n; i++) {
			const struct mqr_cand *c = &cand[(i + turn) % s->n];

			assert_int_equal(s->cand[i].verdict, c->verdict);
			assert_int_equal(s->cand[i].slot, c->slot);
		}
	}
	memcpy(s->cand, cand, sizeof(cand));
	s->out = first;
	return err;
}

static void all_well(void **state)
{
	static const int levels[] = {0, 1, 5, 6, 10};
	struct set *s;
	size_t l;
	unsigned int i;

	(void)state;
	for (l = 0; l < ARRAY_SIZE(levels); l++) {
		s = set_make(levels[l], 4);
		assert_int_equal(choose_any_order(s, 0), 0);
		assert_true(s->out.in_sync == 0xf && !s->out.recovering);
		assert_true(s->out.enough && s->out.complete);
		assert_false(s->out.dirty || s->out.forced);
		for (i = 0; i < 4; i++) {
			assert_int_equal(s->cand[i].verdict, MQR_IN_SYNC);
			assert_int_equal(s->out.cand[i], i);
			assert_int_equal(s->cand[i].slot, i);
		}
		assert_int_equal(s->out.cand[4], -1);
	}
}

/* RB-06: one member lags by some events. */
static void event_gaps(void **state)
{
	static const struct {
		u64 gap;
		/* role of the member in the freshest superblock */
		u16 listed;
		enum mqr_verdict verdict;
	} rows[] = {
		{0, 1, MQR_IN_SYNC},
		{0, MQR_ROLE_FAULTY, MQR_EXPELLED},
		{1, 1, MQR_IN_SYNC},
		{1, MQR_ROLE_FAULTY, MQR_EXPELLED},
		{1, MQR_ROLE_SPARE, MQR_EXPELLED},
		{2, 1, MQR_STALE},
		{2, MQR_ROLE_FAULTY, MQR_EXPELLED},
		{4, 1, MQR_STALE},
		{4, MQR_ROLE_SPARE, MQR_EXPELLED},
		{1000, 1, MQR_STALE},
		{1000, MQR_ROLE_FAULTY, MQR_EXPELLED},
	};
	static const int levels[] = {1, 5, 6, 10};
	struct set *s;
	size_t l;
	size_t i;

	(void)state;
	for (l = 0; l < ARRAY_SIZE(levels); l++) {
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			s = set_make(levels[l], 4);
			s->sb[1].events -= rows[i].gap;
			set_role(s, 1, rows[i].listed);
			assert_int_equal(choose_any_order(s, 0), 0);
			assert_int_equal(s->cand[1].verdict, rows[i].verdict);
			assert_int_equal(s->out.complete,
					 rows[i].verdict == MQR_IN_SYNC);
			assert_int_equal(s->out.cand[1],
					 rows[i].verdict == MQR_IN_SYNC ? 1
									: -1);
			/* Force doesn't take what isn't needed. */
			assert_int_equal(choose_any_order(s, MQR_CHOOSE_FORCE),
					 0);
			assert_int_equal(s->cand[1].verdict, rows[i].verdict);
			assert_false(s->out.forced);
		}
	}
}

/* RB-06: too many are four events behind, listed or not. */
static void force_takes_stale(void **state)
{
	struct set *s = set_make(5, 4);

	(void)state;
	s->sb[1].events -= 4;
	s->sb[2].events -= 5;
	assert_int_equal(choose_any_order(s, 0), -ENODEV);
	assert_because(&s->why, "too few");
	assert_false(s->out.enough);
	assert_int_equal(s->cand[1].verdict, MQR_STALE);

	assert_int_equal(choose_any_order(s, MQR_CHOOSE_FORCE), 0);
	assert_true(s->out.forced && s->out.dirty && s->out.enough);
	assert_false(s->out.complete);
	assert_true(s->out.in_sync == 0xb);
	assert_int_equal(s->cand[1].verdict, MQR_IN_SYNC);
	assert_int_equal(s->cand[2].verdict, MQR_STALE);

	set_role(s, 1, MQR_ROLE_FAULTY);
	set_role(s, 2, MQR_ROLE_FAULTY);
	assert_int_equal(choose_any_order(s, 0), -ENODEV);
	assert_int_equal(s->cand[2].verdict, MQR_EXPELLED);
	assert_int_equal(choose_any_order(s, MQR_CHOOSE_FORCE), 0);
	assert_true(s->out.in_sync == 0xb);
	assert_int_equal(s->cand[2].verdict, MQR_EXPELLED);

	/* What was never complete can't be forced. */
	s->sb[1].recovery_offset = 1000;
	assert_int_equal(choose_any_order(s, MQR_CHOOSE_FORCE), 0);
	assert_true(s->out.in_sync == 0xd);
	s->sb[2].recovery_offset = 1000;
	assert_int_equal(choose_any_order(s, MQR_CHOOSE_FORCE), -ENODEV);
	assert_false(s->out.forced);
}

/* RAID 10: a stale copy of what is there anyway isn't taken. */
static void force_takes_the_fewest(void **state)
{
	struct set *s = set_make(10, 4);

	(void)state;
	/* Pairs 0 1 and 2 3. */
	s->sb[1].events -= 3;
	s->sb[2].events -= 7;
	s->sb[3].events -= 5;
	assert_int_equal(choose_any_order(s, MQR_CHOOSE_FORCE), 0);
	assert_true(s->out.in_sync == 0x9);
	assert_int_equal(s->cand[1].verdict, MQR_STALE);
	assert_int_equal(s->cand[1].slot, -1);
	assert_int_equal(s->cand[3].verdict, MQR_IN_SYNC);

	/* Not enough even so: nobody is taken. */
	s->sb[2].set_uuid[0] ^= 1;
	s->sb[3].set_uuid[0] ^= 1;
	assert_int_equal(choose(s, MQR_CHOOSE_FORCE), -ENODEV);
	assert_int_equal(s->cand[1].verdict, MQR_STALE);
	assert_true(s->out.in_sync == 0x1);
}

static void too_few_members(void **state)
{
	static const struct {
		int level;
		unsigned int members;
		int err;
	} rows[] = {
		{0, 3, -ENODEV}, {0, 4, 0},	   {1, 1, 0},
		{5, 2, -ENODEV}, {5, 3, 0},	   {6, 1, -ENODEV},
		{6, 2, 0},	 {10, 2, -ENODEV}, {10, 3, 0},
	};
	struct set *s;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		s = set_make(rows[i].level, 4);
		s->n = rows[i].members;
		assert_int_equal(choose_any_order(s, 0), rows[i].err);
	}
	s = set_make(5, 3);
	s->n = 0;
	assert_int_equal(choose(s, 0), -ENODEV);
	assert_because(&s->why, "no member");
}

/* RB-20 */
static void clones(void **state)
{
	struct set *s = set_make(1, 2);
	u64 gap;

	(void)state;
	for (gap = 0; gap < 1000; gap += 333) {
		s->n = 3;
		s->sb[2] = s->sb[1];
		s->sb[2].events -= gap;
		assert_int_equal(choose_any_order(s, 0), -EEXIST);
		assert_because(&s->why, "clone");
		assert_int_equal(s->cand[0].verdict, MQR_IN_SYNC);
		assert_int_equal(s->cand[1].verdict, MQR_DUPLICATE);
		assert_int_equal(s->cand[2].verdict, MQR_DUPLICATE);
		assert_true(s->out.in_sync == 1 && s->out.cand[1] == -1);
		assert_int_equal(choose_any_order(s, MQR_CHOOSE_FORCE),
				 -EEXIST);
	}
	/* Copies of all members. */
	s->n = 4;
	s->sb[2] = s->sb[0];
	s->sb[3] = s->sb[1];
	assert_int_equal(choose_any_order(s, MQR_CHOOSE_FORCE), -EEXIST);
	assert_true(!s->out.in_sync && !s->out.enough);
	/* Of another array, the same device UUID is none of our business. */
	s->n = 3;
	s->sb[2] = s->sb[1];
	s->sb[2].set_uuid[3] ^= 1;
	assert_int_equal(choose(s, 0), 0);
	assert_int_equal(s->cand[2].verdict, MQR_FOREIGN);
}

/* A number given to a new device when the old one had left. */
static void slot_claimed_twice(void **state)
{
	struct set *s = set_make(5, 3);

	(void)state;
	s->n = 4;
	s->sb[3].dev_number = 1;
	s->sb[1].events--;
	assert_int_equal(choose_any_order(s, 0), 0);
	assert_int_equal(s->cand[1].verdict, MQR_STALE);
	assert_int_equal(s->cand[3].verdict, MQR_IN_SYNC);
	assert_int_equal(s->out.cand[1], 3);

	s->sb[1].events++;
	assert_int_equal(choose_any_order(s, 0), -EEXIST);
	assert_because(&s->why, "slot 1");
	assert_int_equal(s->cand[1].verdict, MQR_DUPLICATE);
	assert_int_equal(s->cand[3].verdict, MQR_DUPLICATE);
}

/* Of several that left at the same time, none is in the way of the latest. */
static void slot_claimed_by_many(void **state)
{
	struct set *s = set_make(5, 3);
	u32 i;

	(void)state;
	s->n = 5;
	for (i = 3; i < 5; i++) {
		s->sb[i].dev_number = 1;
		s->sb[i].events--;
	}
	assert_int_equal(choose_any_order(s, 0), 0);
	assert_int_equal(s->cand[1].verdict, MQR_IN_SYNC);
	assert_int_equal(s->cand[3].verdict, MQR_STALE);
	assert_int_equal(s->cand[4].verdict, MQR_STALE);

	/* To force one of two equals would be a guess. */
	s->sb[1].events -= 20;
	s->sb[3].events = s->sb[1].events;
	s->sb[4].events = s->sb[1].events;
	s->n = 5;
	s->sb[2].events -= 30;
	assert_int_equal(choose_any_order(s, MQR_CHOOSE_FORCE), -EEXIST);
	assert_because(&s->why, "slot 1");
	assert_int_equal(s->cand[1].verdict, MQR_DUPLICATE);
	assert_int_equal(s->cand[3].verdict, MQR_DUPLICATE);
}

/* Both halves of a mirror ran without the other one. */
static void split_brain(void **state)
{
	struct set *s = set_make(1, 2);

	(void)state;
	s->sb[0].role[1] = MQR_ROLE_FAULTY;
	s->sb[1].role[0] = MQR_ROLE_FAULTY;
	assert_int_equal(choose(s, 0), -EEXIST);
	assert_because(&s->why, "two halves");
	assert_int_equal(choose(s, MQR_CHOOSE_FORCE), -EEXIST);

	/* With different events it is clear who went on. */
	s->sb[1].events++;
	assert_int_equal(choose_any_order(s, 0), 0);
	assert_int_equal(s->cand[0].verdict, MQR_EXPELLED);
	assert_true(s->out.in_sync == 2);

	/* Neither excludes the other, but they exclude different ones. */
	s = set_make(6, 4);
	s->n = 2;
	s->sb[0].role[2] = MQR_ROLE_FAULTY;
	s->sb[1].role[3] = MQR_ROLE_FAULTY;
	assert_int_equal(choose(s, 0), -EEXIST);
	/* Of the same age, but of another shape. */
	s = set_make(5, 3);
	s->sb[1].chunk_sectors = 64;
	assert_int_equal(choose(s, 0), -EEXIST);

	/*
	 * The same count, but one doesn't know yet: md went from dirty (n)
	 * to clean (n - 1), then dropped the other (n again).
	 */
	s = set_make(1, 2);
	s->sb[1].role[0] = MQR_ROLE_FAULTY;
	assert_int_equal(choose_any_order(s, 0), 0);
	assert_int_equal(s->cand[0].verdict, MQR_EXPELLED);
	assert_int_equal(s->cand[1].verdict, MQR_IN_SYNC);
	/* A third one doesn't either, and that changes nothing. */
	s = set_make(5, 3);
	s->sb[2].role[0] = MQR_ROLE_FAULTY;
	assert_int_equal(choose_any_order(s, 0), 0);
	assert_int_equal(s->cand[0].verdict, MQR_EXPELLED);
	assert_int_equal(s->cand[1].verdict, MQR_IN_SYNC);
}

/* The write hole: parity that may be wrong can't stand in for a member. */
static void dirty_and_degraded(void **state)
{
	static const struct {
		int level;
		unsigned int members;
		int err;
	} rows[] = {
		{1, 3, 0},	  {1, 4, 0},  {5, 4, 0},
		{5, 3, -EUCLEAN}, {6, 4, 0},  {6, 3, -EUCLEAN},
		{6, 2, -EUCLEAN}, {10, 4, 0}, {10, 3, 0},
	};
	struct set *s;
	size_t i;
	int j;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		s = set_make(rows[i].level, 4);
		s->n = rows[i].members;
		for (j = 0; j < 4; j++)
			s->sb[j].resync_offset = 0;
		assert_int_equal(choose_any_order(s, 0), rows[i].err);
		assert_true(s->out.dirty);
		if (rows[i].err)
			assert_because(&s->why, "not shut down cleanly");
		assert_int_equal(choose_any_order(s, MQR_CHOOSE_FORCE), 0);
		assert_true(s->out.dirty && !s->out.forced);
	}
	/* The freshest one's word counts. */
	s = set_make(5, 4);
	s->sb[2].resync_offset = 0;
	s->sb[2].events--;
	assert_int_equal(choose_any_order(s, 0), 0);
	assert_false(s->out.dirty);
	/* Of the same age, all must be clean. */
	s->sb[2].events++;
	assert_int_equal(choose_any_order(s, 0), 0);
	assert_true(s->out.dirty);
	/* RAID 0 has nothing to resynchronise. */
	s = set_make(0, 4);
	for (j = 0; j < 4; j++)
		s->sb[j].resync_offset = 0;
	assert_int_equal(choose_any_order(s, 0), 0);
	assert_false(s->out.dirty);
}

static void spares(void **state)
{
	struct set *s = set_make(5, 3);

	(void)state;
	s->n = 5;
	/* Events of spares don't matter, be they old or new. */
	s->sb[3].events = 7;
	s->sb[4].events = 9000;
	assert_int_equal(choose_any_order(s, 0), 0);
	assert_int_equal(s->cand[3].verdict, MQR_SPARE);
	assert_int_equal(s->cand[4].verdict, MQR_SPARE);
	assert_true(s->out.freshest < 3 && s->out.complete);

	/* In a slot, but its own superblock wasn't written any more. */
	s = set_make(5, 3);
	set_role(s, 2, MQR_ROLE_FAULTY);
	set_role(s, 3, 2);
	s->cand[2] = s->cand[3];
	assert_int_equal(choose(s, 0), 0);
	assert_int_equal(s->cand[2].verdict, MQR_SPARE);
	assert_true(s->out.in_sync == 3 && !s->out.recovering);

	/* Only spares: there is nothing to run. */
	s = set_make(5, 3);
	s->cand[0] = s->cand[3];
	s->n = 1;
	assert_int_equal(choose(s, 0), -ENODEV);
}

static void recovering(void **state)
{
	struct set *s = set_make(6, 4);

	(void)state;
	s->sb[1].recovery_offset = 4096;
	assert_int_equal(choose_any_order(s, 0), 0);
	assert_int_equal(s->cand[1].verdict, MQR_RECOVERING);
	assert_int_equal(s->cand[1].slot, 1);
	assert_true(s->out.in_sync == 0xd && s->out.recovering == 0x2);
	assert_int_equal(s->out.cand[1], 1);
	assert_true(s->out.enough && !s->out.complete);

	/* It doesn't count as a member. */
	s = set_make(5, 3);
	s->sb[1].recovery_offset = 4096;
	s->n = 2;
	assert_int_equal(choose_any_order(s, 0), -ENODEV);
	assert_because(&s->why, "recovering ones don't count");

	/* One that missed writes isn't recovering, but stale. */
	s->n = 3;
	s->sb[1].events -= 2;
	assert_int_equal(choose_any_order(s, 0), 0);
	assert_int_equal(s->cand[1].verdict, MQR_STALE);
}

static void foreign(void **state)
{
	struct set *s;
	int i;

	(void)state;
	for (i = 0; i < 6; i++) {
		s = set_make(5, 3);
		s->n = 3;
		switch (i) {
		case 0:
			s->sb[1].level = 6;
			break;
		case 1:
			s->sb[1].layout = 3;
			break;
		case 2:
			s->sb[1].chunk_sectors = 64;
			break;
		case 3:
			s->sb[1].raid_disks = 4;
			break;
		case 4:
			s->sb[1].size--;
			break;
		case 5:
			/* Listed as active, but elsewhere. */
			set_role(s, 1, 2);
			break;
		}
		s->sb[0].events++;
		s->sb[2].events++;
		assert_int_equal(choose(s, 0), 0);
		assert_int_equal(s->cand[1].verdict, MQR_FOREIGN);
	}
}

static void verdict_names(void **state)
{
	int v;

	(void)state;
	for (v = MQR_IN_SYNC; v <= MQR_DUPLICATE; v++)
		assert_string_not_equal(mqr_verdict_name((enum mqr_verdict)v),
					"unknown");
	assert_string_equal(mqr_verdict_name((enum mqr_verdict)99), "unknown");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_well),
		cmocka_unit_test(event_gaps),
		cmocka_unit_test(force_takes_stale),
		cmocka_unit_test(force_takes_the_fewest),
		cmocka_unit_test(too_few_members),
		cmocka_unit_test(clones),
		cmocka_unit_test(slot_claimed_twice),
		cmocka_unit_test(slot_claimed_by_many),
		cmocka_unit_test(split_brain),
		cmocka_unit_test(dirty_and_degraded),
		cmocka_unit_test(spares),
		cmocka_unit_test(recovering),
		cmocka_unit_test(foreign),
		cmocka_unit_test(verdict_names),
	};

	return cmocka_run_group_tests_name("sb_choose", tests, NULL, NULL);
}
