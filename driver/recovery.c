// SPDX-License-Identifier: GPL-2.0
/*
 * Resync, rebuild, check and repair: which of them is due, from where to
 * where, and what comes of it.
 *
 * One thread for each array does them one after the other.  It sleeps until
 * it is poked; nobody ever waits for it under the configuration lock, which
 * it takes itself where a walk begins and ends:
 *
 *	drain   no I/O of older epochs is left: those of the walk before, to
 *	        which its positions still mean something
 *	begin   [cfg] choose; set positions back; give spares their slots;
 *	        publish an epoch with all that; superblocks
 *	drain   no mirror write is left that doesn't pass the gate
 *	run     rows (walk.c)
 *	finish  [cfg] take over the result; epoch, superblocks, messages
 *
 * Invariants:
 *
 *	- a superblock's recovery_offset never is above array->rebuild.done:
 *	  what lies above is not kept up by writes.  It is lowered, on stable
 *	  storage, before @done is set back, and raised after @done has risen
 *	  (mqr_sync_record(), before the flush that makes it true)
 *	- @done is set back before a member that isn't right at all is part of
 *	  an epoch
 *	- members that are rebuilt share one position: they walk together
 *	- rows that couldn't be made right keep their member out of sync; such
 *	  a walk isn't repeated by itself until other members are there
 */
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "recovery.h"

/* Default of rows in flight: so many bytes, but some rows at least. */
#define MQR_SYNC_BYTES (32u << 20)
#define MQR_SYNC_ROWS_MIN 2
#define MQR_SYNC_ROWS_MAX 64
/* A walk that fails though no member does. */
#define MQR_SYNC_TRIES 3
#define MQR_SYNC_RETRY HZ

bool mqr_sync_cancelled(struct mqr_sync *sync)
{
	return test_bit(MQR_SYNC_CANCEL, &sync->flags) || kthread_should_stop();
}

void mqr_sync_poke(struct mqr_sync *sync)
{
	set_bit(MQR_SYNC_POKED, &sync->flags);
	wake_up(&sync->wait);
}

void mqr_sync_cancel(struct mqr_sync *sync)
{
	set_bit(MQR_SYNC_CANCEL, &sync->flags);
	wake_up(&sync->wait);
	/* It may not have got further than draining. */
	wake_up_all(&sync->array->epoch_wait);
}

struct mqr_sync_members mqr_sync_members(const struct mqr_array *array)
{
	struct mqr_sync_members are = {};
	const struct mqr_member *member;

	list_for_each_entry(member, &array->members, list) {
		if (member->state == MQR_MEMBER_IN_SYNC)
			are.in_sync |= BIT_ULL(member->slot);
		else if (member->state == MQR_MEMBER_REBUILDING)
			are.rebuilding |= BIT_ULL(member->slot);
	}
	return are;
}

static bool mqr_sync_same(struct mqr_sync_members a, struct mqr_sync_members b)
{
	return a.in_sync == b.in_sync && a.rebuilding == b.rebuilding;
}

bool mqr_array_whole(const struct mqr_array *array)
{
	return mqr_sync_members(array).in_sync == mqr_slots(array);
}

bool mqr_resync_due(const struct mqr_array *array)
{
	return mqr_array_redundant(array) &&
	       array->sb.resync_offset != MQR_ALL_DONE;
}

/*
 * With as many members missing as there are parities, any parity fits some
 * content of the missing: there is nothing to resynchronise.  With fewer, the
 * first parity that is left is believed, and the second made anew.
 */
static bool mqr_resync_possible(const struct mqr_array *array)
{
	u64 missing = mqr_slots(array) & ~mqr_sync_members(array).in_sync;

	return array->geo.mirror || hweight64(missing) < array->geo.parities;
}

/*
 * Rows in which a member in rebuild is right already have as many blocks as
 * parities can be wrong for: they must be resynchronised when it is done.
 */
static bool mqr_rebuilt_partly(const struct mqr_array *array)
{
	const struct mqr_member *member;

	list_for_each_entry(member, &array->members, list)
		if (member->state == MQR_MEMBER_REBUILDING &&
		    (member->sb.recovery_offset ||
		     atomic64_read(&array->rebuild.done)))
			return true;
	return false;
}

