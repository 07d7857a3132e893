// SPDX-License-Identifier: GPL-2.0
/*
 * The last operations, and the report when something is wrong.
 *
 * Every operation has a number; a write's number is the version that it
 * stamps on its blocks, so a block found later leads back to its writer.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"

#define LOG_ENTRIES (1u << 16)
#define TAIL 25
#define RELATED 16
#define RUNNING_RESULT (-0x7fffffffL)

struct entry {
	u32 id;
	u32 kind;
	unsigned int flags;
	u64 block;
	u64 blocks;
	/* microseconds since the start */
	u64 begin;
	u64 end;
	long result;
	char text[72];
};

static const char *const kind_name[OP_KINDS] = {
	[OP_READ] = "read", [OP_WRITE] = "write",     [OP_FSYNC] = "fsync",
	[OP_ZERO] = "zero", [OP_DISCARD] = "discard", [OP_MANAGE] = "manage",
};

static struct entry *entries;
static struct timespec start;
static _Atomic u32 next_id = FIRST_VERSION;
static _Atomic u64 count[OP_KINDS];
static _Atomic u64 ended;
static pthread_mutex_t report_mutex = PTHREAD_MUTEX_INITIALIZER;

static u64 now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (t.tv_sec - start.tv_sec) * 1000000ULL +
	       (t.tv_nsec - start.tv_nsec) / 1000;
}

void oplog_create(void)
{
	entries = calloc(LOG_ENTRIES, sizeof(*entries));
	if (!entries)
		die(EXIT_SYSTEM, "no memory for the log");
	clock_gettime(CLOCK_MONOTONIC, &start);
}

u32 oplog_begin(enum op_kind kind, u64 block, u64 blocks, unsigned int flags)
{
	u32 id = atomic_fetch_add(&next_id, 1);
	struct entry *e = &entries[id % LOG_ENTRIES];

	*e = (struct entry){
		.id = id,
		.kind = kind,
		.flags = flags,
		.block = block,
		.blocks = blocks,
		.begin = now_us(),
		.result = RUNNING_RESULT,
	};
	atomic_fetch_add(&count[kind], 1);
	return id;
}

void oplog_end(u32 id, long result)
{
	struct entry *e = &entries[id % LOG_ENTRIES];

	atomic_fetch_add(&ended, 1);
	if (e->id != id)
		return;
	e->end = now_us();
	e->result = result;
}

void oplog_manage(const char *fmt, ...)
{
	u32 id = oplog_begin(OP_MANAGE, 0, 0, 0);
	struct entry *e = &entries[id % LOG_ENTRIES];
	va_list args;

	va_start(args, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, args);
	va_end(args);
	oplog_end(id, 0);
}

void oplog_pulse(void)
{
	atomic_fetch_add(&ended, 1);
}

u64 oplog_total(void)
{
	return atomic_load(&next_id) - FIRST_VERSION;
}

u64 oplog_count(enum op_kind kind)
{
	return atomic_load(&count[kind]);
}

static void print_entry(const struct entry *e)
{
	fprintf(stderr, "  op %u %s", e->id, kind_name[e->kind]);
	if (e->kind == OP_MANAGE)
		fprintf(stderr, " %s", e->text);
	else if (e->kind != OP_FSYNC)
		fprintf(stderr, " blocks %llu..%llu",
			(unsigned long long)e->block,
			(unsigned long long)(e->block + e->blocks - 1));
	fprintf(stderr, "%s%s%s%s%s%s%s",
		e->flags & LOG_CACHED ? " cached" : "",
		e->flags & LOG_FUA ? " fua" : "",
		e->flags & LOG_NOWAIT ? " nowait" : "",
		e->flags & LOG_ASYNC ? " async" : "",
		e->flags & LOG_RACE ? " race" : "",
		e->flags & LOG_FILL ? " fill" : "",
		e->flags & LOG_VERIFY ? " verify" : "");
	fprintf(stderr, ", at %.6f s", e->begin / 1e6);
	if (e->result == RUNNING_RESULT)
		fprintf(stderr, ", IN FLIGHT\n");
	else
		fprintf(stderr, " for %llu us = %ld\n",
			(unsigned long long)(e->end - e->begin), e->result);
}

static void print_tail(void)
{
	u32 last = atomic_load(&next_id), i;

	fprintf(stderr, "The last operations:\n");
	for (i = last > TAIL ? last - TAIL : FIRST_VERSION; i < last; i++)
		if (entries[i % LOG_ENTRIES].id == i)
			print_entry(&entries[i % LOG_ENTRIES]);
}

