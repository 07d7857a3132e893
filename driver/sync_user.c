// SPDX-License-Identifier: GPL-2.0
/*
 * Walks as the user sees them: what may be asked for, what is shown, and what
 * is logged.  Everything but mqr_sync_request() runs under the configuration
 * lock.
 */
#include "recovery.h"

static const char *const mqr_action_name[] = {
	[MQR_SYNC_IDLE] = "idle",	[MQR_SYNC_RESYNC] = "resync",
	[MQR_SYNC_REBUILD] = "rebuild", [MQR_SYNC_CHECK] = "check",
	[MQR_SYNC_REPAIR] = "repair",
};

void mqr_sync_text(const struct mqr_array *array, u32 state,
		   char buf[MQR_SYNC_TEXT])
{
	const struct mqr_member *member;
	int len = 0;

	buf[0] = '\0';
	list_for_each_entry(member, &array->members, list)
		if (member->state == state)
			len += scnprintf(buf + len, MQR_SYNC_TEXT - len,
					 "%s%d (%pg)", len ? ", " : "",
					 member->slot, member->bdev);
}

static u64 mqr_percent(const struct mqr_array *array, u64 row)
{
	return array->geo.rows ? div64_u64(row * 100, array->geo.rows) : 100;
}

void mqr_sync_log_begin(struct mqr_sync *sync)
{
	struct mqr_array *array = sync->array;
	char text[MQR_SYNC_TEXT] = "";

	if (sync->action == MQR_SYNC_REBUILD)
		mqr_sync_text(array, MQR_MEMBER_REBUILDING, text);
	mqr_info(array, "%s%s%s begins at %llu %%",
		 mqr_action_name[sync->action], *text ? " of member " : "",
		 text, mqr_percent(array, sync->first));
}

static void mqr_sync_log_done(struct mqr_sync *sync, const char *text)
{
	struct mqr_array *array = sync->array;
	const struct mqr_geo *g = &array->geo;
	u64 ms = max_t(u64, jiffies_to_msecs(jiffies - sync->started), 1);
	u64 mib = (mqr_geo_member_done(g, g->rows) -
		   mqr_geo_member_done(g, sync->first)) >>
		  (20 - MQR_SECTOR_SHIFT);
	const char *name = mqr_action_name[sync->action];
	u64 seconds = div_u64(ms + 500, 1000);
	u64 speed = div64_u64(mib * 1000, ms);

	switch (sync->action) {
	case MQR_SYNC_REBUILD:
		mqr_info(array,
			 "%s of member %s finished in %llu s, %llu MiB/s; "
			 "array %s",
			 name, text, seconds, speed,
			 mqr_array_whole(array) ? "is whole"
						: "still lacks members");
		break;
	case MQR_SYNC_RESYNC:
		mqr_info(array, "%s finished in %llu s, %llu MiB/s", name,
			 seconds, speed);
		break;
	default:
		mqr_info(array,
			 "%s finished in %llu s, %llu MiB/s; %lld sectors "
			 "didn't match%s",
			 name, seconds, speed, atomic64_read(&sync->mismatches),
			 sync->action == MQR_SYNC_REPAIR
				 ? " and have been mended"
				 : "");
	}
}

void mqr_sync_log_end(struct mqr_sync *sync, int result, const char *text)
{
	struct mqr_array *array = sync->array;
	const char *name = mqr_action_name[sync->action];
	s64 lost = atomic64_read(&sync->lost_sectors);

	if (!result && !lost) {
		mqr_sync_log_done(sync, text);
	} else if (lost) {
		mqr_warn(array,
			 "%s ended with %lld sectors that can't be read from "
			 "any member; %s",
			 name, lost,
			 sync->action == MQR_SYNC_REBUILD
				 ? "the member stays in rebuild"
			 : sync->action == MQR_SYNC_RESYNC
				 ? "these rows stay unsynchronised"
				 : "nothing was done about them");
	} else {
		mqr_info(array, "%s %s at %llu %%", name,
			 result == -ECANCELED ? "ended early" : "interrupted",
			 mqr_percent(array, mqr_walk_position(sync->walk)));
	}
}

void mqr_sync_drop(struct mqr_sync *sync, int result)
{
	struct mqr_array *array = sync->array;
	const char *why = result == -ECANCELED ? "it was cancelled"
			  : array->stopping    ? "the array is being stopped"
					       : "members are missing";

	lockdep_assert_held(&array->config_mutex);
	if (sync->wanted == MQR_SYNC_IDLE)
		return;
	mqr_info(array, "the %s that was asked for doesn't begin: %s",
		 mqr_action_name[sync->wanted], why);
	sync->last_action = sync->wanted;
	sync->last_result = result;
	sync->wanted = MQR_SYNC_IDLE;
	mqr_event_later(array, MQR_EVENT_PROGRESS);
}

/*
 * The sectors that are known not to match, if there were @before and a walk
 * found @mismatches: a check knows if it went through all rows, else only that
 * there are at least as many; a repair has mended all, or not all.
 */
static u64 mqr_unmended(u64 before, u32 action, int result, u64 mismatches)
{
	switch (action) {
	case MQR_SYNC_CHECK:
		return result ? max(before, mismatches) : mismatches;
	case MQR_SYNC_REPAIR:
		return result ? before : 0;
	default:
		return before;
	}
}

