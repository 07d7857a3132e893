// SPDX-License-Identifier: GPL-2.0
/*
 * Which of the devices that claim to belong to an array make it up.
 *
 * The superblock with the most events tells who is in.  A member that is one
 * event behind may have missed an update of the superblock, but no data: the
 * update that excludes a member comes before the first write without it.
 *
 * Nothing here depends on the order of the candidates.
 */
#include "superblock.h"

static const char *const verdict_names[] = {
	[MQR_IN_SYNC] = "in sync",     [MQR_RECOVERING] = "recovering",
	[MQR_SPARE] = "spare",	       [MQR_STALE] = "stale",
	[MQR_EXPELLED] = "expelled",   [MQR_FOREIGN] = "foreign",
	[MQR_DUPLICATE] = "duplicate",
};

const char *mqr_verdict_name(enum mqr_verdict v)
{
	if ((unsigned int)v >= ARRAY_SIZE(verdict_names))
		return "unknown";
	return verdict_names[v];
}

static bool same_uuid(const u8 *a, const u8 *b)
{
	return !memcmp(a, b, 16);
}

/* The slot that a superblock claims for its own device, or -1. */
static int own_slot(const struct mqr_sb *sb)
{
	u16 role = mqr_sb_own_role(sb);

	return role < MQR_ROLE_MAX ? role : -1;
}

/* What @truth knows about the device of @sb. */
static u16 role_in(const struct mqr_sb *truth, const struct mqr_sb *sb)
{
	if (sb->dev_number >= truth->max_dev)
		return MQR_ROLE_SPARE;
	return truth->role[sb->dev_number];
}

/* The slots that @sb counts as filled. */
static u64 filled(const struct mqr_sb *sb)
{
	u64 slots = 0;
	u32 i;

	for (i = 0; i < sb->max_dev; i++)
		if (sb->role[i] < MQR_MAX_MEMBERS)
			slots |= BIT_ULL(sb->role[i]);
	return slots;
}

/*
 * Is @a fresher than @b?  A member beats any spare, which may have missed
 * updates or got one that members didn't.  With equal events, the one that
 * excludes more is later: md may use the same count once more for the update
 * that excludes a member (after going from active to clean).
 */
static bool fresher(const struct mqr_sb *a, const struct mqr_sb *b)
{
	bool a_member = own_slot(a) >= 0;
	bool b_member = own_slot(b) >= 0;

	if (a_member != b_member)
		return a_member;
	if (a->events != b->events)
		return a->events > b->events;
	return hweight64(filled(a)) < hweight64(filled(b));
}

static bool same_shape(const struct mqr_sb *a, const struct mqr_sb *b)
{
	return a->level == b->level && a->layout == b->layout &&
	       a->chunk_sectors == b->chunk_sectors &&
	       a->raid_disks == b->raid_disks && a->size == b->size;
}

static bool excluded(const struct mqr_cand *c)
{
	return c->verdict == MQR_FOREIGN || c->verdict == MQR_DUPLICATE;
}

/* First pass: marks foreign devices and clones. */
static int find_clones(struct mqr_cand *cand, unsigned int n,
		       struct mqr_why *why)
{
	unsigned int i;
	unsigned int j;
	int err = 0;

	for (i = 0; i < n; i++) {
		cand[i].slot = -1;
		cand[i].verdict = MQR_SPARE;
		if (!same_uuid(cand[i].sb->set_uuid, cand[0].sb->set_uuid))
			cand[i].verdict = MQR_FOREIGN;
	}
	for (i = 0; i < n; i++) {
		for (j = 0; j < i; j++) {
			if (cand[i].verdict == MQR_FOREIGN ||
			    cand[j].verdict == MQR_FOREIGN ||
			    !same_uuid(cand[i].sb->device_uuid,
				       cand[j].sb->device_uuid))
				continue;
			cand[i].verdict = MQR_DUPLICATE;
			cand[j].verdict = MQR_DUPLICATE;
			mqr_because(
				why,
				"devices %u and %u have the same device UUID "
				"(slots %d and %d, events %llu and %llu): one "
				"is a clone, remove it or give it a new UUID",
				j, i, own_slot(cand[j].sb),
				own_slot(cand[i].sb),
				(unsigned long long)cand[j].sb->events,
				(unsigned long long)cand[i].sb->events);
			err = -EEXIST;
		}
	}
	return err;
}

