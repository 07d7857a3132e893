// SPDX-License-Identifier: GPL-2.0
/*
 * What the user is told about an array.
 */
#include "mqraid.h"

static struct mqr_dev mqr_dev_number(dev_t dev)
{
	return (struct mqr_dev){.major = MAJOR(dev), .minor = MINOR(dev)};
}

static bool mqr_has_slot(const struct mqr_member *member)
{
	return member->slot >= 0 && (member->state == MQR_MEMBER_IN_SYNC ||
				     member->state == MQR_MEMBER_REBUILDING);
}

static void mqr_member_counts(const struct mqr_member *member,
			      struct mqr_member_info *info)
{
	int cpu;

	info->read_errors = atomic64_read(&member->read_errors);
	info->write_errors = atomic64_read(&member->write_errors);
	info->corrected = atomic64_read(&member->corrected);
	for_each_possible_cpu(cpu) {
		const struct mqr_member_stats *stats =
			per_cpu_ptr(member->stats, cpu);

		info->reads += stats->ios[READ];
		info->writes += stats->ios[WRITE];
		info->read_sectors += stats->sectors[READ];
		info->write_sectors += stats->sectors[WRITE];
	}
}

static u64 mqr_member_right(const struct mqr_member *member)
{
	const struct mqr_array *array = member->array;

	switch (member->state) {
	case MQR_MEMBER_IN_SYNC:
		return MQR_ALL_DONE;
	case MQR_MEMBER_REBUILDING:
		return mqr_geo_member_done(&array->geo,
					   atomic64_read(&array->rebuild.done));
	default:
		return 0;
	}
}

static void mqr_member_fill(const struct mqr_member *member,
			    struct mqr_member_info *info)
{
	*info = (struct mqr_member_info){
		.dev = mqr_dev_number(member->bdev->bd_dev),
		.slot = mqr_has_slot(member) ? member->slot : -1,
		.state = member->state,
		.data_offset = member->data_offset,
		.data_size = member->data_size,
		.recovery_offset = mqr_member_right(member),
		.dev_number = member->sb.dev_number,
	};
	memcpy(info->uuid, member->sb.device_uuid, sizeof(info->uuid));
	mqr_member_counts(member, info);
}

/* Slots in their order, empty ones included, then all others. */
static void mqr_status_members(struct mqr_array *array,
			       struct mqr_ioc_status *st)
{
	struct mqr_member *member;
	u32 slot, n = array->geo.raid_disks;

	for (slot = 0; slot < n; slot++)
		st->member[slot] = (struct mqr_member_info){
			.slot = slot,
			.state = MQR_MEMBER_ABSENT,
		};
	list_for_each_entry(member, &array->members, list) {
		struct mqr_member_info *info;

		if (mqr_has_slot(member))
			info = &st->member[member->slot];
		else if (n < ARRAY_SIZE(st->member))
			info = &st->member[n++];
		else
			continue;
		mqr_member_fill(member, info);
	}
	st->members = n;
}

static void mqr_status_array(struct mqr_array *array, struct mqr_ioc_status *st)
{
	const struct mqr_geo *g = &array->geo;

	st->array = array->index;
	st->raid_disks = g->raid_disks;
	st->level = g->level;
	st->layout = g->layout;
	st->chunk_sectors = g->level == 1 ? 0 : g->chunk_sectors;
	st->logical_block_size = array->logical_block_size;
	st->array_sectors = get_capacity(array->disk);
	st->member_sectors = g->member_sectors;
	memcpy(st->uuid, array->sb.set_uuid, sizeof(st->uuid));
	strscpy(st->name, array->sb.set_name, sizeof(st->name));
	st->events = array->sb.events;
	st->ctime = array->sb.ctime;
	st->utime = array->sb.utime;
	st->dev = mqr_dev_number(disk_devt(array->disk));
}

/* MQR_ARRAY_* */
static u32 mqr_array_state(struct mqr_array *array)
{
	const struct mqr_conf *conf = rcu_dereference_protected(
		array->conf, lockdep_is_held(&array->config_mutex));
	u32 state = 0;

	if (conf->failed)
		state |= MQR_ARRAY_FAILED;
	else if (conf->in_sync != mqr_slots(array))
		state |= MQR_ARRAY_DEGRADED;
	if (array->active)
		state |= MQR_ARRAY_ACTIVE;
	if (conf->resync)
		state |= MQR_ARRAY_DIRTY;
	if (disk_openers(array->disk))
		state |= MQR_ARRAY_OPEN;
	return state;
}

int mqr_array_status(struct mqr_array *array, struct mqr_ioc_status *st)
{
	int err = -ENODEV;

	mqr_config_lock(array);
	/* Of an array that is being stopped, disk and epoch may be gone. */
	if (!array->stopping) {
		mqr_status_array(array, st);
		st->state = mqr_array_state(array);
		mqr_status_members(array, st);
		mqr_sync_status(array, st);
		err = 0;
	}
	mqr_config_unlock(array);
	return err;
}
