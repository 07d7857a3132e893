// SPDX-License-Identifier: GPL-2.0
/*
 * Member I/O of a stripe operation: reads, writes, zeroing.
 *
 * A phase issues, for each role, one bio for each run of neighbouring
 * columns.  The first bio of a role lies in the operation; more of them come
 * from a pool without waiting, and if it is empty, the rest is issued when
 * the bios in flight have ended.  So a phase needs no memory to make
 * progress, and never waits inside ->submit_bio.
 *
 * While a bio is in flight, tables and pages belong to the member.
 */
#include "stripe.h"

/* From any context to a worker, where parity may be computed. */
static void mqr_stripe_task(struct mqr_task *task)
{
	struct mqr_stripe *op = container_of(task, struct mqr_stripe, task);

	op->step(op);
}

void mqr_stripe_push(struct mqr_stripe *op, void (*step)(struct mqr_stripe *))
{
	op->step = step;
	op->task.run = mqr_stripe_task;
	mqr_worker_push(&op->task);
}

/* A read of one block failed: that block is bad.  Of several: which one? */
static void mqr_stripe_read_failed(struct mqr_stripe_bio *sb)
{
	struct mqr_stripe *op = sb->op;

	if (sb->cols == 1)
		atomic64_or(BIT_ULL(sb->role), &op->col[sb->col].bad);
	WRITE_ONCE(op->read_failed, true);
}

static void mqr_stripe_write_failed(struct mqr_stripe_bio *sb,
				    blk_status_t status)
{
	struct mqr_stripe *op = sb->op;

	/*
	 * Members say no in many ways, and only once they are asked.  It says
	 * nothing about the member: zeros will be written as data.
	 */
	if (op->zero_row) {
		WRITE_ONCE(op->zero_refused, true);
		return;
	}
	atomic64_or(BIT_ULL(sb->role), &op->write_failed);
	mqr_member_write_error(op->member[sb->role], status);
}

static bool mqr_stripe_unissued(struct mqr_stripe *op)
{
	u32 c;

	mqr_for_each_col(c, op)
		if (op->col[c].todo)
			return true;
	return false;
}

static void mqr_stripe_issue(struct mqr_stripe *op);

/* The last completion, or the issuer if all were faster.  [any context] */
static void mqr_stripe_phase_end(struct mqr_stripe *op)
{
	if (op->short_of_bios && mqr_stripe_unissued(op))
		mqr_stripe_push(op, mqr_stripe_issue);
	else if (op->next_any_context)
		op->next(op);
	else
		mqr_stripe_push(op, op->next);
}

static void mqr_stripe_endio(struct bio *bio)
{
	struct mqr_stripe_bio *sb =
		container_of(bio, struct mqr_stripe_bio, bio);
	struct mqr_stripe *op = sb->op;

	if (unlikely(bio->bi_status)) {
		if (op_is_write(bio_op(bio)))
			mqr_stripe_write_failed(sb, bio->bi_status);
		else
			mqr_stripe_read_failed(sb);
	}
	if (sb == &op->bio[sb->role])
		bio_uninit(bio);
	else
		bio_put(bio);
	if (atomic_dec_and_test(&op->pending))
		mqr_stripe_phase_end(op);
}

/* The table entry that holds what is read to or written from (@role, @c). */
static struct bio_vec *mqr_stripe_vec(struct mqr_stripe *op, u32 role, u32 c)
{
	const struct mqr_geo *g = &op->array->geo;
	struct mqr_col *col = &op->col[c];

	if (!op->writing)
		return mqr_old(op, role, c);
	if (g->mirror)
		return (col->full | col->part)
			       ? mqr_new(op, 0, c)
			       : mqr_old(op, __ffs64(col->plan.read), c);
	if ((col->full | col->part) & BIT_ULL(role))
		return mqr_new(op, role, c);
	return mqr_old(op, role, c);
}

/* The bio for a run of @role: its own one, or another; NULL: none left. */
static struct mqr_stripe_bio *mqr_stripe_bio_get(struct mqr_stripe *op,
						 u32 role, bool first)
{
	struct mqr_stripe_bio *sb;
	struct bio *bio;

	if (first)
		return &op->bio[role];
	bio = mqr_inject_no_memory()
		      ? NULL
		      : bio_alloc_bioset(op->member[role]->bdev, 0, 0,
					 GFP_NOWAIT | __GFP_NOWARN,
					 &op->array->stripe_bios);
	if (!bio) {
		op->short_of_bios = true;
		return NULL;
	}
	sb = container_of(bio, struct mqr_stripe_bio, bio);
	sb->op = op;
	return sb;
}

