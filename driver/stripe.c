// SPDX-License-Identifier: GPL-2.0
/*
 * The stripe engine: serves a row's requests, batch by batch, for whoever
 * owns the row's gate.
 *
 *	batch    take requests of one row and one direction, look at the
 *	         members as they are now (one epoch), plan each column
 *	read     old content that the plans need; an unreadable block is
 *	         planned anew as missing, and mended when that has been written
 *	compute  decode, copy the user's data, parity (task context)
 *	write    data and parity, all at once
 *	end      wait for the superblocks if a member was left out; leave the
 *	         gate or take what waits there as the next batch; end requests
 *
 * Order: a write is ended only after every member that is part of the epoch
 * has completed it, and, if one failed or was skipped, after superblocks
 * that expel that member are on stable storage.  Otherwise it could look
 * current after a crash.  Nothing is written before everything that must be
 * read has been read and all memory is there, so up to that point a batch
 * can be given up and begun anew.
 */
#include "stripe.h"

/* More of one batch would keep the first of its requests waiting. */
#define MQR_BATCH_MAX 256

static bool mqr_io_zero(const struct mqr_io *io)
{
	return io->bio && (bio_op(io->bio) == REQ_OP_WRITE_ZEROES ||
			   bio_op(io->bio) == REQ_OP_DISCARD);
}

static bool mqr_io_alone(const struct mqr_io *io)
{
	return io->kind == MQR_IO_ROW || io->careful || mqr_io_zero(io);
}

/* Move the requests that can be served together from op->rest to op->ios. */
static void mqr_batch_take(struct mqr_stripe *op)
{
	struct mqr_io *first = op->rest, *io, *next;
	struct mqr_io **batch = &first->next, **rest = &op->rest;
	unsigned int n = 1;

	io = first->next;
	op->ios = first;
	for (; io; io = next) {
		next = io->next;
		if (io->row == first->row && io->kind == first->kind &&
		    !mqr_io_alone(first) && !mqr_io_alone(io) &&
		    n < MQR_BATCH_MAX) {
			*batch = io;
			batch = &io->next;
			n++;
		} else {
			*rest = io;
			rest = &io->next;
		}
	}
	*batch = NULL;
	*rest = NULL;
}

/* Undo mqr_batch_take() for the requests from *@from on. */
static void mqr_batch_return(struct mqr_stripe *op, struct mqr_io **from)
{
	struct mqr_io *list = *from, **tail = from;

	while (*tail)
		tail = &(*tail)->next;
	*tail = op->rest;
	op->rest = list;
	*from = NULL;
}

static void mqr_batch_flags(struct mqr_stripe *op)
{
	struct mqr_io *io;

	op->opf = 0;
	op->row = op->ios->row;
	op->kind = op->ios->kind;
	op->action = op->ios->action;
	op->single = op->ios->careful;
	op->status = BLK_STS_OK;
	op->zero_row = false;
	op->parked_once = false;
	atomic64_set(&op->write_failed, 0);
	for (io = op->ios; io; io = io->next)
		if (io->bio)
			op->opf |= io->bio->bi_opf &
				   (REQ_SYNC | REQ_FUA | REQ_IDLE | REQ_META |
				    REQ_PRIO);
}

static bool mqr_batch_zero_row(struct mqr_stripe *op)
{
	const struct mqr_geo *g = &op->array->geo;
	u32 c;

	if (!mqr_io_zero(op->ios) || READ_ONCE(op->array->no_zero_row))
		return false;
	mqr_for_each_col(c, op)
		if (op->col[c].full != mqr_data_mask(g))
			return false;
	return true;
}

static void mqr_stripe_finish(struct mqr_stripe *op);
static void mqr_stripe_have_old(struct mqr_stripe *op);

static void mqr_stripe_zeroed(struct mqr_stripe *op)
{
	if (!op->zero_refused) {
		mqr_stripe_finish(op);
		return;
	}
	/* Zeros as data, then; what some members zeroed already is the same. */
	WRITE_ONCE(op->array->no_zero_row, true);
	mqr_batch_return(op, &op->ios);
	mqr_conf_put(op->conf);
	mqr_stripe_batch(op);
}

