// SPDX-License-Identifier: GPL-2.0
/*
 * A run: the devices, the threads and the clock.
 *
 * It ends by itself: a timer or somebody says stop, each thread waits for its
 * I/O, and the last one queues the work that takes everything down but the
 * figures.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "bench_compat.h"
#include "mqrgen.h"
#include "mqrgen_thread.h"

/*
 * struct mqrgen_run
 *
 * Life:   mqrgen_run_start() -> @over -> the last mqrgen_run_put().
 * Order:  devices and threads' memory are there until @finish_work has run,
 *         the figures until the end.
 */
struct mqrgen_run {
	struct mqrgen_shared shared;
	/* what shared.opt.dev points into */
	char *text;
	struct bench_bdev dev[MQRGEN_MAX_DEVS];
	u32 opened;

	struct mqrgen_thread *thread;
	atomic_t active;
	struct timer_list timer;
	struct work_struct finish_work;
	struct completion over;
	u64 started_ns;
	u64 ended_ns;

	struct kref kref;
};

/* Writing is for us alone: never onto what is mounted or a member. */
static void *mqrgen_holder(struct mqrgen_run *run)
{
	return run->shared.opt.op == MQRGEN_READ ? NULL : run;
}

static void mqrgen_close(struct mqrgen_run *run)
{
	while (run->opened)
		bench_bdev_close(&run->dev[--run->opened], mqrgen_holder(run));
}

/* ------------------------------------------------------------------------ */
/* The end */

static void mqrgen_free_threads(struct mqrgen_run *run)
{
	u32 i;

	for (i = 0; i < run->shared.opt.threads; i++)
		mqrgen_thread_join(&run->thread[i]);
	/* Completions may still be on their way out of the last wake-up. */
	synchronize_rcu_expedited();
	for (i = 0; i < run->shared.opt.threads; i++)
		mqrgen_thread_free(&run->thread[i]);
}

static void mqrgen_finish(struct work_struct *work)
{
	struct mqrgen_run *run =
		container_of(work, struct mqrgen_run, finish_work);

	timer_delete_sync(&run->timer);
	mqrgen_free_threads(run);
	mqrgen_close(run);
	complete_all(&run->over);
}

static void mqrgen_ended(struct mqrgen_shared *shared)
{
	struct mqrgen_run *run =
		container_of(shared, struct mqrgen_run, shared);

	if (!atomic_dec_and_test(&run->active))
		return;
	WRITE_ONCE(run->ended_ns, ktime_get_ns());
	schedule_work(&run->finish_work);
}

static void mqrgen_timeout(struct timer_list *timer)
{
	mqrgen_run_stop(container_of(timer, struct mqrgen_run, timer));
}

void mqrgen_run_stop(struct mqrgen_run *run)
{
	WRITE_ONCE(run->shared.stop, true);
}

bool mqrgen_run_is_over(struct mqrgen_run *run)
{
	return completion_done(&run->over);
}

void mqrgen_run_wait(struct mqrgen_run *run)
{
	wait_for_completion(&run->over);
}

int mqrgen_run_wait_interruptible(struct mqrgen_run *run)
{
	return wait_for_completion_interruptible(&run->over);
}

/* ------------------------------------------------------------------------ */
/* The beginning */

static int mqrgen_open(struct mqrgen_run *run)
{
	const struct mqrgen_options *opt = &run->shared.opt;
	int err;

	for (; run->opened < opt->nr_devs; run->opened++) {
		struct bench_bdev *dev = &run->dev[run->opened];
		const char *path = opt->dev[run->opened];

		err = bench_bdev_open(path, mqrgen_holder(run), dev);
		if (err) {
			pr_err("mqrgen: %s can't be opened: %d%s\n", path, err,
			       err == -EBUSY ? " (in use)" : "");
			return err;
		}
		run->shared.bdev[run->opened] = dev->bdev;
	}
	return 0;
}

/* What is used of a device, in blocks of the I/Os' size, or an error. */
static int mqrgen_measure(struct mqrgen_run *run, struct block_device *bdev,
			  u64 *blocks)
{
	const struct mqrgen_options *opt = &run->shared.opt;
	u64 bytes = bdev_nr_bytes(bdev);

	if (opt->span_mb)
		bytes = min_t(u64, bytes, opt->span_mb * SZ_1M);
	/* Random places have 32 bits. */
	*blocks = min_t(u64, div64_u64(bytes, opt->bs), U32_MAX);
	if (*blocks < opt->threads) {
		pr_err("mqrgen: %pg: %llu bytes are too few for %llu threads "
		       "with bs=%llu\n",
		       bdev, bytes, opt->threads, opt->bs);
		return -EINVAL;
	}
	if (opt->bs & (bdev_logical_block_size(bdev) - 1)) {
		pr_err("mqrgen: %pg: bs=%llu is no multiple of its block size "
		       "%u\n",
		       bdev, opt->bs, bdev_logical_block_size(bdev));
		return -EINVAL;
	}
	return 0;
}

/* Devices of different sizes are used as far as the smallest goes. */
static int mqrgen_measure_all(struct mqrgen_run *run)
{
	u64 blocks;
	u32 i;
	int err;

	run->shared.blocks = U32_MAX;
	for (i = 0; i < run->opened; i++) {
		err = mqrgen_measure(run, run->shared.bdev[i], &blocks);
		if (err)
			return err;
		run->shared.blocks = min(run->shared.blocks, blocks);
	}
	return 0;
}

