// SPDX-License-Identifier: GPL-2.0
/*
 * The array under test: fail, remove, add, check, restart.
 *
 * All of it is done by a program, the manager (tests/stress/manage), called
 * as MANAGER VERB DEVICE [MEMBER]; so the tester works on any kind of array
 * that has one.  "info" prints what we know about the array, a line each:
 *
 *	level 6
 *	sync rebuild|resync|check|repair|idle
 *	mismatches 0
 *	slot 0 in_sync|rebuilding|absent [/dev/x]
 *	faulty /dev/y
 *	spare /dev/z
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress.h"

#define WAIT_LIMIT_SECS 600
#define POLL_US 300000

/* Every device that the array had at the start. */
static char pool[2 * MAX_MEMBERS][64];
static unsigned int pool_size;

static pthread_t manager_thread;
static atomic_bool manager_ends;
static pthread_rwlock_t pause_lock =
	PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

void pause_enter(void)
{
	pthread_rwlock_rdlock(&pause_lock);
}

void pause_leave(void)
{
	pthread_rwlock_unlock(&pause_lock);
}

int manager_run(char *out, size_t size, const char *fmt, ...)
{
	char command[512], rest[512];
	size_t n = 0;
	va_list args;
	FILE *pipe;
	int status;

	va_start(args, fmt);
	vsnprintf(rest, sizeof(rest), fmt, args);
	va_end(args);
	snprintf(command, sizeof(command), "%s %.400s 2>&1", config.manager,
		 rest);
	pipe = popen(command, "re");
	if (!pipe)
		die(EXIT_SYSTEM, "%s: %s", command, strerror(errno));
	if (out) {
		n = fread(out, 1, size - 1, pipe);
		out[n] = 0;
	}
	status = pclose(pipe);
	oplog_pulse();
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SYSTEM;
}

/* A command that must work; it is logged. */
static void manager_must(const char *verb, const char *member)
{
	char out[400], what[600];

	oplog_manage("%s %s", verb, member);
	if (manager_run(out, sizeof(out), "%s %s %s", verb, config.path,
			member)) {
		snprintf(what, sizeof(what), "%s %s: %s", verb, member, out);
		report_error(0, EIO, what);
	}
	oplog_manage("%s %s done", verb, member);
}

/* One that the array may well refuse at this moment. */
static void manager_try(const char *verb)
{
	char out[400];
	int code;

	oplog_manage("try %s", verb);
	code = manager_run(out, sizeof(out), "%s %s", verb, config.path);
	oplog_manage("try %s: exit code %d", verb, code);
}

static void info_slot(struct array_info *info, const char *line)
{
	char state[16] = "", dev[64] = "";
	unsigned int slot;

	if (sscanf(line, "slot %u %15s %63s", &slot, state, dev) < 2 ||
	    slot >= MAX_MEMBERS)
		return;
	if (slot >= info->slots)
		info->slots = slot + 1;
	strcpy(info->dev[slot], dev);
	if (!strcmp(state, "in_sync"))
		info->slot[slot] = SLOT_IN_SYNC;
	else if (!strcmp(state, "rebuilding"))
		info->slot[slot] = SLOT_REBUILDING;
}

static void info_line(struct array_info *info, const char *line)
{
	unsigned long long n;
	char word[64];

	if (sscanf(line, "sync %63s", word) == 1)
		info->syncing = strcmp(word, "idle") != 0;
	else if (sscanf(line, "mismatches %llu", &n) == 1)
		info->mismatches = n;
	else if (sscanf(line, "faulty %63s", word) == 1)
		strcpy(info->faulty_dev[info->faulty++], word);
	else if (sscanf(line, "spare %63s", word) == 1)
		strcpy(info->spare_dev[info->spares++], word);
	else if (sscanf(line, "level %d", &info->level) != 1)
		info_slot(info, line);
}

