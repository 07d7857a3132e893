/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MQRGEN_THREAD_H
#define MQRGEN_THREAD_H

#include <linux/bio.h>
#include <linux/llist.h>
#include <linux/sched.h>

#include "mqrgen_options.h"
#include "mqrgen_report.h"

/* The most pieces that the memory of an I/O may consist of. */
#define MQRGEN_PIECES 16

/* What all threads of a run have in common, and what they tell it. */
struct mqrgen_shared {
	struct mqrgen_options opt;
	struct block_device *bdev[MQRGEN_MAX_DEVS];
	/* of opt.bs bytes, that are used on each device */
	u64 blocks;
	/* set once, by anybody: no new I/O */
	bool stop;
	/* a first error has been logged */
	atomic_t complained;
	/* the thread has all its I/O back and will do nothing more */
	void (*ended)(struct mqrgen_shared *shared);
};

/*
 * struct mqrgen_slot - an I/O
 *
 * Life:   belongs to its thread, except from submit_bio() to @done being
 *         linked into the thread's list.
 */
struct mqrgen_slot {
	struct mqrgen_thread *thread;
	struct llist_node done;
	/* when it began, and then how long it took; only if asked for */
	u64 ns;
	struct bio bio;
	struct bio_vec piece[MQRGEN_PIECES];
	u32 pieces;
};

/*
 * struct mqrgen_thread - who submits, bound to a CPU
 *
 * Order:  @done is filled by completions, from any context, inside an RCU
 *         read section: after a grace period without I/O in flight nobody
 *         knows thread or task any more.
 *         The figures are written by the thread alone and read by anybody.
 */
struct mqrgen_thread {
	struct mqrgen_shared *shared;
	struct task_struct *task;
	struct mqrgen_slot *slot;

	/* this thread's part, [first, end), of each device, and where it is */
	u64 first;
	u64 end;
	u64 next;
	u32 next_dev;
	u64 random;

	u64 read_ios;
	u64 write_ios;
	u64 errors;
	u64 bytes;
	/* or NULL */
	struct mqrgen_hist *hist;

	struct llist_head done ____cacheline_aligned_in_smp;
};

/* Thread @number of them all, with its memory; it waits to be woken. */
int mqrgen_thread_create(struct mqrgen_thread *thread,
			 struct mqrgen_shared *shared, u32 number, int cpu);

/* It has ended, or was never woken: wait until it is really gone. */
void mqrgen_thread_join(struct mqrgen_thread *thread);

/* After that, and a grace period; the figures remain. */
void mqrgen_thread_free(struct mqrgen_thread *thread);

#endif