static int mqrgen_create_threads(struct mqrgen_run *run)
{
	const struct mqrgen_options *opt = &run->shared.opt;
	int err = 0, cpu = -1;
	u32 i;

	if (opt->bs * opt->qd * opt->threads > (u64)totalram_pages()
						       << (PAGE_SHIFT - 1)) {
		pr_err("mqrgen: bs * qd * threads is more than half of the "
		       "memory\n");
		return -ENOMEM;
	}
	cpus_read_lock();
	for (i = 0; i < opt->threads && !err; i++) {
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
		err = mqrgen_thread_create(&run->thread[i], &run->shared, i,
					   cpu);
	}
	cpus_read_unlock();
	if (err)
		pr_err("mqrgen: no memory for the I/O of thread %u: %d\n",
		       i - 1, err);
	return err;
}

static void mqrgen_go(struct mqrgen_run *run)
{
	const struct mqrgen_options *opt = &run->shared.opt;
	u32 i;

	atomic_set(&run->active, opt->threads);
	run->started_ns = ktime_get_ns();
	if (opt->ms)
		mod_timer(&run->timer, jiffies + msecs_to_jiffies(opt->ms));
	for (i = 0; i < opt->threads; i++)
		wake_up_process(run->thread[i].task);
}

static void mqrgen_run_free(struct mqrgen_run *run)
{
	u32 i;

	for (i = 0; run->thread && i < run->shared.opt.threads; i++)
		kvfree(run->thread[i].hist);
	kvfree(run->thread);
	kfree(run->text);
	kfree(run);
}

static int mqrgen_parse(struct mqrgen_run *run)
{
	struct mqrgen_refusal *why = kzalloc(sizeof(*why), GFP_KERNEL);
	int err;

	if (!why)
		return -ENOMEM;
	err = mqrgen_options_parse(run->text, &run->shared.opt, why);
	if (err)
		pr_err("mqrgen: '%s' is not understood: %s\n", why->word,
		       why->accepted);
	kfree(why);
	return err;
}

static struct mqrgen_run *mqrgen_run_alloc(const char *text)
{
	struct mqrgen_run *run = kzalloc(sizeof(*run), GFP_KERNEL);

	if (!run)
		return NULL;
	run->text = kstrdup(text, GFP_KERNEL);
	if (!run->text) {
		kfree(run);
		return NULL;
	}
	run->shared.ended = mqrgen_ended;
	timer_setup(&run->timer, mqrgen_timeout, 0);
	INIT_WORK(&run->finish_work, mqrgen_finish);
	init_completion(&run->over);
	kref_init(&run->kref);
	return run;
}

struct mqrgen_run *mqrgen_run_start(const char *text)
{
	struct mqrgen_run *run = mqrgen_run_alloc(text);
	int err;

	if (!run)
		return ERR_PTR(-ENOMEM);
	err = mqrgen_parse(run);
	if (err)
		goto out_free;
	err = mqrgen_open(run);
	if (err)
		goto out_close;
	err = mqrgen_measure_all(run);
	if (err)
		goto out_close;
	err = -ENOMEM;
	run->thread = kvcalloc(run->shared.opt.threads, sizeof(*run->thread),
			       GFP_KERNEL);
	if (!run->thread)
		goto out_close;
	err = mqrgen_create_threads(run);
	if (err)
		goto out_threads;
	mqrgen_go(run);
	return run;

out_threads:
	mqrgen_free_threads(run);
out_close:
	mqrgen_close(run);
out_free:
	mqrgen_run_free(run);
	return ERR_PTR(err);
}

struct mqrgen_run *mqrgen_run_get(struct mqrgen_run *run)
{
	kref_get(&run->kref);
	return run;
}

static void mqrgen_run_release(struct kref *kref)
{
	struct mqrgen_run *run = container_of(kref, struct mqrgen_run, kref);

	WARN_ON_ONCE(!mqrgen_run_is_over(run));
	/* It says that all is over, and returns a moment later. */
	flush_work(&run->finish_work);
	mqrgen_run_free(run);
}

void mqrgen_run_put(struct mqrgen_run *run)
{
	kref_put(&run->kref, mqrgen_run_release);
}

/* ------------------------------------------------------------------------ */

static void mqrgen_thread_totals(const struct mqrgen_thread *thread,
				 struct mqrgen_totals *totals)
{
	totals->read_ios += READ_ONCE(thread->read_ios);
	totals->write_ios += READ_ONCE(thread->write_ios);
	totals->errors += READ_ONCE(thread->errors);
	totals->bytes += READ_ONCE(thread->bytes);
	if (thread->hist)
		mqrgen_hist_merge(&totals->hist, thread->hist);
}

void mqrgen_run_totals(struct mqrgen_run *run, struct mqrgen_totals *totals)
{
	u64 ended_ns;
	u32 i;

	totals->running = !mqrgen_run_is_over(run);
	totals->lat = run->shared.opt.lat;
	for (i = 0; i < run->shared.opt.threads; i++)
		mqrgen_thread_totals(&run->thread[i], totals);
	/* After the figures: a rate is never too high. */
	ended_ns = READ_ONCE(run->ended_ns);
	totals->ns = (ended_ns ? ended_ns : ktime_get_ns()) - run->started_ns;
}
