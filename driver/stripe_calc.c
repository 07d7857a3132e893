// SPDX-License-Identifier: GPL-2.0
/*
 * What happens to the bytes of a stripe operation between its reads and its
 * writes: decode what is missing, take over the user's data (stripe_user.c),
 * compute parity, or compare.  Task context (the parity kernels need the
 * FPU).
 */
#include "stripe.h"

/*
 * Recover the missing data of column @c into the table of old content.  The
 * decoder is made anew when the set of missing roles changes, which within a
 * row it rarely does.
 */
static void mqr_decode_col(struct mqr_stripe *op, u32 c)
{
	const struct mqr_geo *g = &op->array->geo;
	struct mqr_calc_decode *dec = page_address(op->decode_page);
	struct mqr_col *col = &op->col[c];
	u64 missing = col->missing & mqr_data_mask(g);
	void *src[MQR_MAX_MEMBERS], *dst[2];
	unsigned int i;

	if (op->decode_missing != missing ||
	    op->decode_using != col->plan.using) {
		if (WARN_ON_ONCE(mqr_calc_decode_init(
			    dec, g->data_roles, missing, col->plan.using)))
			return;
		op->decode_missing = missing;
		op->decode_using = col->plan.using;
	}
	for (i = 0; i < dec->d.sources; i++)
		src[i] = mqr_addr(mqr_old(op, dec->d.source[i], c));
	for (i = 0; i < dec->d.targets; i++)
		dst[i] = mqr_addr(mqr_old(op, dec->d.target[i], c));
	mqr_calc_decode(dec, MQR_BLOCK_SIZE, src, dst);
}

/* Blocks of which only a part is overwritten begin as their old content. */
static void mqr_base_col(struct mqr_stripe *op, u32 c)
{
	const struct mqr_geo *g = &op->array->geo;
	struct mqr_col *col = &op->col[c];
	u64 part = col->part;

	for (; part; part &= part - 1) {
		u32 role = __ffs64(part);
		u32 from = g->mirror ? __ffs64(col->plan.read) : role;

		memcpy(mqr_addr(mqr_new(op, role, c)),
		       mqr_addr(mqr_old(op, from, c)), mqr_col_bytes(op, c));
	}
}

/* Parity of column @c from its complete data. */
static void mqr_gen_col(struct mqr_stripe *op, u32 c)
{
	const struct mqr_geo *g = &op->array->geo;
	struct mqr_col *col = &op->col[c];
	u64 new = col->full | col->part;
	void *v[MQR_MAX_MEMBERS];
	u32 role;

	for (role = 0; role < g->data_roles; role++)
		v[role] = mqr_addr(new &BIT_ULL(role) ? mqr_new(op, role, c)
						      : mqr_old(op, role, c));
	for (; role < g->roles; role++)
		v[role] = col->plan.write & BIT_ULL(role)
				  ? mqr_addr(mqr_old(op, role, c))
				  : NULL;
	mqr_calc_gen(g->data_roles, g->parities, MQR_BLOCK_SIZE, v);
}

/* Parity of column @c by what each written block changes. */
static void mqr_delta_col(struct mqr_stripe *op, u32 c)
{
	const struct mqr_geo *g = &op->array->geo;
	struct mqr_col *col = &op->col[c];
	u64 new = col->full | col->part;
	void *pq[2] = {NULL, NULL};
	u32 i;

	for (i = 0; i < g->parities; i++)
		if (col->plan.write & BIT_ULL(g->data_roles + i))
			pq[i] = mqr_addr(mqr_old(op, g->data_roles + i, c));
	for (; new; new &= new - 1) {
		u32 role = __ffs64(new);

		mqr_calc_delta(g->data_roles, role, MQR_BLOCK_SIZE,
			       mqr_addr(mqr_old(op, role, c)),
			       mqr_addr(mqr_new(op, role, c)), pq[0], pq[1]);
	}
}

/* Which roles of column @c don't fit the others? */
static u64 mqr_mirror_mismatch(struct mqr_stripe *op, u32 c)
{
	u64 copies = op->col[c].plan.read, wrong = 0;
	u32 first = __ffs64(copies);

	for (copies &= copies - 1; copies; copies &= copies - 1) {
		u32 role = __ffs64(copies);

		if (memcmp(mqr_addr(mqr_old(op, first, c)),
			   mqr_addr(mqr_old(op, role, c)),
			   mqr_col_bytes(op, c)))
			wrong |= BIT_ULL(role);
	}
	return wrong;
}

static u64 mqr_parity_mismatch(struct mqr_stripe *op, u32 c)
{
	const struct mqr_geo *g = &op->array->geo;
	void *v[MQR_MAX_MEMBERS];
	u64 wrong = 0;
	u32 role, i;

	/* A member has failed since: nothing to compare with. */
	if (op->missing)
		return 0;
	for (role = 0; role < g->data_roles; role++)
		v[role] = mqr_addr(mqr_old(op, role, c));
	for (i = 0; i < g->parities; i++)
		v[g->data_roles + i] = mqr_addr(mqr_new(op, i, c));
	mqr_calc_gen(g->data_roles, g->parities, MQR_BLOCK_SIZE, v);
	for (i = 0; i < g->parities; i++) {
		void *disk = mqr_addr(mqr_old(op, g->data_roles + i, c));

		if (mqr_calc_equal(v[g->data_roles + i], disk, MQR_BLOCK_SIZE))
			continue;
		wrong |= BIT_ULL(g->data_roles + i);
		/* What a repair writes. */
		memcpy(disk, v[g->data_roles + i], MQR_BLOCK_SIZE);
	}
	return wrong;
}

static void mqr_check_col(struct mqr_stripe *op, u32 c)
{
	u64 wrong = op->array->geo.mirror ? mqr_mirror_mismatch(op, c)
					  : mqr_parity_mismatch(op, c);

	if (!wrong)
		return;
	op->ios->mismatches += mqr_col_bytes(op, c) >> MQR_SECTOR_SHIFT;
	if (op->action == MQR_SYNC_REPAIR)
		op->col[c].plan.write = wrong;
}

static void mqr_parity_col(struct mqr_stripe *op, u32 c)
{
	switch (op->col[c].plan.calc) {
	case MQR_CALC_GEN:
		mqr_gen_col(op, c);
		break;
	case MQR_CALC_DELTA:
		mqr_delta_col(op, c);
		break;
	}
}

void mqr_stripe_compute(struct mqr_stripe *op)
{
	bool parity = op->array->geo.parities;
	u32 c;

	op->decode_missing = 0;
	mqr_for_each_col(c, op) {
		if (op->col[c].plan.decode && parity)
			mqr_decode_col(op, c);
		mqr_base_col(op, c);
	}
	if (op->kind == MQR_IO_WRITE && op->ragged)
		mqr_stripe_copy_in(op);
	mqr_for_each_col(c, op) {
		mqr_stripe_copy_col(op, c);
		if (mqr_is_check(op) && !atomic64_read(&op->col[c].bad))
			mqr_check_col(op, c);
		else if (parity)
			mqr_parity_col(op, c);
	}
}