/* No memory: the reserve will serve them. */
static void mqr_batch_starve(struct mqr_stripe *op)
{
	struct mqr_array *array = op->array;
	struct mqr_io *list;

	mqr_stripe_buffers_free(op);
	mqr_conf_put(op->conf);
	mqr_batch_return(op, &op->ios);
	list = op->rest;
	op->rest = NULL;
	mqr_stripe_put(op);
	mqr_starve(array, list);
}

static void mqr_batch_start(struct mqr_stripe *op)
{
	if (mqr_batch_zero_row(op)) {
		op->zero_row = true;
		mqr_stripe_zero(op, mqr_stripe_zeroed);
		return;
	}
	mqr_stripe_user(op);
	if (mqr_stripe_buffers(op))
		mqr_stripe_read(op, mqr_stripe_have_old);
	else
		mqr_batch_starve(op);
}

static bool mqr_batch_refused(struct mqr_stripe *op)
{
	return op->conf->failed && op->kind != MQR_IO_READ;
}

/* Serve the oldest of op->rest.  [task] */
void mqr_stripe_batch(struct mqr_stripe *op)
{
	mqr_batch_take(op);
	op->conf = mqr_conf_get(op->array);
	for (;;) {
		mqr_batch_flags(op);
		mqr_stripe_roles(op);
		mqr_stripe_map(op);
		if (!mqr_batch_refused(op) && mqr_stripe_plan(op)) {
			mqr_batch_start(op);
			return;
		}
		if (!op->ios->next)
			break;
		/* One of them asks for too much: find out which. */
		mqr_batch_return(op, &op->ios->next);
	}
	op->status = BLK_STS_IOERR;
	mqr_stripe_finish(op);
}

/*
 * Some block could not be read.  If it isn't known which one, read block by
 * block; else plan again without it.  Nothing has been written yet.
 */
static void mqr_stripe_replan(struct mqr_stripe *op)
{
	op->single = true;
	if (!mqr_stripe_plan(op)) {
		if (op->ios->next) {
			mqr_stripe_buffers_free(op);
			mqr_conf_put(op->conf);
			mqr_batch_return(op, &op->ios->next);
			mqr_batch_return(op, &op->ios);
			op->rest->careful = true;
			mqr_stripe_batch(op);
			return;
		}
		op->status = BLK_STS_MEDIUM;
		mqr_stripe_finish(op);
		return;
	}
	if (mqr_stripe_buffers(op))
		mqr_stripe_read(op, mqr_stripe_have_old);
	else
		mqr_batch_starve(op);
}

/* All old content is there, or some of it could not be read.  [task] */
static void mqr_stripe_have_old(struct mqr_stripe *op)
{
	if (unlikely(op->read_failed)) {
		mqr_stripe_replan(op);
		return;
	}
	mqr_stripe_compute(op);
	if (op->kind == MQR_IO_READ)
		mqr_stripe_copy_out(op);
	mqr_stripe_write(op, mqr_stripe_finish);
}

/* Blocks that could not be read have been rewritten, or could not be. */
static void mqr_stripe_count_mended(struct mqr_stripe *op)
{
	u64 failed = atomic64_read(&op->write_failed);
	u32 c;

	mqr_for_each_col(c, op) {
		u64 bad = atomic64_read(&op->col[c].bad);

		for (; bad; bad &= bad - 1) {
			u32 role = __ffs64(bad);
			bool mended = !op->status && op->col[c].plan.write &
							     ~failed &
							     BIT_ULL(role);

			mqr_member_read_error(op->member[role],
					      MQR_BLOCK_SECTORS, mended);
		}
	}
}