static void mqr_stripe_submit(struct mqr_stripe *op, struct mqr_stripe_bio *sb,
			      u32 role, u32 c, u32 n)
{
	const struct mqr_geo *g = &op->array->geo;
	struct mqr_member *member = op->member[role];
	struct bio *bio = &sb->bio;
	u32 i, bytes = 0;

	sb->role = role;
	sb->col = c;
	sb->cols = n;
	for (i = 0; i < n; i++)
		bytes += mqr_col_bytes(op, c + i);
	if (sb == &op->bio[role])
		bio_init(bio, member->bdev, NULL, 0, 0);
	bio->bi_opf = op->phase_opf;
	if (!op->zero_row) {
		bio->bi_io_vec = mqr_stripe_vec(op, role, c);
		bio->bi_vcnt = n;
	}
	bio->bi_iter.bi_size = bytes;
	bio->bi_iter.bi_sector =
		mqr_geo_role_sector(g, op->row, role) + c * MQR_BLOCK_SECTORS;
	bio->bi_end_io = mqr_stripe_endio;
	if (op->ios->bio)
		bio_clone_blkg_association(bio, op->ios->bio);
	atomic_inc(&op->pending);
	mqr_member_submit(member, bio);
}

/* Length of the run of @role that begins at column @c. */
static u32 mqr_stripe_run_len(struct mqr_stripe *op, u32 role, u32 c)
{
	const struct bio_vec *first = mqr_stripe_vec(op, role, c);
	u32 end = op->array->geo.chunk_blocks;
	u32 n;

	if (!op->writing && op->single)
		return 1;
	for (n = 1; c + n < end; n++) {
		if (!test_bit(c + n, op->cols) ||
		    !(op->col[c + n].todo & BIT_ULL(role)))
			break;
		if (!op->zero_row &&
		    mqr_stripe_vec(op, role, c + n) != first + n)
			break;
	}
	return n;
}

static void mqr_stripe_issue_role(struct mqr_stripe *op, u32 role)
{
	u32 end = op->array->geo.chunk_blocks;
	struct mqr_stripe_bio *sb;
	bool first = true;
	u32 c = 0, n, i;

	while ((c = find_next_bit(op->cols, end, c)) < end) {
		if (!(op->col[c].todo & BIT_ULL(role))) {
			c++;
			continue;
		}
		sb = mqr_stripe_bio_get(op, role, first);
		if (!sb)
			return;
		first = false;
		n = mqr_stripe_run_len(op, role, c);
		for (i = 0; i < n; i++)
			op->col[c + i].todo &= ~BIT_ULL(role);
		mqr_stripe_submit(op, sb, role, c, n);
		c += n;
	}
}

static void mqr_stripe_issue(struct mqr_stripe *op)
{
	const struct mqr_geo *g = &op->array->geo;
	u64 roles = op->phase_roles;
	struct blk_plug plug;

	op->short_of_bios = false;
	atomic_set(&op->pending, 1);
	blk_start_plug(&plug);
	for (; roles; roles &= roles - 1)
		if (__ffs64(roles) < g->roles)
			mqr_stripe_issue_role(op, __ffs64(roles));
	blk_finish_plug(&plug);
	if (atomic_dec_and_test(&op->pending))
		mqr_stripe_phase_end(op);
}

/* Begin a phase; true if there is anything to issue. */
static bool mqr_stripe_phase(struct mqr_stripe *op, bool writing)
{
	u32 c;

	op->writing = writing;
	op->phase_roles = 0;
	mqr_for_each_col(c, op) {
		struct mqr_col *col = &op->col[c];

		col->todo = writing ? col->plan.write : col->plan.read;
		op->phase_roles |= col->todo;
	}
	return op->phase_roles;
}

/* @next runs here and now if there is nothing to read, else in a worker. */
void mqr_stripe_read(struct mqr_stripe *op, void (*next)(struct mqr_stripe *))
{
	op->read_failed = false;
	if (!mqr_stripe_phase(op, false)) {
		next(op);
		return;
	}
	op->next = next;
	op->next_any_context = false;
	/* Durability is a matter of what is written. */
	op->phase_opf = REQ_OP_READ | (op->opf & ~REQ_FUA);
	mqr_stripe_issue(op);
}

/* @next runs in any context. */
void mqr_stripe_write(struct mqr_stripe *op, void (*next)(struct mqr_stripe *))
{
	if (!mqr_stripe_phase(op, true)) {
		next(op);
		return;
	}
	op->next = next;
	op->next_any_context = true;
	op->phase_opf = REQ_OP_WRITE | op->opf;
	mqr_stripe_issue(op);
}

/* All members zero their chunk of the row.  @next runs in a worker. */
void mqr_stripe_zero(struct mqr_stripe *op, void (*next)(struct mqr_stripe *))
{
	struct bio *user = op->ios->bio;
	u32 c;

	mqr_for_each_col(c, op) {
		struct mqr_col *col = &op->col[c];

		memset(&col->plan, 0, sizeof(col->plan));
		col->plan.write =
			mqr_role_mask(op->array->geo.roles) & ~op->missing;
	}
	op->zero_refused = false;
	if (!mqr_stripe_phase(op, true)) {
		next(op);
		return;
	}
	op->next = next;
	op->next_any_context = false;
	op->phase_opf =
		REQ_OP_WRITE_ZEROES | op->opf | (user->bi_opf & REQ_NOUNMAP);
	mqr_stripe_issue(op);
}
