// SPDX-License-Identifier: GPL-2.0
#include "plan_model.h"

#include <stdlib.h>

#include "core/gf.h"

#define SETS (1u << PLAN_MODEL_ROLES)
#define BYTES 6
/* Bytes of a block that a partial write overwrites. */
#define PART_FROM 2
#define PART_TO 4
#define POISON 0xee

typedef u8 vector[PLAN_MODEL_ROLES];

/*
 * What can be computed from each set of roles: bit d = old data of role d,
 * and P and Q over the data that aren't in a set.
 */
struct known {
	bool ready;
	u32 data[SETS];
	bool p[SETS][SETS];
	bool q[SETS][SETS];
};

/* By parities and data roles; @known is the one in use. */
static struct known all_known[3][PLAN_MODEL_ROLES];
static struct known *known;

static u64 low_bits(unsigned int n)
{
	return ~0ULL >> (64 - n);
}

/* The role as a function of the data, 0 where a bit of @without is set. */
static void role_vector(vector v, unsigned int k, unsigned int role,
			u32 without)
{
	unsigned int d;

	memset(v, 0, sizeof(vector));
	if (role < k)
		v[role] = 1;
	for (d = 0; d < k && role >= k; d++)
		if (!(without >> d & 1))
			v[d] = role == k ? 1 : mqr_gf_exp(d);
}

/* Subtract from @v what the rows of @basis (by leading unknown) explain. */
static int reduce(vector v, unsigned int k, vector *basis, u32 leads)
{
	unsigned int d;
	unsigned int i;
	u8 factor;

	for (d = 0; d < k; d++) {
		if (!v[d])
			continue;
		if (!(leads >> d & 1))
			return (int)d;
		factor = mqr_gf_mul(v[d], mqr_gf_inv(basis[d][d]));
		for (i = d; i < k; i++)
			v[i] ^= mqr_gf_mul(factor, basis[d][i]);
	}
	return -1;
}

static void know(u32 set, unsigned int k, unsigned int roles)
{
	vector basis[PLAN_MODEL_ROLES];
	vector v;
	u32 leads = 0;
	unsigned int r;
	u32 without;
	int lead;

	for (r = 0; r < roles; r++) {
		if (!(set >> r & 1))
			continue;
		role_vector(v, k, r, 0);
		lead = reduce(v, k, basis, leads);
		if (lead < 0)
			continue;
		memcpy(basis[lead], v, sizeof(v));
		leads |= 1u << lead;
	}
	known->data[set] = 0;
	for (r = 0; r < k; r++) {
		role_vector(v, k, r, 0);
		if (reduce(v, k, basis, leads) < 0)
			known->data[set] |= 1u << r;
	}
	for (without = 0; without < 1u << k; without++) {
		role_vector(v, k, k, without);
		known->p[set][without] = reduce(v, k, basis, leads) < 0;
		role_vector(v, k, k + 1, without);
		known->q[set][without] = reduce(v, k, basis, leads) < 0;
	}
}

void plan_model_init(const struct mqr_geo *g)
{
	u32 set;

	if (g->roles > PLAN_MODEL_ROLES)
		abort();
	known = &all_known[g->parities][g->data_roles];
	if (g->mirror || known->ready)
		return;
	for (set = 0; set < 1u << g->roles; set++)
		know(set, g->data_roles, g->roles);
	known->ready = true;
}

/* What a plan has to bring about. */
struct goal {
	/* old data that must be known */
	u32 data;
	/* parities that must be known, over the new data */
	u64 parity;
	/* roles to be written */
	u64 write;
	/* roles of heal among them */
	u64 heal;
	bool lost;
};

static bool parity_known(u32 set, const struct mqr_geo *g, u64 parity, u32 full)
{
	u64 p = BIT_ULL(g->data_roles);

	return (!(parity & p) || known->p[set][full]) &&
	       (!(parity & p << 1) || known->q[set][full]);
}

/* What can be healed if all of @readable is read? */
static u64 healable(const struct mqr_geo *g, const struct mqr_col_in *in,
		    u32 readable)
{
	u64 heal = in->heal & (known->data[readable] | in->full);
	u64 parity = BIT_ULL(g->data_roles);

	for (; parity < BIT_ULL(g->roles); parity <<= 1)
		if ((in->heal & parity) &&
		    parity_known(readable, g, parity, (u32)in->full))
			heal |= parity;
	return heal;
}

