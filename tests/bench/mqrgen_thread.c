// SPDX-License-Identifier: GPL-2.0
/*
 * A thread of a load: it owns qd I/Os and submits each again as soon as it
 * is back, all that are back at a time in one plug.  It sleeps when none is,
 * and looks at no clock unless latency is asked for.
 */
#include <linux/blkdev.h>
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "mqrgen_thread.h"

/* What the page allocator gives at once, at most. */
#define MQRGEN_PIECE_MAX SZ_4M

/* xorshift64*: good enough for places, and costs nothing */
static u64 mqrgen_random(u64 *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

/* Below @limit; of the upper bits, which are the better ones. */
static u32 mqrgen_random_below(u64 *state, u32 limit)
{
	return ((mqrgen_random(state) >> 32) * limit) >> 32;
}

/* ------------------------------------------------------------------------ */
/* Where, and which way */

static void mqrgen_place(struct mqrgen_thread *thread, u32 *dev, u64 *block)
{
	const struct mqrgen_shared *shared = thread->shared;

	if (shared->opt.pattern == MQRGEN_RAND) {
		*block = mqrgen_random_below(&thread->random, shared->blocks);
		*dev = shared->opt.nr_devs == 1
			       ? 0
			       : mqrgen_random_below(&thread->random,
						     shared->opt.nr_devs);
		return;
	}
	*block = thread->next;
	*dev = thread->next_dev;
	if (++thread->next_dev < shared->opt.nr_devs)
		return;
	thread->next_dev = 0;
	if (++thread->next == thread->end)
		thread->next = thread->first;
}

static bool mqrgen_is_write(struct mqrgen_thread *thread)
{
	const struct mqrgen_options *opt = &thread->shared->opt;

	if (opt->op == MQRGEN_MIX)
		return mqrgen_random_below(&thread->random, 100) >= opt->rwmix;
	return opt->op == MQRGEN_WRITE;
}

/* ------------------------------------------------------------------------ */
/* I/O */

/* [any context] */
static void mqrgen_end_io(struct bio *bio)
{
	struct mqrgen_slot *slot = container_of(bio, struct mqrgen_slot, bio);
	struct mqrgen_thread *thread = slot->thread;

	rcu_read_lock();
	if (thread->hist)
		slot->ns = ktime_get_ns() - slot->ns;
	/* If the list wasn't empty, somebody has woken the thread already. */
	if (llist_add(&slot->done, &thread->done))
		wake_up_process(thread->task);
	rcu_read_unlock();
}

static void mqrgen_submit(struct mqrgen_thread *thread,
			  struct mqrgen_slot *slot)
{
	const struct mqrgen_shared *shared = thread->shared;
	blk_opf_t opf = REQ_OP_READ;
	struct bio *bio = &slot->bio;
	u64 block;
	u32 dev;

	/* As the O_DIRECT writes of a program are. */
	if (mqrgen_is_write(thread))
		opf = REQ_OP_WRITE | REQ_SYNC | REQ_IDLE |
		      (shared->opt.fua ? REQ_FUA : 0);
	mqrgen_place(thread, &dev, &block);

	bio_reset(bio, shared->bdev[dev], opf);
	bio->bi_end_io = mqrgen_end_io;
	bio->bi_vcnt = slot->pieces;
	bio->bi_iter.bi_size = shared->opt.bs;
	bio->bi_iter.bi_sector = block * (shared->opt.bs >> SECTOR_SHIFT);
	if (thread->hist)
		slot->ns = ktime_get_ns();
	submit_bio(bio);
}

static void mqrgen_complain(struct mqrgen_thread *thread, struct bio *bio)
{
	if (atomic_xchg(&thread->shared->complained, 1))
		return;
	pr_err("mqrgen: %pg: a %s failed: %d; further errors are only "
	       "counted\n",
	       bio->bi_bdev, op_is_write(bio_op(bio)) ? "write" : "read",
	       blk_status_to_errno(bio->bi_status));
}

static void mqrgen_count(struct mqrgen_thread *thread,
			 const struct mqrgen_slot *slot)
{
	u64 *ios = op_is_write(bio_op(&slot->bio)) ? &thread->write_ios
						   : &thread->read_ios;

	WRITE_ONCE(*ios, *ios + 1);
	if (thread->hist)
		mqrgen_hist_add(thread->hist, slot->ns);
	if (likely(!slot->bio.bi_status)) {
		WRITE_ONCE(thread->bytes,
			   thread->bytes + thread->shared->opt.bs);
		return;
	}
	WRITE_ONCE(thread->errors, thread->errors + 1);
	mqrgen_complain(thread, (struct bio *)&slot->bio);
}

/* Count what is back and submit it again: how many were not */
static u32 mqrgen_turn(struct mqrgen_thread *thread, struct llist_node *back)
{
	bool stop = READ_ONCE(thread->shared->stop);
	struct mqrgen_slot *slot, *next;
	u32 ended = 0;

	llist_for_each_entry_safe(slot, next, back, done) {
		mqrgen_count(thread, slot);
		if (stop)
			ended++;
		else
			mqrgen_submit(thread, slot);
	}
	return ended;
}

static struct llist_node *mqrgen_wait(struct mqrgen_thread *thread)
{
	struct llist_node *back;

	while (!(back = llist_del_all(&thread->done))) {
		set_current_state(TASK_IDLE);
		if (llist_empty(&thread->done))
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return back;
}

static void mqrgen_begin(struct mqrgen_thread *thread)
{
	u32 i;

	for (i = 0; i < thread->shared->opt.qd; i++)
		mqrgen_submit(thread, &thread->slot[i]);
}

static int mqrgen_thread_fn(void *data)
{
	struct mqrgen_thread *thread = data;
	struct mqrgen_shared *shared = thread->shared;
	u32 in_flight = shared->opt.qd;
	struct llist_node *back = NULL;
	struct blk_plug plug;

	for (;;) {
		if (shared->opt.plug)
			blk_start_plug(&plug);
		if (back)
			in_flight -= mqrgen_turn(thread, back);
		else
			mqrgen_begin(thread);
		if (shared->opt.plug)
			blk_finish_plug(&plug);
		if (!in_flight)
			break;
		cond_resched();
		back = mqrgen_wait(thread);
	}
	shared->ended(shared);
	return 0;
}

/* ------------------------------------------------------------------------ */
/* Memory */

static void mqrgen_slot_free(struct mqrgen_slot *slot)
{
	bio_uninit(&slot->bio);
	while (slot->pieces) {
		struct bio_vec *piece = &slot->piece[--slot->pieces];

		free_pages_exact(page_address(piece->bv_page), piece->bv_len);
	}
}

static void mqrgen_fill(u64 *to, size_t bytes, u64 *random)
{
	for (; bytes; bytes -= sizeof(*to))
		*to++ = mqrgen_random(random);
}

/* In as few pieces as there is contiguous memory for, mostly one. */
static int mqrgen_slot_init(struct mqrgen_slot *slot,
			    struct mqrgen_thread *thread)
{
	size_t left = thread->shared->opt.bs;
	size_t size = min_t(size_t, left, MQRGEN_PIECE_MAX);

	slot->thread = thread;
	bio_init(&slot->bio, NULL, slot->piece, MQRGEN_PIECES, 0);
	while (left) {
		void *memory;

		size = min(size, left);
		if (size * (MQRGEN_PIECES - slot->pieces) < left)
			return -ENOMEM;
		memory = alloc_pages_exact(size, GFP_KERNEL | __GFP_NORETRY |
							 __GFP_NOWARN);
		if (!memory) {
			if (size <= PAGE_SIZE)
				return -ENOMEM;
			size = PAGE_ALIGN(size / 2);
			continue;
		}
		mqrgen_fill(memory, size, &thread->random);
		slot->piece[slot->pieces++] = (struct bio_vec){
			.bv_page = virt_to_page(memory),
			.bv_len = size,
		};
		left -= size;
	}
	return 0;
}

void mqrgen_thread_free(struct mqrgen_thread *thread)
{
	u32 i;

	for (i = 0; thread->slot && i < thread->shared->opt.qd; i++)
		mqrgen_slot_free(&thread->slot[i]);
	kvfree(thread->slot);
	thread->slot = NULL;
	if (thread->task)
		put_task_struct(thread->task);
	thread->task = NULL;
}

void mqrgen_thread_join(struct mqrgen_thread *thread)
{
	if (thread->task)
		kthread_stop(thread->task);
}

static int mqrgen_thread_alloc(struct mqrgen_thread *thread)
{
	const struct mqrgen_options *opt = &thread->shared->opt;
	u32 i;
	int err;

	if (opt->lat) {
		thread->hist = kvzalloc(sizeof(*thread->hist), GFP_KERNEL);
		if (!thread->hist)
			return -ENOMEM;
	}
	thread->slot = kvcalloc(opt->qd, sizeof(*thread->slot), GFP_KERNEL);
	if (!thread->slot)
		return -ENOMEM;
	for (i = 0; i < opt->qd; i++) {
		err = mqrgen_slot_init(&thread->slot[i], thread);
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

int mqrgen_thread_create(struct mqrgen_thread *thread,
			 struct mqrgen_shared *shared, u32 number, int cpu)
{
	struct task_struct *task;
	int err;

	thread->shared = shared;
	thread->first = div64_u64(shared->blocks * number, shared->opt.threads);
	thread->end =
		div64_u64(shared->blocks * (number + 1), shared->opt.threads);
	thread->next = thread->first;
	/* Never 0, and different for threads and for neighbouring seeds. */
	thread->random = (shared->opt.seed * 0x9e3779b97f4a7c15ULL) ^
			 ((u64)(number + 1) << 32);
	thread->random = thread->random ? thread->random : 1;
	init_llist_head(&thread->done);

	err = mqrgen_thread_alloc(thread);
	if (err)
		return err;
	task = kthread_create(mqrgen_thread_fn, thread, "mqrgen/%u", number);
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu);
	thread->task = get_task_struct(task);
	return 0;
}
