// SPDX-License-Identifier: GPL-2.0
/*
 * Merging what one task submits under one plug.
 *
 * A write of a part of a row would read old content first; a program that
 * writes sequentially sends the rest of the row right behind it.  While the
 * task holds a plug, such writes are therefore kept with the plug, and when
 * it is released, neighbours of one row enter their gate as one batch.
 *
 * Requests are kept in the order of their submission and not sorted: those
 * who write whole rows send them in order, and the others would only pay for
 * it.  A write that is kept is like one in flight: it holds its reference of
 * array->writers, and blk_finish_plug() or schedule() comes for it.
 *
 * Whoever is about to sleep calls us back with @from_schedule.  Then nothing
 * may be allocated or submitted here: a worker goes on.  That is also what
 * makes room when the task that keeps requests waits for memory of the pools
 * that they hold.  A worker that waits can't be the one that goes on, so what
 * comes from a worker (of an array that is a member of another) isn't kept.
 */
#include <linux/slab.h>

#include "mqraid.h"

/* So many are let go even if the task doesn't release its plug. */
#define MQR_PLUG_MAX 256

struct mqr_plug {
	struct blk_plug_cb cb;
	struct mqr_io *first;
	struct mqr_io *last;
	unsigned int n;
};

/* Requests of one row: the first of them, alone from now on; @list moves on. */
static struct mqr_io *mqr_plug_row(struct mqr_io **list)
{
	struct mqr_io *first = *list, *last = first;

	while (last->next && last->next->row == first->row)
		last = last->next;
	*list = last->next;
	last->next = NULL;
	return first;
}

/* In order, each row at once.  [task] */
static void mqr_plug_run(struct mqr_io *list)
{
	while (list)
		mqr_gate_enter(mqr_plug_row(&list));
}

static void mqr_plug_task(struct mqr_task *task)
{
	mqr_plug_run(container_of(task, struct mqr_io, task));
}

static void mqr_unplug(struct blk_plug_cb *cb, bool from_schedule)
{
	struct mqr_plug *plug = container_of(cb, struct mqr_plug, cb);
	struct mqr_io *list = plug->first;

	kfree(plug);
	if (!list)
		return;
	if (!from_schedule) {
		mqr_plug_run(list);
		return;
	}
	list->task.run = mqr_plug_task;
	mqr_worker_push(&list->task);
}

/*
 * Keep @io, which is ready for its gate, until the task's plug is released.
 * False: there is no plug, or no memory to keep it.  [->submit_bio]
 */
bool mqr_plug_add(struct mqr_io *io)
{
	struct blk_plug_cb *cb;
	struct mqr_plug *plug;
	struct mqr_io *list;

	if (!current->plug || mqr_in_worker())
		return false;
	cb = blk_check_plugged(mqr_unplug, io->array, sizeof(*plug));
	if (!cb)
		return false;
	plug = container_of(cb, struct mqr_plug, cb);
	io->next = NULL;
	if (plug->first)
		plug->last->next = io;
	else
		plug->first = io;
	plug->last = io;
	if (++plug->n < MQR_PLUG_MAX)
		return true;
	list = plug->first;
	plug->first = NULL;
	plug->n = 0;
	mqr_plug_run(list);
	return true;
}