/* Do the roles that got the new content still make up the row? */
static bool mqr_stripe_kept(struct mqr_stripe *op)
{
	const struct mqr_geo *g = &op->array->geo;
	u64 lost = (op->missing | atomic64_read(&op->write_failed)) &
		   mqr_role_mask(g->roles);

	/*
	 * Superblocks of a broken array don't say which member has missed
	 * this; the next assembly might take it for current.
	 */
	if (op->parked_once && READ_ONCE(op->array->broken))
		return false;
	if (g->mirror)
		return lost != mqr_role_mask(g->roles);
	return hweight64(lost) <= g->parities;
}

static void mqr_row_result(struct mqr_stripe *op)
{
	struct mqr_io *io = op->ios;

	if (!op->status && (op->skipped || atomic64_read(&op->write_failed)))
		op->status = BLK_STS_IOERR;
	if (!op->status && io->lost_sectors)
		op->status = BLK_STS_MEDIUM;
	if (op->status)
		return;
	/* Before the gate is left: the next owner must see it. */
	if (op->action == MQR_SYNC_RESYNC)
		mqr_walk_set_row(&op->array->resync, op->row);
	else if (op->action == MQR_SYNC_REBUILD)
		mqr_walk_set_row(&op->array->rebuild, op->row);
}

/* Tell the requests of a batch.  They are gone afterwards. */
static void mqr_ios_end(struct mqr_io *io, blk_status_t status)
{
	struct mqr_io *next;

	for (; io; io = next) {
		next = io->next;
		io->next = NULL;
		io->status = status;
		if (io->kind == MQR_IO_ROW)
			io->done(io);
		else
			mqr_io_end(io);
	}
}

/* The reserve is for all rows: what waits here gets in line.  [any] */
static void mqr_reserve_pass_on(struct mqr_stripe *op)
{
	struct mqr_array *array = op->array;
	struct mqr_io *list = op->rest;

	op->rest = NULL;
	mqr_starve(array, list);
	mqr_stripe_put(op);
}

/*
 * The end of a batch.  The gate is left (or the next batch handed to a
 * worker) before the requests are ended: the next request of whoever waits
 * for one of them shall find the row free.  [any context]
 */
static void mqr_stripe_end(struct mqr_stripe *op)
{
	struct mqr_io *ios = op->ios;
	blk_status_t status;

	if (op->kind == MQR_IO_ROW)
		mqr_row_result(op);
	else if (op->kind == MQR_IO_WRITE && !op->status &&
		 !mqr_stripe_kept(op))
		op->status = BLK_STS_IOERR;
	status = op->status;
	op->ios = NULL;
	mqr_stripe_buffers_free(op);
	mqr_conf_put(op->conf);
	op->conf = NULL;
	if (!op->rest && mqr_gate_leave(op->gate, &op->rest))
		mqr_stripe_put(op);
	else if (op->reserve)
		mqr_reserve_pass_on(op);
	else
		mqr_stripe_push(op, mqr_stripe_batch);
	mqr_ios_end(ios, status);
}

static void mqr_stripe_resume(struct mqr_parked *parked)
{
	mqr_stripe_end(container_of(parked, struct mqr_stripe, parked));
}

/* [any context] */
static void mqr_stripe_finish(struct mqr_stripe *op)
{
	if (unlikely(op->single))
		mqr_stripe_count_mended(op);
	if (op->kind == MQR_IO_WRITE && !op->status &&
	    (op->skipped || atomic64_read(&op->write_failed) ||
	     !mqr_conf_stable(op->conf))) {
		op->parked.resume = mqr_stripe_resume;
		op->parked_once = true;
		mqr_meta_park(op->array, &op->parked);
		return;
	}
	mqr_stripe_end(op);
}

void mqr_stripe_run(struct mqr_array *array, unsigned long *gate,
		    struct mqr_io *list)
{
	struct mqr_stripe *op = mqr_stripe_get(array);

	if (!op) {
		mqr_starve(array, list);
		return;
	}
	op->gate = gate;
	op->rest = list;
	mqr_stripe_batch(op);
}
