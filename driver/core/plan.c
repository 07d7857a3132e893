// SPDX-License-Identifier: GPL-2.0
/*
 * What has to be read, computed and written for one column of a row.
 *
 * Any K readable blocks of a column determine all others, fewer determine
 * little more than themselves.  That leaves four ways to get at what a
 * column needs, and the cheapest one that works is the plan:
 *
 *	direct	read what is wanted; parity isn't touched
 *	GEN	read all data that isn't overwritten, compute parity anew
 *	DELTA	read what is overwritten and the parities, and add the change
 *	decode	read K blocks, recover the missing data, then as GEN
 */
#include "plan.h"

/* The sets that all decisions are made of. */
struct column {
	const struct mqr_col_in *in;
	/* all data roles, all parity roles */
	u64 data;
	u64 parity;
	/* data roles that can't be read */
	u64 absent;
	/* parities that can be read and written */
	u64 kept;
	/* data roles that get new content */
	u64 dirty;
	/* data roles whose old content is needed whatever happens */
	u64 old;
	/* what is to be healed and can be */
	u64 heal;
	/* can the old content of @absent be recovered? */
	bool decodable;
};

static u64 lowest_bits(u64 mask, unsigned int n)
{
	u64 out = 0;

	for (; n; n--) {
		out |= mask & -mask;
		mask &= mask - 1;
	}
	return out;
}

static u64 low_mask(unsigned int bits)
{
	return bits ? ~0ULL >> (64 - bits) : 0;
}

/* Nothing is missing: most columns, most of the time. */
static struct mqr_col_plan plan_untroubled(const struct mqr_geo *g,
					   const struct mqr_col_in *in)
{
	u64 data = low_mask(g->data_roles);
	u64 parity = low_mask(g->roles) & ~data;
	u64 dirty = in->full | in->part;
	u64 gen = in->want | (data & ~in->full);
	u64 delta = in->want | dirty | parity;
	struct mqr_col_plan out = {.read = in->want};

	if (!dirty)
		return out;
	out.write = dirty | parity;
	if (!parity) {
		out.read |= in->part;
	} else if (in->trusted && hweight64(delta) < hweight64(gen)) {
		out.read = delta;
		out.calc = MQR_CALC_DELTA;
	} else {
		out.read = gen;
		out.calc = MQR_CALC_GEN;
	}
	return out;
}

static void column_init(struct column *c, const struct mqr_geo *g,
			const struct mqr_col_in *in)
{
	c->in = in;
	c->data = low_mask(g->data_roles);
	c->parity = low_mask(g->roles) & ~c->data;
	c->absent = c->data & in->missing;
	c->kept = c->parity & ~in->missing;
	c->dirty = in->full | in->part;
	c->old = in->want | in->part;
	c->heal = in->heal;
	c->decodable =
		in->trusted && hweight64(c->kept) >= hweight64(c->absent);
}

static bool decode_needed(const struct column *c, u64 old)
{
	return c->absent & old;
}

/* Read @old, recovering what is absent. */
static void plan_old(const struct column *c, struct mqr_col_plan *plan, u64 old)
{
	plan->read = old;
	if (!decode_needed(c, old))
		return;
	plan->decode = c->absent;
	plan->using = lowest_bits(c->kept, hweight64(c->absent));
	plan->read = (c->data & ~c->absent) | plan->using;
}

/* Can @old be had, directly or by decoding? */
static bool old_known(const struct column *c, u64 old)
{
	return !decode_needed(c, old) || c->decodable;
}

/*
 * Healing needs the complete data of the column, except for blocks that are
 * overwritten anyway.  If these can't be had, the latter are what remains to
 * be healed.  Returns whether the complete data are needed.
 */
static bool settle_heal(struct column *c)
{
	if (!(c->heal & ~c->in->full))
		return false;
	if (old_known(c, c->old | (c->data & ~c->in->full)))
		return true;
	c->heal &= c->in->full;
	return false;
}

static bool plan_parity(const struct column *c, struct mqr_col_plan *plan,
			bool complete)
{
	struct mqr_col_plan gen = {.calc = MQR_CALC_GEN};
	u64 gen_old = c->old | (c->data & ~c->in->full);
	u64 delta = c->old | c->dirty | c->kept;
	bool delta_ok = c->in->trusted && !complete && !(delta & c->absent);
	bool gen_ok = old_known(c, gen_old);

	if (gen_ok)
		plan_old(c, &gen, gen_old);
	if (delta_ok && (!gen_ok || hweight64(delta) < hweight64(gen.read))) {
		plan->read = delta;
		plan->calc = MQR_CALC_DELTA;
		return true;
	}
	*plan = gen;
	return gen_ok;
}

/*
 * New content of blocks that can't be written must be recoverable from
 * what is written, or the write would be acknowledged and gone.
 */
static bool writes_kept(const struct column *c, const struct mqr_col_plan *plan)
{
	u64 unwritten = c->absent & ~plan->write;

	return !(c->dirty & unwritten) ||
	       hweight64(unwritten) <= hweight64(plan->write & c->parity);
}

static struct mqr_col_plan plan_troubled(const struct mqr_geo *g,
					 const struct mqr_col_in *in)
{
	static const struct mqr_col_plan lost = {.lost = true};
	struct mqr_col_plan plan = {};
	struct column c;
	bool complete;

	column_init(&c, g, in);
	if (!old_known(&c, c.old))
		return lost;
	complete = settle_heal(&c);
	if (!c.dirty && !in->want && !c.heal)
		return in->heal ? lost : plan;

	if ((c.dirty && c.kept) || (c.heal & c.parity)) {
		if (!plan_parity(&c, &plan, complete))
			return lost;
	} else {
		plan_old(&c, &plan,
			 complete ? c.old | (c.data & ~in->full) : c.old);
	}
	plan.write = (c.dirty & ~in->missing) | c.heal;
	if (c.dirty)
		plan.write |= c.kept;
	return writes_kept(&c, &plan) ? plan : lost;
}

/* Any copy will do as source, and all get the same content. */
static struct mqr_col_plan plan_mirror(const struct mqr_geo *g,
				       const struct mqr_col_in *in)
{
	u64 readable = low_mask(g->roles) & ~in->missing;
	bool dirty = in->full | in->part;
	struct mqr_col_plan plan = {};

	if (in->want || in->part || (in->heal && !in->full)) {
		plan.read = lowest_bits(readable, 1);
		plan.lost = !readable;
	}
	plan.write = in->heal;
	if (dirty) {
		plan.write |= readable;
		plan.lost |= !plan.write;
	}
	return plan;
}

struct mqr_col_plan mqr_plan_column(const struct mqr_geo *g,
				    const struct mqr_col_in *in)
{
	if (g->mirror)
		return plan_mirror(g, in);
	if (!in->missing)
		return plan_untroubled(g, in);
	return plan_troubled(g, in);
}
