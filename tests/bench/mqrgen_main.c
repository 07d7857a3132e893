// SPDX-License-Identifier: GPL-2.0
/*
 * mqrgen: a load on block devices, made inside the kernel.
 *
 * A program that submits 4 KiB I/Os spends most of the CPU on system calls,
 * and what is left measures little of a fast block driver.  This one only
 * costs a bio.  It is operated by files in /sys/kernel/debug/mqrgen/:
 *
 *   start     write "key=value ...": begin; mqrgen_options.c has the keys.
 *             -EBUSY while a run is on; what else is wrong is in the log
 *   stop      write anything: no new I/O, and return when all is back
 *   wait      read: the figures when the run is over
 *   result    read: the figures up to now, or those of the last run
 *   interval  read: what has happened since this file was last read
 *
 * THE DATA ON THE DEVICES IS LOST unless op=read.  Devices to be written to
 * are opened exclusively: they may be neither mounted nor members.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "mqrgen.h"

#define MQRGEN_TEXT_MAX 4096

/* Starting, and who has the last run.  Waiting is done with a reference. */
static DEFINE_MUTEX(mqrgen_mutex);
static struct mqrgen_run *mqrgen_run;
/* what "interval" showed last, of this run */
static struct mqrgen_totals mqrgen_before;

static struct dentry *mqrgen_dir;

/* The last run, or NULL; to be put */
static struct mqrgen_run *mqrgen_run_last(void)
{
	struct mqrgen_run *run;

	mutex_lock(&mqrgen_mutex);
	run = mqrgen_run ? mqrgen_run_get(mqrgen_run) : NULL;
	mutex_unlock(&mqrgen_mutex);
	return run;
}

/* ------------------------------------------------------------------------ */
/* start and stop */

static int mqrgen_replace(const char *text)
{
	struct mqrgen_run *run;

	lockdep_assert_held(&mqrgen_mutex);
	if (mqrgen_run && !mqrgen_run_is_over(mqrgen_run))
		return -EBUSY;
	run = mqrgen_run_start(text);
	if (IS_ERR(run))
		return PTR_ERR(run);
	if (mqrgen_run)
		mqrgen_run_put(mqrgen_run);
	mqrgen_run = run;
	memset(&mqrgen_before, 0, sizeof(mqrgen_before));
	return 0;
}

static ssize_t mqrgen_start_write(struct file *file, const char __user *buffer,
				  size_t count, loff_t *pos)
{
	char *text;
	int err;

	if (count > MQRGEN_TEXT_MAX)
		return -E2BIG;
	text = memdup_user_nul(buffer, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	mutex_lock(&mqrgen_mutex);
	err = mqrgen_replace(text);
	mutex_unlock(&mqrgen_mutex);
	kfree(text);
	return err ? err : count;
}

static ssize_t mqrgen_stop_write(struct file *file, const char __user *buffer,
				 size_t count, loff_t *pos)
{
	struct mqrgen_run *run = mqrgen_run_last();

	if (!run)
		return count;
	mqrgen_run_stop(run);
	mqrgen_run_wait(run);
	mqrgen_run_put(run);
	return count;
}

static const struct file_operations mqrgen_start_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = mqrgen_start_write,
};

static const struct file_operations mqrgen_stop_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = mqrgen_stop_write,
};

/* ------------------------------------------------------------------------ */
/* Figures */

static int mqrgen_show(struct seq_file *seq, const struct mqrgen_totals *totals)
{
	char text[512];
	int length = mqrgen_totals_print(totals, text, sizeof(text));

	if (length < 0 || length >= sizeof(text))
		return -EOVERFLOW;
	seq_puts(seq, text);
	return 0;
}

static int mqrgen_show_run(struct seq_file *seq, struct mqrgen_run *run)
{
	struct mqrgen_totals *totals = kvzalloc(sizeof(*totals), GFP_KERNEL);
	int err;

	if (!totals)
		return -ENOMEM;
	if (run)
		mqrgen_run_totals(run, totals);
	err = mqrgen_show(seq, totals);
	kvfree(totals);
	return err;
}

static int result_show(struct seq_file *seq, void *unused)
{
	struct mqrgen_run *run = mqrgen_run_last();
	int err = mqrgen_show_run(seq, run);

	if (run)
		mqrgen_run_put(run);
	return err;
}
DEFINE_SHOW_ATTRIBUTE(result);

static int wait_show(struct seq_file *seq, void *unused)
{
	struct mqrgen_run *run = mqrgen_run_last();
	int err = 0;

	if (run)
		err = mqrgen_run_wait_interruptible(run);
	if (!err)
		err = mqrgen_show_run(seq, run);
	if (run)
		mqrgen_run_put(run);
	return err;
}
DEFINE_SHOW_ATTRIBUTE(wait);

static int mqrgen_show_interval(struct seq_file *seq, struct mqrgen_totals *now,
				struct mqrgen_totals *shown)
{
	lockdep_assert_held(&mqrgen_mutex);
	if (mqrgen_run)
		mqrgen_run_totals(mqrgen_run, now);
	*shown = *now;
	mqrgen_totals_since(shown, &mqrgen_before);
	mqrgen_before = *now;
	return mqrgen_show(seq, shown);
}

static int interval_show(struct seq_file *seq, void *unused)
{
	struct mqrgen_totals *totals = kvcalloc(2, sizeof(*totals), GFP_KERNEL);
	int err;

	if (!totals)
		return -ENOMEM;
	mutex_lock(&mqrgen_mutex);
	err = mqrgen_show_interval(seq, &totals[0], &totals[1]);
	mutex_unlock(&mqrgen_mutex);
	kvfree(totals);
	return err;
}
DEFINE_SHOW_ATTRIBUTE(interval);

/* ------------------------------------------------------------------------ */

static int __init mqrgen_init(void)
{
	mqrgen_dir = debugfs_create_dir("mqrgen", NULL);
	if (IS_ERR(mqrgen_dir))
		return PTR_ERR(mqrgen_dir);
	debugfs_create_file("start", 0200, mqrgen_dir, NULL,
			    &mqrgen_start_fops);
	debugfs_create_file("stop", 0200, mqrgen_dir, NULL, &mqrgen_stop_fops);
	debugfs_create_file("wait", 0400, mqrgen_dir, NULL, &wait_fops);
	debugfs_create_file("result", 0400, mqrgen_dir, NULL, &result_fops);
	debugfs_create_file("interval", 0400, mqrgen_dir, NULL, &interval_fops);
	return 0;
}

static void __exit mqrgen_exit(void)
{
	debugfs_remove_recursive(mqrgen_dir);
	if (!mqrgen_run)
		return;
	mqrgen_run_stop(mqrgen_run);
	mqrgen_run_wait(mqrgen_run);
	mqrgen_run_put(mqrgen_run);
}

module_init(mqrgen_init);
module_exit(mqrgen_exit);
MODULE_DESCRIPTION("load on block devices for benchmarks");
MODULE_LICENSE("GPL");