/*
 * A resync is due that can't be done any more (or, forced together, never
 * could): parity is taken as it is.  [cfg]
 */
void mqr_sync_trust_parity(struct mqr_array *array)
{
	if (array->broken || !mqr_resync_due(array) ||
	    mqr_resync_possible(array) || mqr_rebuilt_partly(array))
		return;
	mqr_warn(array, "members are missing: parity is taken as it is, though "
			"its resync was not complete");
	array->sb.resync_offset = MQR_ALL_DONE;
	set_bit(MQR_META_WRITE, &array->meta_flags);
}

static bool mqr_is_spare(const struct mqr_member *member)
{
	return member->state == MQR_MEMBER_SPARE &&
	       !test_bit(MQR_MEMBER_FAILING, &member->flags);
}

bool mqr_spare_fits(const struct mqr_array *array)
{
	struct mqr_sync_members are = mqr_sync_members(array);
	const struct mqr_member *member;

	if (!(mqr_slots(array) & ~(are.in_sync | are.rebuilding)))
		return false;
	list_for_each_entry(member, &array->members, list)
		if (mqr_is_spare(member))
			return true;
	return false;
}

static bool mqr_sync_stuck(const struct mqr_sync *sync, u32 action)
{
	return sync->stuck_action == action &&
	       mqr_sync_same(sync->stuck, mqr_sync_members(sync->array));
}

/* Does @action, which runs, still make sense? */
static bool mqr_sync_sensible(const struct mqr_array *array, u32 action)
{
	if (array->broken)
		return false;
	switch (action) {
	case MQR_SYNC_RESYNC:
		return mqr_resync_possible(array);
	case MQR_SYNC_REBUILD:
		return mqr_sync_members(array).rebuilding != 0;
	default:
		return mqr_array_whole(array);
	}
}

static u32 mqr_sync_choose(struct mqr_sync *sync)
{
	struct mqr_array *array = sync->array;
	bool rebuild = mqr_spare_fits(array) ||
		       (mqr_sync_members(array).rebuilding &&
			!mqr_sync_stuck(sync, MQR_SYNC_REBUILD));

	if (array->stopping || array->broken) {
		mqr_sync_drop(sync, -EIO);
		return MQR_SYNC_IDLE;
	}
	/* Copies must agree before one is made the source of another. */
	if (mqr_resync_due(array) && mqr_resync_possible(array) &&
	    !mqr_sync_stuck(sync, MQR_SYNC_RESYNC) &&
	    (array->geo.mirror || !rebuild))
		return MQR_SYNC_RESYNC;
	if (rebuild)
		return MQR_SYNC_REBUILD;
	if (mqr_array_whole(array) && !mqr_resync_due(array))
		return sync->wanted;
	mqr_sync_drop(sync, -EIO);
	return MQR_SYNC_IDLE;
}

/* No member that is being rebuilt is to claim more than @start rows. */
static bool mqr_rebuild_lower(struct mqr_array *array, u64 start)
{
	u64 offset = mqr_geo_member_done(&array->geo, start);
	struct mqr_member *member;
	bool lowered = false;

	list_for_each_entry(member, &array->members, list) {
		if (member->state != MQR_MEMBER_REBUILDING ||
		    member->sb.recovery_offset <= offset)
			continue;
		member->sb.recovery_offset = offset;
		lowered = true;
	}
	return lowered;
}

/* The rows that are right on all members that are being rebuilt. */
static u64 mqr_rebuild_start(const struct mqr_array *array)
{
	const struct mqr_member *member;
	u64 start = array->geo.rows;

	list_for_each_entry(member, &array->members, list)
		if (member->state == MQR_MEMBER_REBUILDING)
			start = min(start, mqr_geo_rows_before(
						   &array->geo,
						   member->sb.recovery_offset));
	return start;
}

/* Spares take the lowest slots that are free. */
static void mqr_rebuild_seat(struct mqr_array *array)
{
	struct mqr_sync_members are = mqr_sync_members(array);
	u64 empty = mqr_slots(array) & ~(are.in_sync | are.rebuilding);
	struct mqr_member *member;

	list_for_each_entry(member, &array->members, list) {
		if (!empty)
			break;
		if (!mqr_is_spare(member))
			continue;
		member->slot = __ffs64(empty);
		empty &= empty - 1;
		member->sb.recovery_offset = 0;
		member->state = MQR_MEMBER_REBUILDING;
	}
}

