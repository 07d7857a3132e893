// SPDX-License-Identifier: GPL-2.0
/*
 * The shadow: the version that each block must have, for the windows of the
 * device that are in use.  And the lock of ranges of blocks.
 */
#include <stdlib.h>
#include <sys/mman.h>

#include "stress.h"

static struct window window[MAX_WINDOWS];
static unsigned int windows;

static pthread_mutex_t range_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t range_freed = PTHREAD_COND_INITIALIZER;
static struct range *held;

static void window_add(u64 start, u64 blocks)
{
	struct window *w = &window[windows++];

	w->start = start;
	w->blocks = blocks;
	w->cell = mmap(NULL, blocks * sizeof(u32), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (w->cell == MAP_FAILED)
		die(EXIT_SYSTEM, "no memory for the shadow of %llu blocks",
		    (unsigned long long)blocks);
}

/* Windows begin and end at pages: the page cache works in those. */
void shadow_create(void)
{
	u32 unit = PAGE_BYTES / device.block_bytes;
	u64 start, end;
	unsigned int i;

	for (i = 0; i < config.windows; i++) {
		start = config.window[i][0] / PAGE_BYTES * unit;
		end = start + config.window[i][1] / PAGE_BYTES * unit;
		if (end > device.blocks || end == start)
			die(EXIT_USAGE,
			    "window %llu+%llu: the device has %llu bytes",
			    (unsigned long long)config.window[i][0],
			    (unsigned long long)config.window[i][1],
			    (unsigned long long)device.blocks *
				    device.block_bytes);
		window_add(start, end - start);
	}
	if (!windows)
		window_add(0, device.blocks / unit * unit);
}

unsigned int shadow_windows(void)
{
	return windows;
}

const struct window *shadow_window(unsigned int i)
{
	return &window[i];
}

u32 *shadow_cell(u64 block)
{
	unsigned int i;

	for (i = 0; i < windows; i++)
		if (block - window[i].start < window[i].blocks)
			return &window[i].cell[block - window[i].start];
	abort();
}

void shadow_set(u64 block, u64 blocks, u32 value)
{
	u32 *cell = shadow_cell(block);

	while (blocks--)
		*cell++ = value;
}

static bool range_conflicts(const struct range *range)
{
	const struct range *r;

	for (r = held; r; r = r->next)
		if ((r->exclusive || range->exclusive) &&
		    r->start < range->end && range->start < r->end)
			return true;
	return false;
}

static void range_insert(struct range *range)
{
	range->next = held;
	held = range;
}

/* Not while holding another range: that would deadlock. */
void range_lock(struct range *range)
{
	pthread_mutex_lock(&range_mutex);
	while (range_conflicts(range))
		pthread_cond_wait(&range_freed, &range_mutex);
	range_insert(range);
	pthread_mutex_unlock(&range_mutex);
}

bool range_trylock(struct range *range)
{
	bool ok;

	pthread_mutex_lock(&range_mutex);
	ok = !range_conflicts(range);
	if (ok)
		range_insert(range);
	pthread_mutex_unlock(&range_mutex);
	return ok;
}

void range_unlock(struct range *range)
{
	struct range **p;

	pthread_mutex_lock(&range_mutex);
	for (p = &held; *p != range; p = &(*p)->next)
		;
	*p = range->next;
	pthread_cond_broadcast(&range_freed);
	pthread_mutex_unlock(&range_mutex);
}
