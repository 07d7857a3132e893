// SPDX-License-Identifier: GPL-2.0
/*
 * raidstress: random operations on an array, verified against a shadow.
 *
 * Fill the device, let workers read, write, discard, zero, sync and race
 * while the manager fails members and brings them back, never more than the
 * level tolerates; then verify everything, check the parity, and verify
 * everything again for each set of members that may be missing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "stress.h"

static time_t deadline;

static bool over(void)
{
	if (config.ops)
		return oplog_total() >= config.ops;
	return time(NULL) >= deadline;
}

static void *worker_loop(void *arg)
{
	struct worker *worker = arg;

	while (!over()) {
		if (config.overlap && config.depth > 1 &&
		    rng_percent(&worker->rng, 12))
			race_run(worker);
		else
			batch_run(worker);
	}
	return NULL;
}

static void worker_create(struct worker *worker, unsigned int number)
{
	/* every vector may begin anywhere in a page */
	size_t slack = (config.depth + 1) * MAX_IOVS * 2 * (size_t)PAGE_BYTES;

	worker->number = number;
	worker->rng.state = mix64(config.seed ^ mix64(number + 1));
	worker->arena_bytes = config.max_io_bytes + slack;
	worker->op = calloc(config.depth, sizeof(*worker->op));
	worker->uring = uring_create(config.depth);
	if (!worker->op || posix_memalign((void **)&worker->arena, PAGE_BYTES,
					  worker->arena_bytes))
		die(EXIT_SYSTEM, "no memory for worker %u", number);
}

static void run_workers(void)
{
	struct worker *worker = calloc(config.threads, sizeof(*worker));
	unsigned int i;

	if (!worker)
		die(EXIT_SYSTEM, "no memory");
	for (i = 0; i < config.threads; i++)
		worker_create(&worker[i], i);
	deadline = time(NULL) + config.secs;
	for (i = 0; i < config.threads; i++)
		if (pthread_create(&worker[i].thread, NULL, worker_loop,
				   &worker[i]))
			die(EXIT_SYSTEM, "cannot create a thread");
	for (i = 0; i < config.threads; i++)
		pthread_join(worker[i].thread, NULL);
}

/* Mirrors may keep different versions of what was overwritten in flight. */
static void look_at_array(void)
{
	struct array_info info;

	manager_create();
	manager_info(&info);
	if (info.level == 1 || info.level == 10)
		config.settle = true;
}

static void print_counts(void)
{
	printf("%llu operations: %llu reads, %llu writes, %llu syncs, "
	       "%llu discards, %llu zeroes, %llu of the manager\n",
	       (unsigned long long)oplog_total(),
	       (unsigned long long)oplog_count(OP_READ),
	       (unsigned long long)oplog_count(OP_WRITE),
	       (unsigned long long)oplog_count(OP_FSYNC),
	       (unsigned long long)oplog_count(OP_DISCARD),
	       (unsigned long long)oplog_count(OP_ZERO),
	       (unsigned long long)oplog_count(OP_MANAGE));
	fflush(stdout);
}

static void run_all(void)
{
	if (config.fill) {
		fill_all();
		verify_all("filled");
	}
	if (config.manager && !config.calm)
		manager_start();
	run_workers();
	if (config.manager && !config.calm)
		manager_stop();
	print_counts();
	verify_all("as the workers left it");
}

int main(int argc, char **argv)
{
	options_parse(argc, argv);
	device_open(config.path);
	printf("raidstress: seed %llu, %s: %llu blocks of %u bytes, "
	       "DMA alignment %u\n",
	       (unsigned long long)config.seed, device.name,
	       (unsigned long long)device.blocks, device.block_bytes,
	       device.dma_align);
	fflush(stdout);
	oplog_create();
	shadow_create();
	if (config.manager)
		look_at_array();
	stall_watch();
	run_all();
	if (config.manager) {
		manager_heal();
		verify_all("all members back");
		verify_check();
		verify_ways();
	}
	printf("raidstress: PASS, seed %llu\n",
	       (unsigned long long)config.seed);
	return 0;
}