static u64 mqr_rebuild_prepare(struct mqr_array *array)
{
	u64 start = mqr_spare_fits(array) ? 0 : mqr_rebuild_start(array);

	/* On stable storage before @done falls; may cost some member. */
	if (mqr_rebuild_lower(array, start))
		mqr_meta_write(array);
	/* Before an epoch with new members. */
	mqr_walk_rewind(&array->rebuild, start);
	if (!start)
		mqr_rebuild_seat(array);
	return start;
}

static void mqr_sync_prepare(struct mqr_sync *sync)
{
	struct mqr_array *array = sync->array;

	switch (sync->action) {
	case MQR_SYNC_REBUILD:
		sync->walk = &array->rebuild;
		sync->first = mqr_rebuild_prepare(array);
		break;
	case MQR_SYNC_RESYNC:
		sync->walk = &array->resync;
		sync->first = mqr_geo_rows_resynced(&array->geo,
						    array->sb.resync_offset);
		mqr_walk_rewind(sync->walk, sync->first);
		break;
	default:
		sync->walk = &sync->check;
		sync->first = 0;
		mqr_walk_init(sync->walk, 0);
		atomic64_set(&sync->mismatches, 0);
	}
	atomic64_set(&sync->lost_sectors, 0);
	sync->started = jiffies;
}

/*
 * One copy agrees with itself: no need to walk.  (What a member in rebuild has
 * got so far is a copy as well.)
 */
static void mqr_resync_skip(struct mqr_array *array)
{
	struct mqr_sync_members are = mqr_sync_members(array);

	if (array->geo.level != 1 || array->broken || !mqr_resync_due(array) ||
	    hweight64(are.in_sync) != 1 || are.rebuilding)
		return;
	array->sb.resync_offset = MQR_ALL_DONE;
	mqr_conf_publish(array);
	mqr_meta_write(array);
}

/* False: there is nothing to do.  Older epochs have drained. */
static bool mqr_sync_begin(struct mqr_sync *sync)
{
	struct mqr_array *array = sync->array;
	bool begun = false;

	mqr_config_lock(array);
	if (!array->stopping)
		mqr_resync_skip(array);
	sync->action = mqr_sync_choose(sync);
	if (sync->action == MQR_SYNC_IDLE)
		goto out;
	mqr_sync_prepare(sync);
	/* Writing superblocks may have cost it its members. */
	if (!mqr_sync_sensible(array, sync->action)) {
		if (sync->action == sync->wanted)
			mqr_sync_drop(sync, -EIO);
		goto out;
	}
	begun = true;
	if (sync->action == sync->wanted)
		sync->wanted = MQR_SYNC_IDLE;
	array->sync_action = sync->action;
	sync->begun = mqr_sync_members(array);
	mqr_sync_log_begin(sync);
	mqr_conf_publish(array);
	if (!mqr_conf_current(array)->stable)
		mqr_meta_write(array);
	mqr_conf_refill(array);
	mqr_event_later(array, MQR_EVENT_SYNC_STARTED);
	/* What that write has changed. */
	mqr_sync_update(array);
out:
	mqr_config_unlock(array);
	return begun;
}

void mqr_sync_record(struct mqr_array *array)
{
	const struct mqr_geo *g = &array->geo;
	struct mqr_member *member;
	u64 offset;

	lockdep_assert_held(&array->config_mutex);
	if (array->sync_action == MQR_SYNC_RESYNC && mqr_resync_due(array))
		array->sb.resync_offset = mqr_geo_resync_done(
			g, mqr_walk_position(&array->resync));
	if (array->sync_action != MQR_SYNC_REBUILD)
		return;
	offset = mqr_geo_member_done(g, mqr_walk_position(&array->rebuild));
	list_for_each_entry(member, &array->members, list)
		if (member->state == MQR_MEMBER_REBUILDING)
			member->sb.recovery_offset = offset;
}

