// SPDX-License-Identifier: GPL-2.0
/*
 * scribble DEVICE SECS SEED [MANAGER [MISMATCHES]]: programs that change the
 * memory that they are writing from.
 *
 * Every other 64 KiB of the device holds stamps that nobody touches again.
 * Into the others one thread writes by direct I/O, while a second one keeps
 * changing its buffer.  Afterwards those may hold anything, but the parity
 * must fit, and the neighbours must be right whichever members are missing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"

#define STRIP_BYTES 65536u
#define BUFFER_BYTES (1u << 20)
#define WRITERS 2

struct scribbler {
	pthread_t writer;
	pthread_t flipper;
	unsigned int number;
	u8 *buffer;
	atomic_bool *ends;
};

static void *flip(void *arg)
{
	struct scribbler *s = arg;
	volatile u64 *word = (u64 *)s->buffer;
	u64 value = 0;
	unsigned int i;

	while (!atomic_load(s->ends))
		for (value++, i = s->number; i < BUFFER_BYTES / sizeof(u64);
		     i += 61)
			word[i] = value;
	return NULL;
}

/* Several odd strips; the even ones between them aren't written. */
static void write_some(struct scribbler *s, struct rng *rng)
{
	u64 strips = device.blocks * device.block_bytes / STRIP_BYTES;
	u64 strip = rng_below(rng, strips / 2) * 2 + 1;
	u32 blocks = STRIP_BYTES / device.block_bytes;
	u32 first = rng_below(rng, blocks);
	u32 count = 1 + rng_below(rng, blocks - first);
	u64 at = strip * STRIP_BYTES + (u64)first * device.block_bytes;
	u32 id = oplog_begin(OP_WRITE, at / device.block_bytes, count, 0);
	size_t bytes = (size_t)count * device.block_bytes;
	u64 shift = rng_below(rng, (BUFFER_BYTES - bytes) / PAGE_BYTES + 1);
	ssize_t done = pwrite(device.direct, s->buffer + shift * PAGE_BYTES,
			      bytes, at);

	oplog_end(id, done);
	if (done != (ssize_t)bytes)
		report_error(id, done < 0 ? errno : EIO, "a write");
}

static void *write_loop(void *arg)
{
	struct scribbler *s = arg;
	struct rng rng = {mix64(config.seed ^ s->number)};
	time_t end = time(NULL) + config.secs;

	while (time(NULL) < end)
		write_some(s, &rng);
	return NULL;
}

static void run(void)
{
	struct scribbler s[WRITERS] = {0};
	atomic_bool ends = false;
	unsigned int i;

	for (i = 0; i < WRITERS; i++) {
		s[i].number = i + 1;
		s[i].ends = &ends;
		if (posix_memalign((void **)&s[i].buffer, PAGE_BYTES,
				   BUFFER_BYTES) ||
		    pthread_create(&s[i].flipper, NULL, flip, &s[i]) ||
		    pthread_create(&s[i].writer, NULL, write_loop, &s[i]))
			die(EXIT_SYSTEM, "cannot start");
	}
	for (i = 0; i < WRITERS; i++)
		pthread_join(s[i].writer, NULL);
	atomic_store(&ends, true);
	for (i = 0; i < WRITERS; i++)
		pthread_join(s[i].flipper, NULL);
}

static void forget_scribbled(void)
{
	u32 blocks = STRIP_BYTES / device.block_bytes;
	u64 at;

	for (at = blocks; at + blocks <= device.blocks; at += 2 * blocks)
		shadow_set(at, blocks, CELL_ANY);
}

static void parse(int argc, char **argv)
{
	if (argc < 4)
		die(EXIT_USAGE,
		    "scribble DEVICE SECS SEED [MANAGER [MISMATCHES]]");
	config.path = argv[1];
	config.secs = atoi(argv[2]);
	config.seed = strtoull(argv[3], NULL, 0);
	config.manager = argc > 4 ? argv[4] : NULL;
	config.mismatches = argc > 5 ? strtoull(argv[5], NULL, 0) : 0;
	config.threads = 4;
	config.ways = 6;
	config.stall_secs = 120;
	config.command_line = "scribble";
}

int main(int argc, char **argv)
{
	parse(argc, argv);
	device_open(config.path);
	if (device.blocks * device.block_bytes < 4 * STRIP_BYTES)
		die(EXIT_USAGE, "%s: too small", config.path);
	oplog_create();
	shadow_create();
	stall_watch();
	if (config.manager)
		manager_create();
	fill_all();
	forget_scribbled();
	run();
	verify_all("the neighbours");
	if (config.manager) {
		verify_check();
		verify_ways();
	}
	printf("scribble: PASS, %llu writes, seed %llu\n",
	       (unsigned long long)oplog_count(OP_WRITE),
	       (unsigned long long)config.seed);
	return 0;
}
