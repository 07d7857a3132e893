/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What recovery.c (which walk, from where, what comes of it), walk.c (keeping
 * rows in flight) and sync_user.c (requests, status, messages) share.
 */
#ifndef MQR_RECOVERY_H
#define MQR_RECOVERY_H

#include "mqraid.h"

/* The speed shown is that of so many seconds. */
#define MQR_SPEED_MARKS 6

/* One row in flight, in the ring @mqr_sync.row: row % MQR_WALK_WINDOW. */
struct mqr_row {
	struct mqr_io io;
	struct mqr_sync *sync;
	/* [any] released by the completion, acquired by the walker */
	bool finished;
};

struct mqr_speed_mark {
	unsigned long time;
	u64 sectors;
};

/* The members that a walk began with. */
struct mqr_sync_members {
	u64 in_sync;
	u64 rebuilding;
};

/*
 * struct mqr_sync - the walker of an array
 *
 * Life:   with the array; one thread, which sleeps while nothing walks.
 * Owner:  [cfg]     under array->config_mutex
 *         [walk]    set by the thread under [cfg] before the walk begins,
 *                   constant until array->sync_action is IDLE again
 *         [thread]  the thread's alone
 *         [lock]    under @lock
 */
struct mqr_sync {
	struct mqr_array *array;
	/* NULL in a RAID 0, where nothing ever walks */
	struct task_struct *thread;
	wait_queue_head_t wait;
	/* [any] bits below */
	unsigned long flags;

	/* [cfg] check or repair that the user has asked for, or IDLE */
	u32 wanted;
	/* [cfg] how the last walk, or one that was asked for, ended */
	u32 last_action;
	int last_result;
	/* [cfg] sectors that a check found and no repair has mended since */
	u64 unmended;
	/* [cfg] sectors that walks found lost, until one finds fewer */
	u64 lost_known;
	/* [cfg] not to be tried again while the members are these */
	u32 stuck_action;
	struct mqr_sync_members stuck;

	/* [walk] */
	u32 action;
	struct mqr_walk *walk;
	u64 first;
	struct mqr_sync_members begun;
	unsigned long started;

	/* [thread] 0, or why no more rows are begun */
	int result;
	unsigned int failures;
	int cpu;
	unsigned long pace_start;
	u64 pace_row;
	u32 pace_limit;
	unsigned long checkpoint_time;
	u64 checkpoint_row;
	/* lost rows that are still to be logged: one range */
	struct mqr_hole lost;
	unsigned int lost_logged;

	/* [any] sectors, in the last check or repair; in the last walk */
	atomic64_t mismatches;
	atomic64_t lost_sectors;

	/* completions and the walker; irqs off */
	spinlock_t lock;
	/* [lock] */
	unsigned int inflight;
	unsigned int marks;
	struct mqr_speed_mark mark[MQR_SPEED_MARKS];

	/* how far a check or repair has come: nobody else looks */
	struct mqr_walk check;
	struct mqr_row *row;
};

/* something may have to be done: look */
#define MQR_SYNC_POKED 0
/* [cfg] end the walk that array->sync_action names; cleared at its end */
#define MQR_SYNC_CANCEL 1

/* recovery.c */
/* The walk is to end early.  [thread] */
bool mqr_sync_cancelled(struct mqr_sync *sync);
/* Look whether something is due.  [any] */
void mqr_sync_poke(struct mqr_sync *sync);
/* End the walk that runs.  [cfg] */
void mqr_sync_cancel(struct mqr_sync *sync);
struct mqr_sync_members mqr_sync_members(const struct mqr_array *array);
/* Is every slot in sync? */
bool mqr_array_whole(const struct mqr_array *array);
bool mqr_resync_due(const struct mqr_array *array);
/* Is there a spare, and a slot for it? */
bool mqr_spare_fits(const struct mqr_array *array);

/* sync_user.c */
/*
 * What the user has asked for doesn't begin: whoever waits for it is told
 * @result, and not how an earlier one ended.  [cfg]
 */
void mqr_sync_drop(struct mqr_sync *sync, int result);
/* The walk has ended with @result: what that says of the array.  [cfg] */
void mqr_sync_account(struct mqr_sync *sync, int result);
#define MQR_SYNC_TEXT 160
/* "3 (nvme3n1), 4 (nvme4n1)", of the members in @state. */
void mqr_sync_text(const struct mqr_array *array, u32 state,
		   char buf[MQR_SYNC_TEXT]);
void mqr_sync_log_begin(struct mqr_sync *sync);
/* @text: the members that were rebuilt */
void mqr_sync_log_end(struct mqr_sync *sync, int result, const char *text);

/* walk.c */
/* Nothing from @start on is right any more; for the walk's next begin. */
void mqr_walk_rewind(struct mqr_walk *walk, u64 start);
/* Forget the rest of the walk before; no epoch that knew it is left. */
void mqr_walk_restart(struct mqr_walk *walk);
/* The first row that isn't known to be right. */
u64 mqr_walk_position(const struct mqr_walk *walk);
/* Run all rows, in the thread: leaves @result, and no row in flight. */
void mqr_sync_run(struct mqr_sync *sync);
/* Member sectors a second, of the last seconds. */
u64 mqr_sync_speed(struct mqr_sync *sync);

#endif