/* All rows are right: so are the members, or parity. */
static void mqr_sync_complete(struct mqr_sync *sync)
{
	struct mqr_array *array = sync->array;
	struct mqr_member *member;

	if (sync->action == MQR_SYNC_RESYNC)
		array->sb.resync_offset = MQR_ALL_DONE;
	if (sync->action != MQR_SYNC_REBUILD)
		return;
	list_for_each_entry(member, &array->members, list) {
		/* One that has just missed a write is as good as gone. */
		if (member->state != MQR_MEMBER_REBUILDING ||
		    test_bit(MQR_MEMBER_FAILING, &member->flags))
			continue;
		member->state = MQR_MEMBER_IN_SYNC;
		member->sb.recovery_offset = MQR_ALL_DONE;
	}
}

/* A check or repair: nothing depends on it, and it isn't tried again. */
static bool mqr_sync_is_scrub(const struct mqr_sync *sync)
{
	return sync->walk == &sync->check;
}

/*
 * What to do about a walk that failed.  Other members: begin again.  The same
 * ones: what was unreadable will be again; other reasons may pass.
 */
static void mqr_sync_judge(struct mqr_sync *sync, int result)
{
	struct mqr_sync_members are = mqr_sync_members(sync->array);

	if (!result || result == -ECANCELED || mqr_sync_is_scrub(sync) ||
	    !mqr_sync_same(sync->begun, are)) {
		sync->failures = 0;
		return;
	}
	if (!atomic64_read(&sync->lost_sectors) &&
	    ++sync->failures < MQR_SYNC_TRIES)
		return;
	sync->failures = 0;
	sync->stuck_action = sync->action;
	sync->stuck = are;
}

static void mqr_sync_finish(struct mqr_sync *sync)
{
	struct mqr_array *array = sync->array;
	char text[MQR_SYNC_TEXT];
	int result = sync->result;

	mqr_config_lock(array);
	/* A scrub only reports holes; what it was to find out is known. */
	if (!result && !mqr_sync_is_scrub(sync) && READ_ONCE(sync->walk->holes))
		result = -EIO;
	/* Rows that lacked a member had nothing to be compared with. */
	if (mqr_sync_is_scrub(sync) && !mqr_sync_sensible(array, sync->action))
		result = -EIO;
	mqr_sync_record(array);
	mqr_sync_text(array, MQR_MEMBER_REBUILDING, text);
	if (!result)
		mqr_sync_complete(sync);
	WRITE_ONCE(array->sync_ended, array->sync_ended + 1);
	array->sync_action = MQR_SYNC_IDLE;
	clear_bit(MQR_SYNC_CANCEL, &sync->flags);
	mqr_sync_account(sync, result);
	mqr_conf_publish(array);
	if (sync->action == MQR_SYNC_REBUILD ||
	    sync->action == MQR_SYNC_RESYNC || !mqr_conf_current(array)->stable)
		mqr_meta_write(array);

	mqr_sync_judge(sync, result);
	mqr_sync_log_end(sync, result, text);
	mqr_event_later(array, result || atomic64_read(&sync->lost_sectors)
				       ? MQR_EVENT_SYNC_FAILED
				       : MQR_EVENT_SYNC_FINISHED);
	mqr_conf_refill(array);
	mqr_config_unlock(array);
	/* See mqr_sync_request(). */
	wake_up_all(&array->epoch_wait);
}

/* Wait until only the current epoch is left.  False: cancelled. */
static bool mqr_sync_drain(struct mqr_sync *sync)
{
	struct mqr_array *array = sync->array;

	wait_event_idle(array->epoch_wait, atomic_read(&array->epochs) <= 1 ||
						   mqr_sync_cancelled(sync));
	return !mqr_sync_cancelled(sync);
}

/* False: nothing is due. */
static bool mqr_sync_once(struct mqr_sync *sync)
{
	if (!mqr_sync_drain(sync) || !mqr_sync_begin(sync))
		return false;
	sync->result = -ECANCELED;
	if (mqr_sync_drain(sync))
		mqr_sync_run(sync);
	mqr_sync_finish(sync);
	if (sync->failures)
		wait_event_idle_timeout(sync->wait, kthread_should_stop(),
					MQR_SYNC_RETRY);
	return true;
}