static bool related(const struct entry *e, u64 block)
{
	if (e->kind == OP_MANAGE)
		return true;
	return e->kind != OP_FSYNC && block - e->block < e->blocks;
}

static void print_related(u64 block)
{
	u32 last = atomic_load(&next_id), i, found = 0;
	u32 oldest = last > LOG_ENTRIES ? last - LOG_ENTRIES : FIRST_VERSION;

	fprintf(stderr,
		"Operations on block %llu and on the array, newest first:\n",
		(unsigned long long)block);
	for (i = last; i-- > oldest && found < RELATED;) {
		const struct entry *e = &entries[i % LOG_ENTRIES];

		if (e->id == i && related(e, block)) {
			print_entry(e);
			found++;
		}
	}
}

static void print_writer(const char *what, u32 version)
{
	const struct entry *e = &entries[version % LOG_ENTRIES];

	if (version < FIRST_VERSION)
		return;
	if (e->id == version) {
		fprintf(stderr, "%s was written by:\n", what);
		print_entry(e);
	} else {
		fprintf(stderr, "%s was written by op %u, no longer logged\n",
			what, version);
	}
}

/* Never unlocked: the first report is the last. */
static void report_begin(void)
{
	pthread_mutex_lock(&report_mutex);
	fflush(stdout);
}

/* What a person needs most comes last. */
static __attribute__((noreturn)) void report_end(int code)
{
	fprintf(stderr, "%s\nseed %llu, %llu operations, %.3f s\n",
		config.command_line, (unsigned long long)config.seed,
		(unsigned long long)oplog_total(), now_us() / 1e6);
	_exit(code);
}

static void report_reread(u64 block)
{
	char text[160];
	void *again;
	u64 at = block * device.block_bytes;

	if (posix_memalign(&again, PAGE_BYTES, PAGE_BYTES))
		return;
	if (pread(device.direct, again, device.block_bytes, at) !=
	    (ssize_t)device.block_bytes) {
		fprintf(stderr, "read again: %s\n", strerror(errno));
		return;
	}
	stamp_describe(again, block, text, sizeof(text));
	fprintf(stderr, "read again: %s\n", text);
}

void report_mismatch(const void *buf, u64 block, u32 expected, u32 reader,
		     const char *what)
{
	u32 got = stamp_version(buf, block);
	char text[160];

	stamp_describe(buf, block, text, sizeof(text));
	report_begin();
	fprintf(stderr,
		"WRONG DATA (%s) in block %llu of %u bytes, sector %llu\n",
		what, (unsigned long long)block, device.block_bytes,
		(unsigned long long)block * (device.block_bytes / 512));
	if (expected == CELL_ZERO)
		fprintf(stderr, "expected: zeros\n");
	else if (expected == CELL_ANY)
		fprintf(stderr, "expected: one of several versions\n");
	else
		fprintf(stderr, "expected: stamp of version %u\n", expected);
	fprintf(stderr, "got:        %s\n", text);
	report_reread(block);
	print_writer("The expected version", expected);
	print_writer("What was found", got);
	if (entries[reader % LOG_ENTRIES].id == reader) {
		fprintf(stderr, "The reader:\n");
		print_entry(&entries[reader % LOG_ENTRIES]);
	}
	report_end(EXIT_WRONG);
}

void report_error(u32 id, long error, const char *what)
{
	const struct entry *e = &entries[id % LOG_ENTRIES];

	report_begin();
	print_tail();
	if (id && e->id == id)
		print_related(e->block);
	fprintf(stderr, "FAILED: %s: %s\n", what, strerror(error));
	if (id && e->id == id)
		print_entry(e);
	report_end(EXIT_WRONG);
}

static void report_stall(void)
{
	u32 last = atomic_load(&next_id), i;

	report_begin();
	print_tail();
	fprintf(stderr, "HANG: nothing has completed for %u s; in flight:\n",
		config.stall_secs);
	for (i = last > LOG_ENTRIES ? last - LOG_ENTRIES : FIRST_VERSION;
	     i < last; i++) {
		const struct entry *e = &entries[i % LOG_ENTRIES];

		if (e->id == i && e->result == RUNNING_RESULT)
			print_entry(e);
	}
	report_end(EXIT_STALLED);
}

static void *stall_thread(void *unused)
{
	u64 seen = atomic_load(&ended);
	unsigned int quiet = 0;

	for (;;) {
		sleep(1);
		quiet = atomic_load(&ended) == seen ? quiet + 1 : 0;
		seen = atomic_load(&ended);
		if (quiet >= config.stall_secs)
			report_stall();
	}
	return unused;
}

void stall_watch(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, stall_thread, NULL))
		die(EXIT_SYSTEM, "cannot create a thread");
}
