// SPDX-License-Identifier: GPL-2.0
/*
 * One round of a worker: some operations at once, each on a range of its own.
 */
#include "stress.h"

static enum op_kind pick_kind(struct rng *rng)
{
	u64 r = rng_below(rng, 100);

	if (r < 38)
		return OP_READ;
	if (r < 90)
		return OP_WRITE;
	if (r < 93)
		return OP_FSYNC;
	if (r < 96)
		return OP_ZERO;
	return config.discard && device.can_discard ? OP_DISCARD : OP_WRITE;
}

static unsigned int pick_flags(struct rng *rng, enum op_kind kind)
{
	unsigned int flags = 0;

	if (kind == OP_DISCARD || kind == OP_ZERO)
		return 0;
	if (config.buffered && rng_percent(rng, 15))
		flags |= LOG_CACHED;
	if (kind == OP_WRITE && rng_percent(rng, 10))
		flags |= LOG_FUA;
	if (config.nowait && kind != OP_FSYNC && !(flags & LOG_CACHED) &&
	    rng_percent(rng, 10))
		flags |= LOG_NOWAIT;
	return flags;
}

/* Memory left for the data of this round. */
struct budget {
	u8 *memory;
	u32 bytes;
};

static void prepare(struct worker *worker, struct op *op, struct budget *left)
{
	if (op->kind == OP_FSYNC) {
		op->block = 0;
		op->blocks = 0;
		op->iovs = 0;
	} else if (op->kind == OP_READ || op->kind == OP_WRITE) {
		op_vectors(worker, op, &left->memory);
		left->bytes -= op->blocks * device.block_bytes;
	}
	op_set_range(op);
}

/* One after another on the device, as a stream comes. */
static void follow(struct op *op, const struct op *before)
{
	const struct window *w;
	unsigned int i;

	op->kind = before->kind;
	op->flags = before->flags;
	op->block = before->block + before->blocks;
	op->blocks = before->blocks;
	for (i = 0; i < shadow_windows(); i++) {
		w = shadow_window(i);
		if (before->block - w->start < w->blocks &&
		    op->block + op->blocks > w->start + w->blocks)
			op->block = w->start;
	}
}

static void choose(struct worker *worker, struct op *op, u32 max_bytes,
		   bool alone)
{
	struct rng *rng = &worker->rng;

	op->kind = pick_kind(rng);
	if (!alone && (op->kind == OP_DISCARD || op->kind == OP_ZERO))
		op->kind = OP_WRITE;
	op->flags = pick_flags(rng, op->kind) | (alone ? 0 : LOG_ASYNC);
	op_place(worker, op, max_bytes);
}

/* The first range may be waited for; the others must be free. */
static unsigned int gather(struct worker *worker, unsigned int want)
{
	struct budget left = {worker->arena, config.max_io_bytes};
	bool stream = want > 1 && rng_percent(&worker->rng, 30);
	u32 each = stream ? config.max_io_bytes / want : config.max_io_bytes;
	unsigned int n = 0, tries;

	for (tries = 0; tries < want && left.bytes >= device.block_bytes;
	     tries++) {
		struct op *op = &worker->op[n];
		u32 max = each < left.bytes ? each : left.bytes;

		if (stream && n && op[-1].kind != OP_FSYNC)
			follow(op, &op[-1]);
		else
			choose(worker, op, max, want == 1);
		prepare(worker, op, &left);
		if (!n)
			range_lock(&op->range);
		else if (!range_trylock(&op->range))
			continue;
		n++;
	}
	return n;
}

void batch_run(struct worker *worker)
{
	unsigned int want = 1, n, i;

	if (config.depth > 1 && rng_percent(&worker->rng, 60))
		want += rng_below(&worker->rng, config.depth);
	pause_enter();
	n = gather(worker, want);
	for (i = 0; i < n; i++)
		op_begin(&worker->op[i]);
	if (want == 1)
		op_run(&worker->op[0]);
	else
		uring_run(worker->uring, worker->op, n);
	for (i = 0; i < n; i++)
		op_end(&worker->op[i]);
	for (i = 0; i < n; i++)
		range_unlock(&worker->op[i].range);
	pause_leave();
}