static int mqr_sync_thread(void *data)
{
	struct mqr_sync *sync = data;

	while (!kthread_should_stop()) {
		wait_event_idle(sync->wait,
				kthread_should_stop() ||
					test_and_clear_bit(MQR_SYNC_POKED,
							   &sync->flags));
		while (!kthread_should_stop() && mqr_sync_once(sync))
			;
	}
	return 0;
}

/*
 * May none begin before somebody adds a member?  Whoever has asked for one is
 * told so at once: the thread may have to wait for I/O of an older epoch yet,
 * however long.
 */
static bool mqr_scrub_hopeless(const struct mqr_array *array)
{
	return array->broken ||
	       (!mqr_array_whole(array) && !mqr_spare_fits(array) &&
		!mqr_sync_members(array).rebuilding);
}

void mqr_sync_update(struct mqr_array *array)
{
	struct mqr_sync *sync = array->sync;

	lockdep_assert_held(&array->config_mutex);
	if (!sync || !sync->thread)
		return;
	if (array->sync_action != MQR_SYNC_IDLE &&
	    !mqr_sync_sensible(array, array->sync_action))
		mqr_sync_cancel(sync);
	if (mqr_scrub_hopeless(array))
		mqr_sync_drop(sync, -EIO);
	mqr_sync_poke(sync);
}

/* Before there is any I/O. */
static void mqr_sync_positions(struct mqr_array *array)
{
	const struct mqr_geo *g = &array->geo;
	u64 start = mqr_rebuild_start(array), resynced = g->rows;

	mqr_sync_trust_parity(array);
	if (mqr_resync_due(array))
		resynced = mqr_geo_rows_resynced(g, array->sb.resync_offset);
	mqr_walk_init(&array->resync, resynced);
	/*
	 * Members that got further claim no more than the others from now on:
	 * written before the first write, as the array is not active yet.
	 */
	mqr_walk_init(&array->rebuild, start);
	mqr_rebuild_lower(array, start);
}

static int mqr_sync_start(struct mqr_sync *sync)
{
	struct mqr_array *array = sync->array;
	struct task_struct *thread;

	sync->row = kvcalloc(MQR_WALK_WINDOW, sizeof(*sync->row), GFP_KERNEL);
	if (!sync->row)
		return -ENOMEM;
	thread = kthread_run(mqr_sync_thread, sync, "mqr%d_sync", array->index);
	if (IS_ERR(thread)) {
		kvfree(sync->row);
		return PTR_ERR(thread);
	}
	sync->thread = thread;
	return 0;
}

/* Members are known, nothing runs yet. */
struct mqr_sync *mqr_sync_create(struct mqr_array *array)
{
	const struct mqr_geo *g = &array->geo;
	struct mqr_sync *sync = kzalloc(sizeof(*sync), GFP_KERNEL);
	int err;

	if (!sync)
		return ERR_PTR(-ENOMEM);
	sync->array = array;
	sync->cpu = -1;
	init_waitqueue_head(&sync->wait);
	spin_lock_init(&sync->lock);
	if (!mqr_array_redundant(array))
		return sync;
	array->sync_rows = clamp_t(unsigned int,
				   MQR_SYNC_BYTES / (g->roles * g->chunk_sectors
						     << MQR_SECTOR_SHIFT),
				   MQR_SYNC_ROWS_MIN, MQR_SYNC_ROWS_MAX);
	mqr_sync_positions(array);
	err = mqr_sync_start(sync);
	if (err) {
		kfree(sync);
		return ERR_PTR(err);
	}
	return sync;
}

/*
 * Not under [cfg], which the thread takes to end its walk; it leaves the
 * positions in the fields of the superblocks.
 */
void mqr_sync_destroy(struct mqr_array *array)
{
	struct mqr_sync *sync = array->sync;

	if (!sync)
		return;
	lockdep_assert_not_held(&array->config_mutex);
	if (sync->thread)
		kthread_stop(sync->thread);
	mqr_config_lock(array);
	array->sync = NULL;
	mqr_config_unlock(array);
	kvfree(sync->row);
	kfree(sync);
}