/* Of clones, any may be the freshest: the caller has its error anyway. */
static int find_freshest(const struct mqr_cand *cand, unsigned int n)
{
	unsigned int i;
	int best = 0;

	for (i = 1; i < n; i++) {
		if (cand[i].verdict == MQR_FOREIGN)
			continue;
		if (fresher(cand[i].sb, cand[best].sb))
			best = (int)i;
	}
	return best;
}

/*
 * A member with as many events as the truth may not know of an exclusion yet,
 * see above.  But if it excludes somebody whom the truth counts, or describes
 * another array, then they ran apart, and there is no telling which data are
 * wanted.
 */
static int find_split(struct mqr_cand *cand, unsigned int n,
		      const struct mqr_sb *truth, struct mqr_why *why)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < n; i++) {
		const struct mqr_sb *sb = cand[i].sb;

		if (excluded(&cand[i]) || own_slot(sb) < 0 ||
		    sb->events != truth->events ||
		    (!(filled(truth) & ~filled(sb)) && same_shape(truth, sb)))
			continue;
		cand[i].verdict = MQR_FOREIGN;
		mqr_because(why,
			    "slots %d and %d both have %llu events, but "
			    "contradict each other: the array ran as two "
			    "halves, assemble with one of them only",
			    own_slot(truth), own_slot(sb),
			    (unsigned long long)truth->events);
		err = -EEXIST;
	}
	return err;
}

static enum mqr_verdict judge(const struct mqr_sb *truth,
			      const struct mqr_sb *sb)
{
	u16 listed = role_in(truth, sb);
	int slot = own_slot(sb);

	if (mqr_sb_own_role(sb) == MQR_ROLE_FAULTY)
		return MQR_EXPELLED;
	/*
	 * A spare that the truth has already put into a slot, but which
	 * hasn't got to know, is still empty.
	 */
	if (slot < 0)
		return MQR_SPARE;
	if (!same_shape(truth, sb))
		return MQR_FOREIGN;
	if (listed >= MQR_ROLE_MAX)
		return MQR_EXPELLED;
	if (sb->events + 1 < truth->events)
		return MQR_STALE;
	if (listed != slot)
		return MQR_FOREIGN;
	return sb->recovery_offset == MQR_ALL_DONE ? MQR_IN_SYNC
						   : MQR_RECOVERING;
}

static void seat(struct mqr_choice *out, struct mqr_cand *cand, int i)
{
	int slot = own_slot(cand[i].sb);

	cand[i].slot = slot;
	out->cand[slot] = i;
	if (cand[i].verdict == MQR_IN_SYNC)
		out->in_sync |= BIT_ULL(slot);
	else
		out->recovering |= BIT_ULL(slot);
}

static void unseat(struct mqr_choice *out, struct mqr_cand *cand, int slot)
{
	cand[out->cand[slot]].slot = -1;
	out->cand[slot] = -1;
	out->in_sync &= ~BIT_ULL(slot);
	out->recovering &= ~BIT_ULL(slot);
}

static int twins(struct mqr_cand *cand, unsigned int i, unsigned int j,
		 struct mqr_why *why)
{
	const struct mqr_sb *sb = cand[i].sb;

	cand[i].verdict = MQR_DUPLICATE;
	mqr_because(why,
		    "devices %u and %u are different and both say that they "
		    "are slot %d at %llu events: remove one of them",
		    min(i, j), max(i, j), own_slot(sb),
		    (unsigned long long)sb->events);
	return -EEXIST;
}