static struct goal find_goal(const struct mqr_geo *g,
			     const struct mqr_col_in *in, u32 readable)
{
	u64 data = low_bits(g->data_roles);
	u64 parity = low_bits(g->roles) & ~data;
	u64 dirty = in->full | in->part;
	struct goal goal = {.heal = healable(g, in, readable)};
	u64 unwritten;

	goal.write = (dirty & ~in->missing) | goal.heal;
	if (dirty)
		goal.write |= parity & ~in->missing;
	goal.parity = goal.write & parity;
	goal.data = (u32)(in->want | in->part | (goal.heal & data & ~in->full));
	goal.lost = (goal.data & ~known->data[readable]) ||
		    !parity_known(readable, g, goal.parity, (u32)in->full) ||
		    (in->heal && !goal.write && !in->want);
	/* Are all new blocks there, or recoverable from what is written? */
	unwritten = data & in->missing & ~goal.write;
	if ((dirty & unwritten) &&
	    hweight64(unwritten) > hweight64(goal.parity))
		goal.lost = true;
	return goal;
}

static unsigned int fewest_reads(const struct mqr_geo *g,
				 const struct mqr_col_in *in,
				 const struct goal *goal, u32 readable)
{
	unsigned int best = 99;
	u32 set = readable;

	for (;;) {
		if (hweight64(set) < best &&
		    !(goal->data & ~known->data[set]) &&
		    parity_known(set, g, goal->parity, (u32)in->full))
			best = hweight64(set);
		if (!set)
			return best;
		set = (set - 1) & readable;
	}
}

/* The members' blocks, and what is in memory while a plan is executed. */
struct bench {
	u8 old[PLAN_MODEL_ROLES + 2][BYTES];
	u8 new[PLAN_MODEL_ROLES + 2][BYTES];
	u8 disk[PLAN_MODEL_ROLES + 2][BYTES];
	u8 memory[PLAN_MODEL_ROLES + 2][BYTES];
	/* roles whose block is in memory */
	u64 have;
};

static void rows_of(u8 (*block)[BYTES], const struct mqr_geo *g, u8 **v)
{
	unsigned int i;

	for (i = 0; i < g->data_roles + 2u; i++)
		v[i] = i < g->roles ? block[i] : NULL;
}

static void bench_init(struct bench *b, const struct mqr_geo *g,
		       const struct mqr_col_in *in)
{
	unsigned int data = g->mirror ? g->roles : g->data_roles;
	u8 *v[PLAN_MODEL_ROLES + 2];
	unsigned int d;
	unsigned int i;
	u64 bit;

	memset(b, POISON, sizeof(*b));
	b->have = 0;
	for (d = 0; d < data; d++) {
		bit = g->mirror ? 1 : BIT_ULL(d);
		for (i = 0; i < BYTES; i++) {
			b->old[d][i] = (u8)(17 + 29 * i +
					    (g->mirror ? 0 : 71 * d * (i + 3)));
			b->new[d][i] = b->old[d][i];
			if ((in->full & bit) ||
			    ((in->part & bit) && i >= PART_FROM && i < PART_TO))
				b->new[d][i] ^= (u8)(0x5a + 31 * i +
						     (g->mirror ? 0 : 13 * d));
		}
	}
	if (!g->mirror) {
		rows_of(b->old, g, v);
		mqr_ref_pq(g->data_roles, BYTES, v);
		rows_of(b->new, g, v);
		mqr_ref_pq(g->data_roles, BYTES, v);
	}
	for (d = 0; d < g->roles; d++) {
		if (in->missing >> d & 1)
			continue;
		memcpy(b->disk[d], b->old[d], BYTES);
		/* Parity that agrees with nothing. */
		if (!in->trusted && d >= data)
			b->disk[d][d % BYTES] ^= 0x77;
	}
}

static const char *run_decode(struct bench *b, const struct mqr_geo *g,
			      const struct mqr_col_plan *plan)
{
	struct mqr_decode decode;
	u8 *src[PLAN_MODEL_ROLES];
	u8 *dst[2];
	unsigned int i;

	if (mqr_decode_init(&decode, g->data_roles, plan->decode, plan->using))
		return "decode and using don't fit together";
	for (i = 0; i < decode.sources; i++) {
		if (!(b->have >> decode.source[i] & 1))
			return "decode uses what wasn't read";
		src[i] = b->memory[decode.source[i]];
	}
	for (i = 0; i < decode.targets; i++)
		dst[i] = b->memory[decode.target[i]];
	mqr_ref_decode(&decode, BYTES, src, dst);
	b->have |= plan->decode;
	return NULL;
}

