// SPDX-License-Identifier: GPL-2.0
/*
 * Telling userspace what happened: uevents, and pollers of sysfs files.
 *
 * Both need memory, so neither is done where it happens: under the
 * configuration lock the event is only noted, and a work on the system's own
 * queue sends it, on which nothing depends.
 *
 * Life: nothing is noted any more once array->stopping is set; stop then
 * cancels the work before the disk goes away.
 */
#include "mqraid.h"

static const char *const mqr_event_name[] = {
	[MQR_EVENT_DEGRADED] = "degraded",
	[MQR_EVENT_FAILED] = "failed",
	[MQR_EVENT_SPARE_FAILED] = "spare_failed",
	[MQR_EVENT_SPARE_ADDED] = "spare_added",
	[MQR_EVENT_MEMBER_REMOVED] = "member_removed",
	[MQR_EVENT_SYNC_STARTED] = "sync_started",
	[MQR_EVENT_SYNC_FINISHED] = "sync_finished",
	[MQR_EVENT_SYNC_FAILED] = "sync_failed",
	[MQR_EVENT_PROGRESS] = NULL,
};

static const char *const mqr_polled_file[] = {
	"array_state", "degraded", "members", "sync_action", "sync_completed",
};

void mqr_event_later(struct mqr_array *array, enum mqr_event_id id)
{
	lockdep_assert_held(&array->config_mutex);
	if (array->stopping)
		return;
	set_bit(id, &array->events_due);
	schedule_work(&array->event_work);
}

void mqr_event_work(struct work_struct *work)
{
	struct mqr_array *array =
		container_of(work, struct mqr_array, event_work);
	unsigned long due = xchg(&array->events_due, 0);
	unsigned int i;

	/* Pollers first: whoever gets the uevent may look at once. */
	for (i = 0; i < ARRAY_SIZE(mqr_polled_file); i++)
		mqr_sysfs_notify(array, mqr_polled_file[i]);
	for (i = 0; i < ARRAY_SIZE(mqr_event_name); i++)
		if (due & BIT(i) && mqr_event_name[i])
			mqr_event(array, mqr_event_name[i]);
}
