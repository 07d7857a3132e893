// SPDX-License-Identifier: GPL-2.0
/*
 * A race on purpose: overlapping writes and reads in flight at once.
 *
 * The round holds the whole range alone, so only its own operations are to
 * blame.  A block that no write covers keeps its version.  A block that some
 * cover must end as one of them, whole; a read that ran meanwhile may also
 * have seen the old one.  What is found at the end must stay.
 */
#include <errno.h>

#include "stress.h"

static bool covers(const struct op *op, u64 block)
{
	return op->kind == OP_WRITE && block - op->block < op->blocks;
}

/* @old: the version from before the race is possible even where covered */
static bool possible(const struct op *op, unsigned int n, u64 block, u32 found,
		     bool old)
{
	u32 before = *shadow_cell(block);
	bool covered = false;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!covers(&op[i], block))
			continue;
		if (found == op[i].id)
			return true;
		covered = true;
	}
	if (covered && !old)
		return false;
	return before == CELL_ANY || found == before;
}

static bool any_covers(const struct op *op, unsigned int n, u64 block)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (covers(&op[i], block))
			return true;
	return false;
}

static void check_read(const struct op *read, const struct op *op,
		       unsigned int n, bool old)
{
	u32 i;

	for (i = 0; i < read->blocks; i++) {
		u64 block = read->block + i;
		u32 found = stamp_version(op_data(read, i), block);

		if (!possible(op, n, block, found, old))
			report_mismatch(
				op_data(read, i), block,
				old ? CELL_ANY : *shadow_cell(block), read->id,
				old ? "read in a race" : "after a race");
	}
}

/* A part of @whole. */
static void place_within(struct worker *worker, struct op *op,
			 const struct op *whole)
{
	struct rng *rng = &worker->rng;

	op->kind = rng_percent(rng, 75) ? OP_WRITE : OP_READ;
	op->flags = LOG_ASYNC | LOG_RACE;
	if (op->kind == OP_WRITE && rng_percent(rng, 10))
		op->flags |= LOG_FUA;
	op->block = whole->block + rng_below(rng, whole->blocks);
	op->blocks =
		1 + rng_below(rng, whole->block + whole->blocks - op->block);
}

static void must_be_whole(const struct op *op)
{
	if (op->result != (long)op->blocks * device.block_bytes)
		report_error(op->id, op->result < 0 ? -op->result : EIO,
			     "an operation in a race");
}

/* What each block of the range holds now is what it must hold from now on. */
static void settle(struct op *whole, const struct op *op, unsigned int n)
{
	u32 *cell = shadow_cell(whole->block);
	u32 i;

	whole->kind = OP_READ;
	whole->flags = LOG_RACE;
	op_begin(whole);
	op_run(whole);
	must_be_whole(whole);
	check_read(whole, op, n, false);
	for (i = 0; i < whole->blocks; i++)
		if (any_covers(op, n, whole->block + i))
			cell[i] = stamp_version(op_data(whole, i),
						whole->block + i);
	if (!config.settle)
		return;
	whole->kind = OP_WRITE;
	op_begin(whole);
	op_run(whole);
	op_end(whole);
}

void race_run(struct worker *worker)
{
	struct op whole = {.kind = OP_WRITE}, *op = worker->op;
	unsigned int n = 2 + rng_below(&worker->rng, config.depth), i;
	u8 *memory = worker->arena;

	if (n > config.depth)
		n = config.depth;
	pause_enter();
	/* the arena serves all of the operations and the last read */
	op_place(worker, &whole, config.max_io_bytes / (n + 1));
	op_vectors(worker, &whole, &memory);
	op_set_range(&whole);
	range_lock(&whole.range);
	for (i = 0; i < n; i++) {
		place_within(worker, &op[i], &whole);
		op_vectors(worker, &op[i], &memory);
		op_begin(&op[i]);
	}
	uring_run(worker->uring, op, n);
	for (i = 0; i < n; i++)
		must_be_whole(&op[i]);
	for (i = 0; i < n; i++)
		if (op[i].kind == OP_READ)
			check_read(&op[i], op, n, true);
	settle(&whole, op, n);
	range_unlock(&whole.range);
	pause_leave();
}