static const char *run_merge(struct bench *b, const struct mqr_geo *g,
			     const struct mqr_col_in *in, u8 (*delta)[BYTES])
{
	unsigned int d;
	unsigned int i;

	for (d = 0; d < g->data_roles; d++) {
		bool part = in->part >> d & 1;

		if (!part && !(in->full >> d & 1))
			continue;
		if (part && !(b->have >> d & 1))
			return "part of a block that isn't known";
		for (i = 0; i < BYTES; i++) {
			delta[d][i] = b->memory[d][i] ^ b->new[d][i];
			if (!part || (i >= PART_FROM && i < PART_TO))
				b->memory[d][i] = b->new[d][i];
		}
	}
	return NULL;
}

static const char *run_calc(struct bench *b, const struct mqr_geo *g,
			    const struct mqr_col_in *in,
			    const struct mqr_col_plan *plan, u8 (*delta)[BYTES])
{
	u64 data = low_bits(g->data_roles);
	u64 dirty = in->full | in->part;
	unsigned int k = g->data_roles;
	u8 *v[PLAN_MODEL_ROLES + 2];
	unsigned int d;

	rows_of(b->memory, g, v);
	if (plan->calc == MQR_CALC_GEN) {
		if (data & ~(b->have | in->full))
			return "GEN without all data";
		mqr_ref_pq(k, BYTES, v);
		b->have |= low_bits(g->roles) & ~data;
	} else if (plan->calc == MQR_CALC_DELTA) {
		if (dirty & ~b->have)
			return "DELTA without old data";
		for (d = 0; d < k; d++)
			if (dirty >> d & 1)
				mqr_ref_delta(d, BYTES, delta[d], v[k],
					      v[k + 1]);
	}
	b->have |= in->full;
	return NULL;
}

static const char *run_write(struct bench *b, const struct mqr_geo *g,
			     const struct mqr_col_plan *plan)
{
	unsigned int r;

	if (plan->write & ~b->have)
		return "writes what isn't known";
	for (r = 0; r < g->roles; r++)
		if (plan->write >> r & 1)
			memcpy(b->disk[r], b->memory[r], BYTES);
	return NULL;
}

/* Any loss that the members can stand must leave the new data readable. */
static const char *check_losses(const struct bench *b, const struct mqr_geo *g,
				u64 gone)
{
	unsigned int k = g->data_roles;
	struct mqr_col_in in = {.want = low_bits(k), .trusted = true};
	struct bench after;
	struct mqr_col_plan plan;
	const char *wrong;
	u64 loss;
	unsigned int r;

	for (loss = 0; loss < BIT_ULL(g->roles); loss++) {
		in.missing = gone | loss;
		if ((gone & loss) || hweight64(in.missing) > g->tolerance)
			continue;
		plan = mqr_plan_column(g, &in);
		if (plan.lost)
			return "data are lost after a further loss";
		after = *b;
		memcpy(after.memory, after.disk, sizeof(after.disk));
		for (r = 0; r < g->roles; r++)
			if (in.missing >> r & 1)
				memset(after.memory[r], POISON, BYTES);
		after.have = plan.read;
		wrong = plan.decode ? run_decode(&after, g, &plan) : NULL;
		if (wrong)
			return wrong;
		for (r = 0; r < k; r++)
			if (memcmp(after.memory[r], b->new[r], BYTES))
				return "wrong data after a further loss";
	}
	return NULL;
}

static const char *execute(const struct mqr_geo *g, const struct mqr_col_in *in,
			   const struct mqr_col_plan *plan)
{
	u8 delta[PLAN_MODEL_ROLES][BYTES];
	u64 written = in->full | in->part | in->heal;
	struct bench b;
	const char *wrong = NULL;
	unsigned int r;
	u64 gone;

	bench_init(&b, g, in);
	for (r = 0; r < g->roles; r++)
		if (plan->read >> r & 1)
			memcpy(b.memory[r], b.disk[r], BYTES);
	b.have = plan->read;
	if (plan->decode)
		wrong = run_decode(&b, g, plan);
	if (wrong)
		return wrong;
	for (r = 0; r < g->data_roles; r++)
		if ((in->want >> r & 1) &&
		    (!(b.have >> r & 1) ||
		     memcmp(b.memory[r], b.old[r], BYTES)))
			return "wanted data aren't returned";
	wrong = run_merge(&b, g, in, delta);
	if (!wrong)
		wrong = run_calc(&b, g, in, plan, delta);
	if (!wrong)
		wrong = run_write(&b, g, plan);
	if (wrong)
		return wrong;

	gone = in->missing & ~plan->write;
	for (r = 0; r < g->roles; r++) {
		if ((gone >> r & 1) || (!in->trusted && r >= g->data_roles &&
					!(plan->write >> r & 1)))
			continue;
		if (memcmp(b.disk[r], b.new[r], BYTES))
			return "a member holds something else than planned";
	}
	if (!in->trusted && !(written && !in->missing))
		return NULL;
	return check_losses(&b, g, gone);
}

