// SPDX-License-Identifier: GPL-2.0
/*
 * Per-CPU workers: where an operation goes on after it waited for members.
 *
 * Each CPU has a lock-free list and a work item on a bound, high-priority
 * workqueue that memory reclaim may depend on.  Only the push that finds the
 * list empty queues the work; the work takes the whole list, so a push after
 * that finds it empty again and queues the work anew: nothing is left lying.
 * Tasks run in the order in which they were pushed.
 *
 * Context of mqr_task.run: process, may sleep shortly, must not wait for
 * another task of a worker (it would wait for itself).
 */
#include <linux/percpu.h>

#include "mqraid.h"

struct mqr_worker {
	struct llist_head tasks;
	struct work_struct work;
};

static DEFINE_PER_CPU_ALIGNED(struct mqr_worker, mqr_workers);
static struct workqueue_struct *mqr_worker_wq;

static void mqr_worker_run(struct work_struct *work)
{
	struct mqr_worker *worker = container_of(work, struct mqr_worker, work);
	struct llist_node *list =
		llist_reverse_order(llist_del_all(&worker->tasks));
	struct mqr_task *task, *next;
	struct blk_plug plug;

	blk_start_plug(&plug);
	llist_for_each_entry_safe(task, next, list, node)
		task->run(task);
	blk_finish_plug(&plug);
}

bool mqr_in_worker(void)
{
	struct work_struct *work = current_work();

	return work && work->func == mqr_worker_run;
}

void mqr_worker_push_on(struct mqr_task *task, int cpu)
{
	struct mqr_worker *worker = per_cpu_ptr(&mqr_workers, cpu);

	if (llist_add(&task->node, &worker->tasks))
		queue_work_on(cpu, mqr_worker_wq, &worker->work);
}

void mqr_worker_push(struct mqr_task *task)
{
	/* Any CPU is right; this one has the data in its cache. */
	mqr_worker_push_on(task, raw_smp_processor_id());
}

int mqr_workers_create(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct mqr_worker *worker = per_cpu_ptr(&mqr_workers, cpu);

		init_llist_head(&worker->tasks);
		INIT_WORK(&worker->work, mqr_worker_run);
	}
	mqr_worker_wq = alloc_workqueue(
		"mqraid", WQ_MEM_RECLAIM | WQ_HIGHPRI | WQ_PERCPU, 0);
	return mqr_worker_wq ? 0 : -ENOMEM;
}

void mqr_workers_destroy(void)
{
	destroy_workqueue(mqr_worker_wq);
}
