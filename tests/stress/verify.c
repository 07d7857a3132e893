// SPDX-License-Identifier: GPL-2.0
/*
 * All data against the shadow: once, and once more for each set of members
 * that may be missing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stress.h"

#define PIECE_BYTES (1u << 20)

/* All threads take the next piece from here. */
static _Atomic u64 next_piece;
static u64 pieces;

static u64 piece_blocks(void)
{
	return PIECE_BYTES / device.block_bytes;
}

/* Pieces are numbered through all windows. */
static void locate(u64 piece, u64 *block, u64 *blocks)
{
	const struct window *w = shadow_window(0);
	unsigned int i = 0;
	u64 n, rest;

	for (;;) {
		n = (w->blocks + piece_blocks() - 1) / piece_blocks();
		if (piece < n)
			break;
		piece -= n;
		w = shadow_window(++i);
	}
	*block = w->start + piece * piece_blocks();
	rest = w->blocks - piece * piece_blocks();
	*blocks = rest < piece_blocks() ? rest : piece_blocks();
}

static void *piece_memory(void)
{
	void *memory;

	if (posix_memalign(&memory, PAGE_BYTES, PIECE_BYTES))
		die(EXIT_SYSTEM, "no memory");
	return memory;
}

static void prepare(struct op *op, enum op_kind kind, u64 piece, void *memory)
{
	u64 blocks;

	memset(op, 0, sizeof(*op));
	op->kind = kind;
	op->flags = kind == OP_READ ? LOG_VERIFY : LOG_FILL;
	locate(piece, &op->block, &blocks);
	op->blocks = blocks;
	op->iovs = 1;
	op->iov[0].iov_base = memory;
	op->iov[0].iov_len = blocks * device.block_bytes;
}

static void *run_pieces(void *kind)
{
	void *memory = piece_memory();
	struct op op;
	u64 piece;

	while ((piece = atomic_fetch_add(&next_piece, 1)) < pieces) {
		prepare(&op, (uintptr_t)kind, piece, memory);
		op_set_range(&op);
		range_lock(&op.range);
		op_begin(&op);
		op_run(&op);
		op_end(&op);
		range_unlock(&op.range);
	}
	free(memory);
	return NULL;
}

static void all_pieces(enum op_kind kind)
{
	pthread_t thread[config.threads];
	const struct window *w;
	unsigned int i;

	pieces = 0;
	for (i = 0; i < shadow_windows(); i++) {
		w = shadow_window(i);
		pieces += (w->blocks + piece_blocks() - 1) / piece_blocks();
	}
	atomic_store(&next_piece, 0);
	for (i = 0; i < config.threads; i++)
		if (pthread_create(&thread[i], NULL, run_pieces,
				   (void *)(uintptr_t)kind))
			die(EXIT_SYSTEM, "cannot create a thread");
	for (i = 0; i < config.threads; i++)
		pthread_join(thread[i], NULL);
}

void fill_all(void)
{
	all_pieces(OP_WRITE);
}

void verify_all(const char *what)
{
	oplog_manage("verify all, %s", what);
	all_pieces(OP_READ);
	printf("all data right: %s\n", what);
	fflush(stdout);
}

void verify_check(void)
{
	struct array_info info;
	char out[512], what[600];

	manager_info(&info);
	if (info.level == 0)
		return;
	oplog_manage("check");
	if (manager_run(out, sizeof(out), "check %s", config.path)) {
		snprintf(what, sizeof(what), "check: %s", out);
		report_error(0, EIO, what);
	}
	manager_info(&info);
	printf("check: %llu mismatches\n", (unsigned long long)info.mismatches);
	fflush(stdout);
	if (info.mismatches > config.mismatches) {
		snprintf(what, sizeof(what),
			 "check found %llu mismatches, at most %llu expected",
			 (unsigned long long)info.mismatches,
			 (unsigned long long)config.mismatches);
		report_error(0, EIO, what);
	}
}

static void name_slots(u64 slots, char *out, size_t size)
{
	size_t n = snprintf(out, size, "without slots");
	unsigned int i;

	for (i = 0; i < MAX_MEMBERS; i++)
		if (slots >> i & 1)
			n += snprintf(out + n, size - n, " %u", i);
}

static void verify_without(u64 slots)
{
	char name[256];

	name_slots(slots, name, sizeof(name));
	manager_lose(slots);
	verify_all(name);
	manager_heal();
}

/* All sets of slots that may be missing. */
static u64 *survivable_sets(const struct array_info *info, unsigned int *count)
{
	u64 *set = NULL, slots;
	unsigned int n = 0;

	for (slots = 1; slots >> info->slots == 0; slots++) {
		if (!survivable(info, slots))
			continue;
		if (n % 64 == 0)
			set = reallocarray(set, n + 64, sizeof(*set));
		if (!set)
			die(EXIT_SYSTEM, "no memory");
		set[n++] = slots;
	}
	*count = n;
	return set;
}

void verify_ways(void)
{
	struct rng rng = {config.seed};
	struct array_info info;
	unsigned int sets, i;
	u64 *set, swap;

	manager_info(&info);
	/* with more members than this, the loop over all sets is too long */
	if (!config.ways || info.slots > 16)
		return;
	set = survivable_sets(&info, &sets);
	for (i = 0; i < sets && i < config.ways; i++) {
		unsigned int other = i + rng_below(&rng, sets - i);

		swap = set[i];
		set[i] = set[other];
		set[other] = swap;
		verify_without(set[i]);
	}
	free(set);
	if (sets)
		verify_check();
}
