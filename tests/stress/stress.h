/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the stress programs share.
 *
 * The device is a row of blocks (its logical block size).  Every write has a
 * version, unique in the run, and fills each block with a stamp that is
 * derived from (seed, block, version).  The shadow holds the version that
 * each block must have: four bytes a block, no data.
 *
 * Whoever does I/O holds the range it touches in the range lock, shared for
 * reads and exclusive for all else; shadow cells are only looked at and
 * changed under it.  What is wrong is reported once, by the first to see it,
 * and ends the process with 1.
 */
#ifndef STRESS_H
#define STRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

#define MAX_WINDOWS 16
#define MAX_MEMBERS 64
#define MAX_BLOCK_BYTES 4096u
#define PAGE_BYTES 4096u
#define MAX_IOVS 4

/* Exit codes. */
enum {
	EXIT_WRONG = 1,
	EXIT_STALLED = 2,
	EXIT_USAGE = 3,
	EXIT_SYSTEM = 4,
};

struct config {
	const char *path;
	u64 seed;
	unsigned int secs;
	/* 0: until @secs are over */
	u64 ops;
	unsigned int threads;
	/* most operations in flight in one thread */
	unsigned int depth;
	u32 max_io_bytes;
	/* of memory for direct I/O; a power of two */
	u32 align;
	/* seconds without any completion that count as a hang */
	unsigned int stall_secs;
	/* parts of the device to use, in bytes; none: all of it */
	unsigned int windows;
	u64 window[MAX_WINDOWS][2];
	bool fill;
	bool discard;
	bool buffered;
	bool nowait;
	bool overlap;
	/* rewrite what overlapping writers left (mirrors may differ there) */
	bool settle;
	bool uring;
	/* program that fails, adds, checks...; NULL: leave the array alone */
	const char *manager;
	bool restart;
	bool calm;
	/* sets of missing members that are verified at the end */
	unsigned int ways;
	/* check must find this many mismatches at most */
	u64 mismatches;
	const char *command_line;
};

extern struct config config;

/* A splitmix64 stream; each thread has its own. */
struct rng {
	u64 state;
};