/*
 * Several devices want one slot: its number was given to a new device when the
 * old one had left.  The latest has it, unless there are two of them.
 */
static int settle_slot(struct mqr_cand *cand, unsigned int n, unsigned int i,
		       struct mqr_why *why)
{
	const struct mqr_sb *sb = cand[i].sb;
	unsigned int j, twin = i;

	for (j = 0; j < n; j++) {
		if (j == i || cand[j].slot != cand[i].slot)
			continue;
		if (cand[j].sb->events > sb->events) {
			cand[i].verdict = MQR_STALE;
			return 0;
		}
		if (cand[j].sb->events == sb->events)
			twin = j;
	}
	return twin == i ? 0 : twins(cand, i, twin, why);
}

static bool wants_slot(const struct mqr_cand *c)
{
	return c->verdict == MQR_IN_SYNC || c->verdict == MQR_RECOVERING;
}

static int seat_all(struct mqr_choice *out, struct mqr_cand *cand,
		    unsigned int n, const struct mqr_sb *truth,
		    struct mqr_why *why)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < n; i++) {
		if (excluded(&cand[i]))
			continue;
		cand[i].verdict = judge(truth, cand[i].sb);
		if (wants_slot(&cand[i]))
			cand[i].slot = own_slot(cand[i].sb);
	}
	/* All see who wants what before anybody gets anything. */
	for (i = 0; i < n; i++)
		if (cand[i].slot >= 0)
			err = settle_slot(cand, n, i, why) ?: err;
	for (i = 0; i < n; i++) {
		cand[i].slot = -1;
		if (!excluded(&cand[i]) && wants_slot(&cand[i]))
			seat(out, cand, (int)i);
	}
	return err;
}

static u64 all_slots(const struct mqr_sb *truth)
{
	return ~0ULL >> (64 - truth->raid_disks);
}

static bool enough(const struct mqr_sb *truth, u64 in_sync)
{
	return mqr_level_survives(truth->level, truth->layout,
				  truth->raid_disks, ~in_sync);
}

/* Can a device that was left out be forced in?  It must be complete. */
static bool forcible(const struct mqr_choice *out, const struct mqr_cand *c,
		     const struct mqr_sb *truth)
{
	int slot = own_slot(c->sb);

	return (c->verdict == MQR_STALE || c->verdict == MQR_EXPELLED) &&
	       slot >= 0 && out->cand[slot] < 0 && same_shape(truth, c->sb) &&
	       c->sb->recovery_offset == MQR_ALL_DONE;
}

/* The freshest of these; of equals, that of the lowest slot.  -1: none. */
static int freshest_left_out(const struct mqr_choice *out,
			     const struct mqr_cand *cand, unsigned int n,
			     const struct mqr_sb *truth)
{
	int best = -1;
	unsigned int i;

	for (i = 0; i < n; i++) {
		const struct mqr_sb *sb = cand[i].sb;

		if (!forcible(out, &cand[i], truth))
			continue;
		if (best < 0 || sb->events > cand[best].sb->events ||
		    (sb->events == cand[best].sb->events &&
		     own_slot(sb) < own_slot(cand[best].sb)))
			best = (int)i;
	}
	return best;
}

/* Others could be forced into the slot of @i as well: nobody can tell. */
static int find_twins(const struct mqr_choice *out, struct mqr_cand *cand,
		      unsigned int n, int i, const struct mqr_sb *truth,
		      struct mqr_why *why)
{
	unsigned int j;
	int err = 0;

	for (j = 0; j < n; j++)
		if ((int)j != i && forcible(out, &cand[j], truth) &&
		    own_slot(cand[j].sb) == own_slot(cand[i].sb) &&
		    cand[j].sb->events == cand[i].sb->events)
			err = twins(cand, j, (unsigned int)i, why);
	if (err)
		cand[i].verdict = MQR_DUPLICATE;
	return err;
}

