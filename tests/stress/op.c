// SPDX-License-Identifier: GPL-2.0
/*
 * One operation: where, with which memory, run, and what it means for the
 * shadow.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "stress.h"

#define HOT_BYTES (2u << 20)
#define POISON 0xa5a5a5a5a5a5a5a5ULL

/* Mostly small, now and then up to the limit. */
static u32 pick_bytes(struct rng *rng, u32 max_bytes)
{
	static const struct {
		unsigned int percent;
		u32 low;
		u32 high;
	} sizes[] = {
		{40, 512, 4096},
		{30, 4096, 65536},
		{22, 65536, 1u << 20},
		{8, 1u << 20, 4u << 20},
	};
	u64 r = rng_below(rng, 100), bytes = 0;
	unsigned int i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (r < sizes[i].percent) {
			bytes = sizes[i].low +
				rng_below(rng, sizes[i].high - sizes[i].low);
			break;
		}
		r -= sizes[i].percent;
	}
	/* every third is made of whole pages */
	if (rng_percent(rng, 33))
		bytes = (bytes + PAGE_BYTES - 1) & ~(u64)(PAGE_BYTES - 1);
	return bytes < max_bytes ? bytes : max_bytes;
}

/*
 * All threads crowd in one small place that moves from time to time, so that
 * they meet in the same rows.
 */
static u64 hot_start(u64 blocks, u64 hot)
{
	u64 era = oplog_total() >> 10;

	return mix64(config.seed ^ (era + 1) * 0x9e3779b97f4a7c15ULL) %
	       (blocks - hot + 1);
}

void op_place(struct worker *worker, struct op *op, u32 max_bytes)
{
	struct rng *rng = &worker->rng;
	const struct window *w =
		shadow_window(rng_below(rng, shadow_windows()));
	u32 blocks = pick_bytes(rng, max_bytes) / device.block_bytes;
	u64 hot = HOT_BYTES / device.block_bytes;
	u64 at, page = PAGE_BYTES / device.block_bytes;

	if (!blocks)
		blocks = 1;
	if (blocks > w->blocks)
		blocks = w->blocks;
	if (hot > w->blocks)
		hot = w->blocks;
	if (blocks <= hot && rng_percent(rng, 50))
		at = hot_start(w->blocks, hot) +
		     rng_below(rng, hot - blocks + 1);
	else
		at = rng_below(rng, w->blocks - blocks + 1);
	if (rng_percent(rng, 33))
		at -= at % page;
	op->block = w->start + at;
	op->blocks = blocks;
}

/* One to four vectors of whole blocks, each at any address that DMA allows. */
void op_vectors(struct worker *worker, struct op *op, u8 **memory)
{
	struct rng *rng = &worker->rng;
	u32 left = op->blocks, blocks;
	unsigned int i;

	op->iovs = rng_percent(rng, 60) ? 1 : 1 + rng_below(rng, MAX_IOVS);
	if (op->iovs > left)
		op->iovs = left;
	for (i = 0; i < op->iovs; i++) {
		u32 rest = op->iovs - 1 - i;
		u64 shift = 0;

		blocks = rest ? 1 + rng_below(rng, left - rest) : left;
		if (rng_percent(rng, 50) && device.dma_align < PAGE_BYTES)
			shift = rng_below(rng, PAGE_BYTES / device.dma_align) *
				device.dma_align;
		op->iov[i].iov_base = *memory + shift;
		op->iov[i].iov_len = (size_t)blocks * device.block_bytes;
		*memory += (shift + op->iov[i].iov_len + PAGE_BYTES - 1) &
			   ~(size_t)(PAGE_BYTES - 1);
		left -= blocks;
	}
}

void *op_data(const struct op *op, u32 i)
{
	size_t offset = (size_t)i * device.block_bytes;
	const struct iovec *iov = op->iov;

	for (; offset >= iov->iov_len; iov++)
		offset -= iov->iov_len;
	return (u8 *)iov->iov_base + offset;
}

void op_set_range(struct op *op)
{
	u64 page = PAGE_BYTES / device.block_bytes;

	op->range.start = op->block;
	op->range.end = op->block + op->blocks;
	op->range.exclusive = op->kind != OP_READ;
	if (op->kind == OP_FSYNC) {
		op->range.start = 0;
		op->range.end = 0;
		return;
	}
	/* These also touch the rest of a page in the cache. */
	if ((op->flags & LOG_CACHED) || op->kind == OP_DISCARD ||
	    op->kind == OP_ZERO) {
		op->range.start -= op->range.start % page;
		op->range.end += (page - op->range.end % page) % page;
	}
}