static inline u64 mix64(u64 x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static inline u64 rng_next(struct rng *rng)
{
	rng->state += 0x9e3779b97f4a7c15ULL;
	return mix64(rng->state);
}

/* 0 .. n-1 */
static inline u64 rng_below(struct rng *rng, u64 n)
{
	return n ? rng_next(rng) % n : 0;
}

static inline bool rng_percent(struct rng *rng, unsigned int percent)
{
	return rng_below(rng, 100) < percent;
}

/* device.c: the block device */
struct device {
	/* kernel name: "mqr0" */
	char name[32];
	u32 block_bytes;
	u64 blocks;
	/* memory for direct I/O must be aligned to this */
	u32 dma_align;
	bool can_discard;
	bool can_zero;
	/* reopened by a restart, which keeps everybody out meanwhile */
	int direct;
	int cached;
};

extern struct device device;

void device_open(const char *path);
void device_reopen(void);
void device_close(void);
/* The value of a file in /sys/block/NAME, or @absent. */
u64 device_sysfs(const char *file, u64 absent);
void die(int code, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

/* stamp.c: contents of blocks */
/* Cell values that are no version. */
#define CELL_ANY 0u
#define CELL_ZERO 1u
#define FIRST_VERSION 2u

void stamp_fill(void *buf, u64 block, u32 version);
bool stamp_equal(const void *buf, u64 block, u32 version);
/* CELL_ZERO or the version of a sound stamp of @block; else CELL_ANY */
u32 stamp_version(const void *buf, u64 block);
/* One line about what @buf holds. */
void stamp_describe(const void *buf, u64 block, char *out, size_t size);

/* shadow.c: what each block must hold, and the range lock */
struct window {
	u64 start;
	u64 blocks;
	u32 *cell;
};

/* A range that is held; lives with whoever holds it. */
struct range {
	u64 start;
	u64 end;
	bool exclusive;
	struct range *next;
};

void shadow_create(void);
unsigned int shadow_windows(void);
const struct window *shadow_window(unsigned int i);
u32 *shadow_cell(u64 block);
void shadow_set(u64 block, u64 blocks, u32 value);
void range_lock(struct range *range);
bool range_trylock(struct range *range);
void range_unlock(struct range *range);

/* oplog.c: the last operations, and the report when something is wrong */
enum op_kind {
	OP_READ,
	OP_WRITE,
	OP_FSYNC,
	OP_DISCARD,
	OP_ZERO,
	OP_MANAGE,
	OP_KINDS,
};

/* Why an operation is in the log: bits beside the kind. */
#define LOG_CACHED 1u
#define LOG_FUA 2u
#define LOG_NOWAIT 4u
#define LOG_ASYNC 8u
#define LOG_RACE 16u
#define LOG_FILL 32u
#define LOG_VERIFY 64u

void oplog_create(void);
/* The number of a new operation; that of a write is its version. */
u32 oplog_begin(enum op_kind kind, u64 block, u64 blocks, unsigned int flags);
void oplog_end(u32 id, long result);
void oplog_manage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Something goes on: no hang. */
void oplog_pulse(void);
u64 oplog_total(void);
u64 oplog_count(enum op_kind kind);
/* @buf holds @block, which should have been @expected: report, exit */
void report_mismatch(const void *buf, u64 block, u32 expected, u32 reader,
		     const char *what) __attribute__((noreturn));
void report_error(u32 id, long error, const char *what)
	__attribute__((noreturn));
/* A watchdog that reports a hang. */
void stall_watch(void);

/* op.c: one operation */
struct op {
	enum op_kind kind;
	u64 block;
	u32 blocks;
	/* LOG_* */
	unsigned int flags;
	u32 id;
	unsigned int iovs;
	struct iovec iov[MAX_IOVS];
	long result;
	struct range range;
};

struct worker {
	pthread_t thread;
	unsigned int number;
	struct rng rng;
	/* memory for the data of a batch */
	u8 *arena;
	size_t arena_bytes;
	struct uring *uring;
	struct op *op;
};

/* Choose size and place; @max_bytes bounds the size. */
void op_place(struct worker *worker, struct op *op, u32 max_bytes);
/* Point the vectors of @op into memory at *@memory, which moves on. */
void op_vectors(struct worker *worker, struct op *op, u8 **memory);
/* What must be held while @op runs. */
void op_set_range(struct op *op);
/* Stamp the data of a write; begin the log entry. */
void op_begin(struct op *op);
/* Run it here and now. */
void op_run(struct op *op);
/* Take over the result: retry, verify, move the shadow. */
void op_end(struct op *op);
/* Memory of the @i-th block of @op. */
void *op_data(const struct op *op, u32 i);

/* uring.c: operations in flight at once, with raw system calls */
struct uring *uring_create(unsigned int entries);
/* Run @n reads, writes and fsyncs; on return all have their result. */
void uring_run(struct uring *uring, struct op *op, unsigned int n);
int uring_write_fixed(struct uring *u, const void *buffer, size_t bytes,
		      u64 at);

/* batch.c, race.c: what a worker does in one round */
void batch_run(struct worker *worker);
void race_run(struct worker *worker);

/* manage.c: the array under test */
enum slot_state {
	SLOT_ABSENT,
	SLOT_REBUILDING,
	SLOT_IN_SYNC,
};

struct array_info {
	int level;
	unsigned int slots;
	enum slot_state slot[MAX_MEMBERS];
	char dev[MAX_MEMBERS][64];
	/* failed ones that may be removed */
	unsigned int faulty;
	char faulty_dev[MAX_MEMBERS][64];
	/* spares that wait */
	unsigned int spares;
	char spare_dev[MAX_MEMBERS][64];
	bool syncing;
	u64 mismatches;
};

/* Run the manager; its output goes to @out (may be NULL).  Exit code. */
int manager_run(char *out, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void manager_info(struct array_info *info);
bool survivable(const struct array_info *info, u64 missing);
u64 missing_slots(const struct array_info *info);
/* The devices of the array as it is now are those that come and go. */
void manager_create(void);
/* Take the members of @slots (a mask) out. */
void manager_lose(u64 slots);
/* Bring all members back and wait until they are in sync. */
void manager_heal(void);
/* Let rebuilds and checks end. */
void manager_wait(void);
/* The manager's own thread: random failures and returns until told to end. */
void manager_start(void);
void manager_stop(void);
/* Held (shared) by workers; a restart of the array takes it alone. */
void pause_enter(void);
void pause_leave(void);

/* verify.c: all data, and all data without members */
void verify_all(const char *what);
void verify_check(void);
void verify_ways(void);
void fill_all(void);

/* size.c */
u64 parse_size(const char *text, char **end);
/* "START+SIZE" */
bool parse_window(const char *text, u64 window[2]);

/* options.c */
void options_parse(int argc, char **argv);

#endif
