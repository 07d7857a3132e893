// SPDX-License-Identifier: GPL-2.0
/*
 * From the requests of a batch and the state of the members to a plan for
 * each column of the row.  Called by the owner of the gate only, so that the
 * answer to "is this row already rebuilt?" can't change until it leaves.
 */
#include "stripe.h"

/*
 * Which roles have a member that is right in this row?  A member that is
 * about to fail counts as gone already: it need not be tried again.  What is
 * written without it may be acknowledged only when the superblocks say so
 * (@skipped).
 */
static bool mqr_role_usable(struct mqr_stripe *op, u32 role, u32 slot)
{
	struct mqr_conf *conf = op->conf;
	struct mqr_member *member = conf->member[slot];

	op->member[role] = member;
	if (!member)
		return false;
	if (test_bit(MQR_MEMBER_FAILING, &member->flags)) {
		op->member[role] = NULL;
		op->skipped = true;
		return false;
	}
	if (conf->in_sync & BIT_ULL(slot))
		return true;
	return mqr_walk_row_done(&op->array->rebuild, op->row);
}

/* The roles that a row of a walk makes right. */
static u64 mqr_row_heal(struct mqr_stripe *op)
{
	const struct mqr_geo *g = &op->array->geo;
	u64 usable = mqr_role_mask(g->roles) & ~op->missing;
	u64 heal = 0;
	u32 role;

	if (op->action == MQR_SYNC_RESYNC) {
		/* Of mirrors the first usable copy is taken for the truth. */
		if (g->mirror)
			return usable & (usable - 1);
		heal = usable & mqr_parity_mask(g);
		/* Lost data is what the first parity says. */
		return op->missing & mqr_data_mask(g) ? heal & (heal - 1)
						      : heal;
	}
	if (op->action == MQR_SYNC_REBUILD)
		for (role = 0; role < g->roles; role++)
			if (op->missing & BIT_ULL(role) && op->member[role])
				heal |= BIT_ULL(role);
	return heal;
}

void mqr_stripe_roles(struct mqr_stripe *op)
{
	const struct mqr_geo *g = &op->array->geo;
	u32 role;

	op->missing = 0;
	op->heal = 0;
	op->skipped = false;
	for (role = 0; role < g->roles; role++)
		if (!mqr_role_usable(op, role, mqr_geo_slot(g, op->row, role)))
			op->missing |= BIT_ULL(role);
	/* With a member missing, parity is used as it is: see mqr_conf_fill().
	 */
	op->trusted = !op->conf->resync || op->missing ||
		      mqr_walk_row_done(&op->array->resync, op->row);
	op->chunk_len = mqr_geo_chunk_len(g, op->row);
	if (op->kind == MQR_IO_ROW) {
		op->heal = mqr_row_heal(op);
		op->missing |= op->heal;
	}
}

static struct mqr_col *mqr_col_use(struct mqr_stripe *op, u32 c)
{
	struct mqr_col *col = &op->col[c];

	if (!__test_and_set_bit(c, op->cols))
		memset(col, 0, sizeof(*col));
	return col;
}

/* Sectors [@offset, @offset + @len) of @role's chunk are read or written. */
static void mqr_map_piece(struct mqr_stripe *op, u32 role, u32 offset, u32 len)
{
	u32 c = offset / MQR_BLOCK_SECTORS;
	u32 end = offset + len;

	for (; c * MQR_BLOCK_SECTORS < end; c++) {
		struct mqr_col *col = mqr_col_use(op, c);
		u32 first = c * MQR_BLOCK_SECTORS;
		u32 last = min(first + MQR_BLOCK_SECTORS, op->chunk_len);

		if (op->kind == MQR_IO_READ)
			col->want |= BIT_ULL(role);
		else if (offset <= first && end >= last)
			col->full |= BIT_ULL(role);
		else
			col->part |= BIT_ULL(role);
		col->part &= ~col->full;
	}
}