/*
 * Take in the freshest until there are enough, then send away those, oldest
 * first, without whom there are still enough.  -EEXIST: which one to take
 * would be a guess.
 */
static int force(struct mqr_choice *out, struct mqr_cand *cand, unsigned int n,
		 const struct mqr_sb *truth, struct mqr_why *why)
{
	enum mqr_verdict was[MQR_MAX_MEMBERS];
	int taken[MQR_MAX_MEMBERS];
	int count = 0, err = 0;
	int slot;
	int i;

	while (!enough(truth, out->in_sync)) {
		i = freshest_left_out(out, cand, n, truth);
		if (i < 0)
			break;
		err = find_twins(out, cand, n, i, truth, why);
		if (err)
			break;
		was[count] = cand[i].verdict;
		taken[count++] = i;
		cand[i].verdict = MQR_IN_SYNC;
		seat(out, cand, i);
	}
	out->forced = enough(truth, out->in_sync);
	while (count--) {
		i = taken[count];
		slot = cand[i].slot;
		if (out->forced &&
		    !enough(truth, out->in_sync & ~BIT_ULL(slot)))
			continue;
		unseat(out, cand, slot);
		cand[i].verdict = was[count];
	}
	return err;
}

static int too_few(const struct mqr_choice *out, const struct mqr_sb *truth,
		   struct mqr_why *why)
{
	mqr_because(why,
		    "%s of %u members has only %u in sync (slots 0x%llx), too "
		    "few to run%s",
		    mqr_level_name(truth->level), truth->raid_disks,
		    (u32)hweight64(out->in_sync),
		    (unsigned long long)out->in_sync,
		    out->recovering ? "; recovering ones don't count" : "");
	return -ENODEV;
}

/* Out of sync parity can't reconstruct a member that is missing. */
static int write_hole(const struct mqr_choice *out, const struct mqr_sb *truth,
		      struct mqr_why *why)
{
	mqr_because(why,
		    "%s was not shut down cleanly and lacks %u of %u members: "
		    "what is reconstructed may be wrong, force accepts that",
		    mqr_level_name(truth->level),
		    truth->raid_disks - (u32)hweight64(out->in_sync),
		    truth->raid_disks);
	return -EUCLEAN;
}

/* Of superblocks of the same age, one that is clean proves nothing. */
static bool any_dirty(const struct mqr_cand *cand, unsigned int n,
		      const struct mqr_sb *truth)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (cand[i].slot >= 0 && cand[i].sb->events == truth->events &&
		    !mqr_sb_clean(cand[i].sb))
			return truth->level != 0;
	return false;
}

int mqr_sb_choose(struct mqr_choice *out, struct mqr_cand *cand, unsigned int n,
		  u32 flags, struct mqr_why *why)
{
	const struct mqr_sb *truth;
	int err;
	int i;

	memset(out, 0, sizeof(*out));
	for (i = 0; i < MQR_MAX_MEMBERS; i++)
		out->cand[i] = -1;
	if (!n) {
		mqr_because(why, "no member found");
		return -ENODEV;
	}
	err = find_clones(cand, n, why);
	out->freshest = find_freshest(cand, n);
	truth = cand[out->freshest].sb;
	err = find_split(cand, n, truth, why) ?: err;
	err = seat_all(out, cand, n, truth, why) ?: err;

	out->dirty = any_dirty(cand, n, truth);
	out->enough = enough(truth, out->in_sync);
	if (!err && !out->enough && (flags & MQR_CHOOSE_FORCE)) {
		err = force(out, cand, n, truth, why);
		out->enough = out->forced;
		out->dirty |= out->forced && truth->level != 0;
	}
	out->complete = out->in_sync == all_slots(truth);
	if (err)
		return err;
	if (!out->enough)
		return too_few(out, truth, why);
	if (out->dirty && !out->complete && !(flags & MQR_CHOOSE_FORCE) &&
	    (truth->level == 5 || truth->level == 6))
		return write_hole(out, truth, why);
	return 0;
}