static void poison(const struct op *op)
{
	u32 i;

	for (i = 0; i < op->blocks; i++)
		*(u64 *)op_data(op, i) = POISON + i;
}

void op_begin(struct op *op)
{
	u32 i;

	op->id = oplog_begin(op->kind, op->block, op->blocks, op->flags);
	if (op->kind == OP_READ)
		poison(op);
	if (op->kind == OP_WRITE)
		for (i = 0; i < op->blocks; i++)
			stamp_fill(op_data(op, i), op->block + i, op->id);
}

static int rw_flags(const struct op *op)
{
	return (op->flags & LOG_FUA ? RWF_DSYNC : 0) |
	       (op->flags & LOG_NOWAIT ? RWF_NOWAIT : 0);
}

/* The three ways to get zeros; some drivers know only some of them. */
static long run_zero(const struct op *op, u64 at, u64 bytes)
{
	u64 range[2] = {at, bytes};
	int mode;

	if (op->id % 3 == 0)
		return ioctl(device.direct, BLKZEROOUT, range);
	mode = op->id % 3 == 1 ? FALLOC_FL_ZERO_RANGE : FALLOC_FL_PUNCH_HOLE;
	return fallocate(device.direct, mode | FALLOC_FL_KEEP_SIZE, at, bytes);
}

static long run_kind(const struct op *op)
{
	int fd = op->flags & LOG_CACHED ? device.cached : device.direct;
	u64 at = op->block * device.block_bytes;
	u64 bytes = (u64)op->blocks * device.block_bytes;
	u64 range[2] = {at, bytes};

	switch (op->kind) {
	case OP_READ:
		return preadv2(fd, op->iov, op->iovs, at, rw_flags(op));
	case OP_WRITE:
		return pwritev2(fd, op->iov, op->iovs, at, rw_flags(op));
	case OP_FSYNC:
		return op->id % 2 ? fsync(fd) : fdatasync(fd);
	case OP_DISCARD:
		return ioctl(fd, BLKDISCARD, range);
	case OP_ZERO:
		return run_zero(op, at, bytes);
	default:
		return 0;
	}
}

void op_run(struct op *op)
{
	long result = run_kind(op);

	op->result = result < 0 ? -errno : result;
	oplog_end(op->id, op->result);
}

static bool complete(const struct op *op)
{
	if (op->kind == OP_READ || op->kind == OP_WRITE)
		return op->result == (long)op->blocks * device.block_bytes;
	return !op->result;
}

/* Without a wait, less or nothing may have been done: now with one. */
static bool may_repeat(const struct op *op)
{
	if (op->result >= 0)
		return true;
	return (op->flags & LOG_NOWAIT) &&
	       (op->result == -EAGAIN || op->result == -EOPNOTSUPP);
}

static void verify_data(const struct op *op, const char *what)
{
	const u32 *cell = shadow_cell(op->block);
	u32 i;

	for (i = 0; i < op->blocks; i++)
		if (cell[i] != CELL_ANY &&
		    !stamp_equal(op_data(op, i), op->block + i, cell[i]))
			report_mismatch(op_data(op, i), op->block + i, cell[i],
					op->id, what);
}

static void read_back(struct op *op)
{
	struct op back = *op;

	back.kind = OP_READ;
	back.flags &= LOG_CACHED;
	op_begin(&back);
	op_run(&back);
	if (!complete(&back))
		report_error(back.id, back.result < 0 ? -back.result : EIO,
			     "read after write");
	verify_data(&back, "read after write");
}

static void end_write(struct op *op)
{
	shadow_set(op->block, op->blocks, op->id);
	if (mix64(op->id) % 5 == 0)
		read_back(op);
}

static bool unsupported(const struct op *op)
{
	return (op->kind == OP_DISCARD || op->kind == OP_ZERO) &&
	       op->result == -EOPNOTSUPP;
}

void op_end(struct op *op)
{
	if (!complete(op) && may_repeat(op)) {
		op->flags &= ~LOG_NOWAIT;
		op_run(op);
	}
	if (!complete(op) && !unsupported(op))
		report_error(op->id, op->result < 0 ? -op->result : EIO,
			     op->result < 0 ? "an operation"
					    : "an operation ended short");
	switch (op->kind) {
	case OP_READ:
		verify_data(op, "read");
		break;
	case OP_WRITE:
		end_write(op);
		break;
	case OP_DISCARD:
		shadow_set(op->block, op->blocks, CELL_ANY);
		break;
	case OP_ZERO:
		shadow_set(op->block, op->blocks,
			   op->result ? CELL_ANY : CELL_ZERO);
		break;
	default:
		break;
	}
}