static const char *check_parity(const struct mqr_geo *g,
				const struct mqr_col_in *in,
				const struct mqr_col_plan *plan)
{
	u64 data = low_bits(g->data_roles);
	u32 readable = (u32)(low_bits(g->roles) & ~in->missing);
	struct goal goal;
	unsigned int reads;

	if (!in->trusted)
		readable &= (u32)data;
	goal = find_goal(g, in, readable);
	if (goal.lost != plan->lost)
		return goal.lost ? "not recognised as lost" : "isn't lost";
	if (plan->lost)
		return NULL;
	if (plan->read & ~(u64)readable)
		return "reads what is missing or not trusted";
	if (plan->write != goal.write)
		return "writes other roles";
	if (plan->decode && plan->decode != (data & in->missing))
		return "decodes other roles than the missing ones";
	if (plan->using != (plan->read & plan->using & ~data) ||
	    hweight64(plan->using) != hweight64(plan->decode))
		return "using doesn't fit";
	reads = fewest_reads(g, in, &goal, readable);
	if (hweight64(plan->read) != reads)
		return "reads too much";
	if (plan->calc == MQR_CALC_DELTA &&
	    hweight64((data & ~in->full) | in->want) == reads &&
	    !(in->missing & data & (~in->full | in->want)))
		return "DELTA where GEN is as cheap";
	if ((plan->calc != MQR_CALC_NONE) != !!(plan->write & ~data))
		return "calc doesn't fit";
	return execute(g, in, plan);
}

/* Bits of a mirror: copies, or the one data role. */
static const char *check_mirror(const struct mqr_geo *g,
				const struct mqr_col_in *in,
				const struct mqr_col_plan *plan)
{
	u64 readable = low_bits(g->roles) & ~in->missing;
	bool dirty = in->full | in->part;
	bool source = in->want || in->part || (in->heal && !in->full);
	u64 write = in->heal | (dirty ? readable : 0);
	struct bench b;
	unsigned int r;
	unsigned int i;

	if (plan->lost != ((source && !readable) || (dirty && !write)))
		return "wrong about being lost";
	if (plan->lost)
		return NULL;
	if (hweight64(plan->read) != source || (plan->read & ~readable))
		return "must read one copy if it needs one";
	if (plan->write != write)
		return "writes other copies";
	if (plan->decode || plan->using || plan->calc)
		return "no parity to think of";

	bench_init(&b, g, in);
	for (r = 0; r < g->roles; r++)
		if (plan->read >> r & 1)
			memcpy(b.memory[0], b.disk[r], BYTES);
	for (i = 0; i < BYTES; i++)
		if (in->full || (in->part && i >= PART_FROM && i < PART_TO))
			b.memory[0][i] = b.new[0][i];
	for (r = 0; r < g->roles; r++) {
		if (write >> r & 1)
			memcpy(b.disk[r], b.memory[0], BYTES);
		if (((readable | write) >> r & 1) &&
		    memcmp(b.disk[r], b.new[r], BYTES))
			return "copies differ";
	}
	return NULL;
}

const char *plan_model_check(const struct mqr_geo *g,
			     const struct mqr_col_in *in,
			     const struct mqr_col_plan *plan)
{
	return g->mirror ? check_mirror(g, in, plan)
			 : check_parity(g, in, plan);
}

void plan_model_print(const struct mqr_col_in *in,
		      const struct mqr_col_plan *plan)
{
	fprintf(stderr,
		"full %llx part %llx want %llx missing %llx heal %llx%s: read "
		"%llx decode %llx using %llx calc %u write %llx%s\n",
		(unsigned long long)in->full, (unsigned long long)in->part,
		(unsigned long long)in->want, (unsigned long long)in->missing,
		(unsigned long long)in->heal, in->trusted ? " trusted" : "",
		(unsigned long long)plan->read,
		(unsigned long long)plan->decode,
		(unsigned long long)plan->using, plan->calc,
		(unsigned long long)plan->write, plan->lost ? " lost" : "");
}