void manager_info(struct array_info *info)
{
	static __thread char out[8192];
	char *line, *save;

	memset(info, 0, sizeof(*info));
	info->level = -1;
	if (manager_run(out, sizeof(out), "info %s", config.path))
		report_error(0, EIO, out);
	for (line = strtok_r(out, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		info_line(info, line);
	if (info->level < 0 || !info->slots)
		die(EXIT_SYSTEM, "%s info %s: no array in its answer",
		    config.manager, config.path);
}

u64 missing_slots(const struct array_info *info)
{
	u64 missing = 0;
	unsigned int i;

	for (i = 0; i < info->slots; i++)
		if (info->slot[i] != SLOT_IN_SYNC)
			missing |= 1ULL << i;
	return missing;
}

/* RAID 10, two near copies: a chunk and its copy are in slots that follow. */
static bool near2_survives(unsigned int slots, u64 missing)
{
	unsigned int i, step = slots % 2 ? 1 : 2;

	for (i = 0; i < slots; i += step)
		if ((missing >> i & 1) && (missing >> ((i + 1) % slots) & 1))
			return false;
	return true;
}

bool survivable(const struct array_info *info, u64 missing)
{
	unsigned int lost = __builtin_popcountll(missing);

	switch (info->level) {
	case 1:
		return lost < info->slots;
	case 5:
		return lost <= 1;
	case 6:
		return lost <= 2;
	case 10:
		return near2_survives(info->slots, missing);
	default:
		return !lost;
	}
}

static void pool_add(const char *dev)
{
	if (dev[0])
		strcpy(pool[pool_size++], dev);
}

void manager_create(void)
{
	struct array_info info;
	unsigned int i;

	manager_info(&info);
	for (i = 0; i < info.slots; i++)
		pool_add(info.dev[i]);
	for (i = 0; i < info.spares; i++)
		pool_add(info.spare_dev[i]);
}

static bool listed(const struct array_info *info, const char *dev)
{
	unsigned int i;

	for (i = 0; i < info->slots; i++)
		if (!strcmp(info->dev[i], dev))
			return true;
	for (i = 0; i < info->spares; i++)
		if (!strcmp(info->spare_dev[i], dev))
			return true;
	for (i = 0; i < info->faulty; i++)
		if (!strcmp(info->faulty_dev[i], dev))
			return true;
	return false;
}

void manager_lose(u64 slots)
{
	struct array_info info;
	unsigned int i;

	manager_info(&info);
	for (i = 0; i < info.slots; i++)
		if (slots >> i & 1)
			manager_must("fail", info.dev[i]);
}

static void remove_faulty(void)
{
	struct array_info info;
	unsigned int i;

	manager_info(&info);
	for (i = 0; i < info.faulty; i++)
		manager_must("remove", info.faulty_dev[i]);
}

static void add_absent(unsigned int limit)
{
	struct array_info info;
	unsigned int i;

	manager_info(&info);
	for (i = 0; i < pool_size && limit; i++) {
		if (listed(&info, pool[i]))
			continue;
		manager_must("add", pool[i]);
		limit--;
	}
}

/* @whole: until all slots are in sync; else until nothing runs */
static void wait_for(bool whole)
{
	unsigned long polls = WAIT_LIMIT_SECS * 1000000ULL / POLL_US;
	struct array_info info;

	while (polls--) {
		manager_info(&info);
		if (whole ? !missing_slots(&info) && !info.syncing
			  : !info.syncing)
			return;
		usleep(POLL_US);
	}
	report_error(0, ETIMEDOUT,
		     whole ? "waiting until all members are in sync"
			   : "waiting until the array is idle");
}

void manager_wait(void)
{
	oplog_manage("wait until idle");
	wait_for(false);
}

void manager_heal(void)
{
	oplog_manage("bring all members back");
	remove_faulty();
	add_absent(~0u);
	wait_for(true);
	oplog_manage("all members are back");
}

static void fail_one(struct rng *rng, const struct array_info *info)
{
	unsigned int slot = rng_below(rng, info->slots);

	if (info->slot[slot] == SLOT_ABSENT ||
	    !survivable(info, missing_slots(info) | 1ULL << slot))
		return;
	manager_must("fail", info->dev[slot]);
	if (rng_percent(rng, 50))
		remove_faulty();
}

/* Everybody out, the array down and up again. */
static void restart(void)
{
	pthread_rwlock_wrlock(&pause_lock);
	device_close();
	manager_must("restart", "");
	device_reopen();
	pthread_rwlock_unlock(&pause_lock);
}

static void manage_once(struct rng *rng)
{
	u64 what = rng_below(rng, 100);
	struct array_info info;

	manager_info(&info);
	if (what < 40) {
		fail_one(rng, &info);
	} else if (what < 78) {
		remove_faulty();
		add_absent(1 + rng_below(rng, 2));
	} else if (what < 86) {
		manager_try(rng_percent(rng, 50) ? "start-check"
						 : "start-repair");
	} else if (what < 89) {
		manager_try("idle");
	} else if (what < 95) {
		manager_wait();
	} else if (config.restart) {
		restart();
	}
}

static void *manager_loop(void *unused)
{
	struct rng rng = {mix64(config.seed ^ 0x6d616e61676572ULL)};

	while (!atomic_load(&manager_ends)) {
		usleep(50000 + rng_below(&rng, 1000000));
		manage_once(&rng);
	}
	return unused;
}

void manager_start(void)
{
	if (pthread_create(&manager_thread, NULL, manager_loop, NULL))
		die(EXIT_SYSTEM, "cannot create a thread");
}

void manager_stop(void)
{
	atomic_store(&manager_ends, true);
	pthread_join(manager_thread, NULL);
}