void mqr_sync_account(struct mqr_sync *sync, int result)
{
	u64 lost = atomic64_read(&sync->lost_sectors);

	lockdep_assert_held(&sync->array->config_mutex);
	sync->last_action = sync->action;
	sync->last_result = result;
	sync->unmended = mqr_unmended(sync->unmended, sync->action, result,
				      atomic64_read(&sync->mismatches));
	sync->lost_known = result ? max(sync->lost_known, lost) : lost;
}

/* May a check or repair begin now? */
static int mqr_sync_allowed(struct mqr_array *array, u32 action,
			    struct mqr_why *why)
{
	struct mqr_sync *sync = array->sync;

	if (!mqr_array_redundant(array)) {
		mqr_because(why, "mqr%d is a RAID 0: there is nothing to %s",
			    array->index, mqr_action_name[action]);
		return -EINVAL;
	}
	if (array->broken) {
		mqr_because(why,
			    "mqr%d has failed: stop it, and assemble it again "
			    "once its members answer",
			    array->index);
		return -EIO;
	}
	if (array->sync_action != MQR_SYNC_IDLE ||
	    sync->wanted != MQR_SYNC_IDLE) {
		mqr_because(
			why, "mqr%d is busy with a %s already", array->index,
			mqr_action_name[array->sync_action ?: sync->wanted]);
		return -EBUSY;
	}
	if (mqr_resync_due(array) || mqr_sync_members(array).rebuilding ||
	    mqr_spare_fits(array)) {
		/* If it was given up, the user now wants something done. */
		sync->stuck_action = MQR_SYNC_IDLE;
		mqr_sync_poke(sync);
		mqr_because(why,
			    "mqr%d has to be made redundant first: a %s is due",
			    array->index,
			    mqr_resync_due(array) ? "resync" : "rebuild");
		return -EBUSY;
	}
	if (!mqr_array_whole(array)) {
		mqr_because(why,
			    "mqr%d lacks members (%u of %u are in sync): there "
			    "is nothing to %s without redundancy",
			    array->index,
			    (unsigned int)hweight64(
				    mqr_sync_members(array).in_sync),
			    array->geo.raid_disks, mqr_action_name[action]);
		return -EINVAL;
	}
	return 0;
}

/* What the user may end, ends; *@running is to be waited for. */
static int mqr_sync_stop(struct mqr_array *array, u32 *running,
			 struct mqr_why *why)
{
	struct mqr_sync *sync = array->sync;
	u32 waited = sync->wanted;

	mqr_sync_drop(sync, -ECANCELED);
	*running = array->sync_action;
	switch (*running) {
	case MQR_SYNC_IDLE:
		return 0;
	case MQR_SYNC_CHECK:
	case MQR_SYNC_REPAIR:
		mqr_sync_cancel(sync);
		return 0;
	default:
		mqr_because(why,
			    "%s%sthe %s of mqr%d is needed for redundancy and "
			    "goes on; sync_speed_max slows it down",
			    waited ? mqr_action_name[waited] : "",
			    waited ? " cancelled; " : "",
			    mqr_action_name[*running], array->index);
		return -EBUSY;
	}
}

int mqr_sync_request(struct mqr_array *array, u32 action, struct mqr_why *why)
{
	u32 running = MQR_SYNC_IDLE, ended;
	int err;

	if (action != MQR_SYNC_IDLE && action != MQR_SYNC_CHECK &&
	    action != MQR_SYNC_REPAIR) {
		mqr_because(why, "action %u: must be idle, check or repair",
			    action);
		return -EINVAL;
	}
	mqr_config_lock(array);
	ended = array->sync_ended;
	if (array->stopping || !array->sync) {
		mqr_because(why, "mqr%d is being stopped", array->index);
		err = -ENODEV;
	} else if (action == MQR_SYNC_IDLE) {
		err = mqr_sync_stop(array, &running, why);
	} else {
		err = mqr_sync_allowed(array, action, why);
		if (!err) {
			array->sync->wanted = action;
			mqr_event_later(array, MQR_EVENT_PROGRESS);
			mqr_sync_poke(array->sync);
		}
	}
	mqr_config_unlock(array);
	/* Not under the lock, which the thread needs to end. */
	if (!err && running != MQR_SYNC_IDLE)
		err = wait_event_killable(array->epoch_wait,
					  READ_ONCE(array->sync_ended) !=
						  ended);
	return err;
}

void mqr_sync_status(struct mqr_array *array, struct mqr_ioc_status *st)
{
	const struct mqr_geo *g = &array->geo;
	struct mqr_sync *sync = array->sync;

	lockdep_assert_held(&array->config_mutex);
	if (!sync)
		return;
	st->sync_action = array->sync_action;
	st->mismatches = atomic64_read(&sync->mismatches);
	st->unmended = sync->unmended;
	st->lost_sectors = sync->lost_known;
	st->last_action = sync->last_action;
	st->last_result = sync->last_result;
	if (array->sync_action == MQR_SYNC_IDLE) {
		/* One that has been asked for is as good as begun. */
		st->sync_action = sync->wanted;
		return;
	}
	st->lost_sectors = max_t(u64, st->lost_sectors,
				 atomic64_read(&sync->lost_sectors));
	st->sync_total = mqr_geo_member_done(g, g->rows);
	st->sync_done =
		mqr_geo_member_done(g, atomic64_read(&sync->walk->done));
	st->sync_speed = mqr_sync_speed(sync);
}