void mqr_stripe_map(struct mqr_stripe *op)
{
	const struct mqr_geo *g = &op->array->geo;
	struct mqr_io *io;
	u32 c;

	bitmap_zero(op->cols, MQR_MAX_CHUNK_BLOCKS);
	if (op->kind == MQR_IO_ROW) {
		for (c = 0; c * MQR_BLOCK_SECTORS < op->chunk_len; c++)
			mqr_col_use(op, c);
		return;
	}
	for (io = op->ios; io; io = io->next) {
		u64 sector = io->bio->bi_iter.bi_sector;
		u32 left = bio_sectors(io->bio);

		while (left) {
			struct mqr_pos pos = mqr_geo_pos(g, sector);
			u32 len = min(left, op->chunk_len - pos.offset);

			mqr_map_piece(op, pos.role, pos.offset, len);
			sector += len;
			left -= len;
		}
	}
}

/*
 * A column of a check: everything is read and compared.  With an unreadable
 * block there is nothing to compare; it is mended instead.
 */
static void mqr_plan_check(struct mqr_stripe *op, struct mqr_col *col)
{
	const struct mqr_geo *g = &op->array->geo;
	struct mqr_col_plan *plan = &col->plan;

	memset(plan, 0, sizeof(*plan));
	plan->read = mqr_role_mask(g->roles) & ~op->missing;
}

/*
 * A row of a resync has an unreadable data block: parity is all that is left
 * of it.  As many parities as there are such blocks are believed, the others
 * made anew.
 */
static void mqr_plan_believe(const struct mqr_stripe *op, struct mqr_col_in *in,
			     u64 bad)
{
	u64 lost = bad & mqr_data_mask(&op->array->geo);
	u64 parities = in->heal & mqr_parity_mask(&op->array->geo) & ~bad;

	for (; lost && parities; lost &= lost - 1) {
		u64 first = parities & -parities;

		parities &= ~first;
		in->heal &= ~first;
		in->missing &= ~first;
	}
}

static void mqr_plan_one(struct mqr_stripe *op, struct mqr_col *col)
{
	u64 bad = atomic64_read(&col->bad);
	struct mqr_col_in in = {
		.full = col->full,
		.part = col->part,
		.want = col->want,
		.missing = op->missing | bad,
		/* Of a failed array nothing is written any more. */
		.heal = op->heal | (op->conf->failed ? 0 : bad),
		/* Better than nothing, as with a whole member missing. */
		.trusted = op->trusted || bad,
	};

	if (unlikely(bad) && op->kind == MQR_IO_ROW &&
	    op->action == MQR_SYNC_RESYNC && !op->array->geo.mirror)
		mqr_plan_believe(op, &in, bad);

	col->missing = in.missing;
	col->heal = in.heal;
	if (mqr_is_check(op) && !bad)
		mqr_plan_check(op, col);
	else
		col->plan = mqr_plan_column(&op->array->geo, &in);
}

static bool mqr_col_same(const struct mqr_col *a, const struct mqr_col *b)
{
	return a->full == b->full && a->part == b->part && a->want == b->want &&
	       !atomic64_read(&a->bad) && !atomic64_read(&b->bad);
}

/* A walk goes on without the columns that nothing can bring back. */
static void mqr_col_lost(struct mqr_stripe *op, u32 c)
{
	struct mqr_col_plan nothing = {.lost = true};

	op->ios->lost_sectors += mqr_col_bytes(op, c) >> MQR_SECTOR_SHIFT;
	op->col[c].plan = nothing;
}

bool mqr_stripe_plan(struct mqr_stripe *op)
{
	struct mqr_col *last = NULL;
	u32 c;

	op->ios->lost_sectors = 0;
	mqr_for_each_col(c, op) {
		struct mqr_col *col = &op->col[c];

		if (last && mqr_col_same(col, last)) {
			col->missing = last->missing;
			col->heal = last->heal;
			col->plan = last->plan;
		} else {
			mqr_plan_one(op, col);
		}
		last = col;
		if (!col->plan.lost)
			continue;
		if (op->kind != MQR_IO_ROW)
			return false;
		mqr_col_lost(op, c);
	}
	return true;
}
