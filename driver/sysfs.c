// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/block/mqrN/mqraid: state and tunables, as in
 * Documentation/ABI/sysfs-block-mqraid; and events.
 *
 * What a file shows is made from the same struct that the status call fills,
 * so that both always agree.  A file is one row in the table at the end.
 */
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "mqraid.h"
#include "calc.h"

#define MQR_MAX_SAFE_DELAY_MS 3600000u
#define MQR_MAX_READ_ERRORS_LIMIT 1000000u

static const char *const mqr_action_name[] = {
	[MQR_SYNC_IDLE] = "idle",	[MQR_SYNC_RESYNC] = "resync",
	[MQR_SYNC_REBUILD] = "rebuild", [MQR_SYNC_CHECK] = "check",
	[MQR_SYNC_REPAIR] = "repair",
};

static const char *const mqr_state_name[] = {
	[MQR_MEMBER_ABSENT] = "absent",
	[MQR_MEMBER_SPARE] = "spare",
	[MQR_MEMBER_REBUILDING] = "rebuilding",
	[MQR_MEMBER_IN_SYNC] = "in_sync",
	[MQR_MEMBER_FAULTY] = "faulty",
};

static struct mqr_array *mqr_of_device(struct device *dev)
{
	return dev_to_disk(dev)->private_data;
}

static ssize_t mqr_show_status(struct device *dev, char *buf,
			       ssize_t (*emit)(const struct mqr_ioc_status *st,
					       char *buf))
{
	struct mqr_ioc_status *st = kvzalloc(sizeof(*st), GFP_KERNEL);
	ssize_t len;

	if (!st)
		return -ENOMEM;
	len = mqr_array_status(mqr_of_device(dev), st);
	if (!len)
		len = emit(st, buf);
	kvfree(st);
	return len;
}

/* A read-only file whose content mqr_emit_NAME() makes of the status. */
#define MQR_STATUS_FILE(name)                                                \
	static ssize_t name##_show(struct device *dev,                       \
				   struct device_attribute *attr, char *buf) \
	{                                                                    \
		return mqr_show_status(dev, buf, mqr_emit_##name);           \
	}

/* The same for one expression of the status. */
#define MQR_STATUS_VALUE(name, fmt, ...)                                \
	static ssize_t mqr_emit_##name(const struct mqr_ioc_status *st, \
				       char *buf)                       \
	{                                                               \
		return sysfs_emit(buf, fmt "\n", __VA_ARGS__);          \
	}                                                               \
	MQR_STATUS_FILE(name)                                           \
	static DEVICE_ATTR_RO(name)

MQR_STATUS_VALUE(level, "%d", st->level);
MQR_STATUS_VALUE(chunk_size, "%u", st->chunk_sectors << SECTOR_SHIFT);
MQR_STATUS_VALUE(raid_disks, "%u", st->raid_disks);
MQR_STATUS_VALUE(uuid, "%pU", st->uuid);
MQR_STATUS_VALUE(name, "%s", st->name);
MQR_STATUS_VALUE(events, "%llu", st->events);
MQR_STATUS_VALUE(sync_completed, "%llu / %llu", st->sync_done, st->sync_total);
MQR_STATUS_VALUE(sync_speed, "%llu", st->sync_speed / 2);
MQR_STATUS_VALUE(mismatch_cnt, "%llu", st->mismatches);
MQR_STATUS_VALUE(lost_sectors, "%llu", st->lost_sectors);
MQR_STATUS_VALUE(calc, "%s", mqr_calc_name());

static ssize_t mqr_emit_layout(const struct mqr_ioc_status *st, char *buf)
{
	char text[32];

	return sysfs_emit(buf, "%s\n",
			  mqr_layout_name(st->level, st->layout, text,
					  sizeof(text)));
}

MQR_STATUS_FILE(layout)
static DEVICE_ATTR_RO(layout);

static ssize_t mqr_emit_array_state(const struct mqr_ioc_status *st, char *buf)
{
	u32 state = st->state;

	return sysfs_emit(buf, "%s%s%s%s\n",
			  state & MQR_ARRAY_ACTIVE ? "active" : "clean",
			  state & MQR_ARRAY_DEGRADED ? " degraded" : "",
			  state & MQR_ARRAY_FAILED ? " failed" : "",
			  state & MQR_ARRAY_DIRTY ? " dirty" : "");
}

MQR_STATUS_FILE(array_state)
static DEVICE_ATTR_RO(array_state);

static ssize_t mqr_emit_degraded(const struct mqr_ioc_status *st, char *buf)
{
	unsigned int missing = 0;
	u32 slot;

	for (slot = 0; slot < st->raid_disks; slot++)
		missing += st->member[slot].state != MQR_MEMBER_IN_SYNC;
	return sysfs_emit(buf, "%u\n", missing);
}

MQR_STATUS_FILE(degraded)
static DEVICE_ATTR_RO(degraded);

/* A line for each member: slot (or -), state, device, number in the table */
static ssize_t mqr_emit_members(const struct mqr_ioc_status *st, char *buf)
{
	ssize_t len = 0;
	u32 i;

	for (i = 0; i < st->members; i++) {
		const struct mqr_member_info *info = &st->member[i];

		if (info->slot >= 0)
			len += sysfs_emit_at(buf, len, "%d", info->slot);
		else
			len += sysfs_emit_at(buf, len, "-");
		len += sysfs_emit_at(buf, len, " %s %u:%u %u\n",
				     mqr_state_name[info->state],
				     info->dev.major, info->dev.minor,
				     info->dev_number);
	}
	return len;
}

MQR_STATUS_FILE(members)
static DEVICE_ATTR_RO(members);

static ssize_t mqr_emit_sync_action(const struct mqr_ioc_status *st, char *buf)
{
	return sysfs_emit(buf, "%s\n", mqr_action_name[st->sync_action]);
}

MQR_STATUS_FILE(sync_action)

static ssize_t sync_action_store(struct device *dev,
				 struct device_attribute *attr, const char *buf,
				 size_t len)
{
	static const u32 actions[] = {MQR_SYNC_IDLE, MQR_SYNC_CHECK,
				      MQR_SYNC_REPAIR};
	struct mqr_array *array = mqr_of_device(dev);
	struct mqr_why why = {};
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(actions); i++) {
		if (!sysfs_streq(buf, mqr_action_name[actions[i]]))
			continue;
		err = mqr_sync_request(array, actions[i], &why);
		if (err)
			mqr_info(array, "%s is refused: %s",
				 mqr_action_name[actions[i]], why.text);
		return err ? err : len;
	}
	return -EINVAL;
}
static DEVICE_ATTR_RW(sync_action);

static ssize_t mqr_store_uint(const char *buf, size_t len, unsigned int *value,
			      unsigned int least, unsigned int most)
{
	unsigned int number;
	int err = kstrtouint(buf, 0, &number);

	if (err)
		return err;
	if (number < least || number > most)
		return -ERANGE;
	WRITE_ONCE(*value, number);
	return len;
}

/* A number in the array that users may set within bounds. */
#define MQR_TUNABLE(name, field, least, most)                                \
	static ssize_t name##_show(struct device *dev,                       \
				   struct device_attribute *attr, char *buf) \
	{                                                                    \
		return sysfs_emit(buf, "%u\n",                               \
				  READ_ONCE(mqr_of_device(dev)->field));     \
	}                                                                    \
	static ssize_t name##_store(struct device *dev,                      \
				    struct device_attribute *attr,           \
				    const char *buf, size_t len)             \
	{                                                                    \
		return mqr_store_uint(buf, len, &mqr_of_device(dev)->field,  \
				      least, most);                          \
	}                                                                    \
	static DEVICE_ATTR_RW(name)

MQR_TUNABLE(safe_delay_ms, safe_delay_ms, 0, MQR_MAX_SAFE_DELAY_MS);
MQR_TUNABLE(sync_speed_max, sync_speed_max_kb, 0, UINT_MAX);
MQR_TUNABLE(sync_rows, sync_rows, 1, MQR_WALK_WINDOW);
MQR_TUNABLE(max_read_errors, max_read_errors, 1, MQR_MAX_READ_ERRORS_LIMIT);

static ssize_t mirror_stable_show(struct device *dev,
				  struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n",
			  READ_ONCE(mqr_of_device(dev)->mirror_stable));
}

static ssize_t mirror_stable_store(struct device *dev,
				   struct device_attribute *attr,
				   const char *buf, size_t len)
{
	struct mqr_array *array = mqr_of_device(dev);
	bool value;
	int err = kstrtobool(buf, &value);

	if (err)
		return err;
	/* Elsewhere there is nothing to switch. */
	if (value && !array->geo.mirror)
		return -EINVAL;
	WRITE_ONCE(array->mirror_stable, value);
	/* Stable copies are made by the engine: through the gate. */
	mqr_meta_kick(array, MQR_META_GATING);
	err = mqr_array_update_limits(array);
	return err ? err : len;
}
static DEVICE_ATTR_RW(mirror_stable);

static ssize_t zero_copy_show(struct device *dev, struct device_attribute *attr,
			      char *buf)
{
	return sysfs_emit(buf, "%d\n",
			  READ_ONCE(mqr_of_device(dev)->zero_copy));
}

static ssize_t zero_copy_store(struct device *dev,
			       struct device_attribute *attr, const char *buf,
			       size_t len)
{
	struct mqr_array *array = mqr_of_device(dev);
	bool value;
	int err = kstrtobool(buf, &value);

	if (err)
		return err;
	/* Without parity nothing is copied anyway: see mirror_stable. */
	if (value && !array->geo.parities)
		return -EINVAL;
	err = mqr_array_zero_copy(array, value);
	return err ? err : len;
}
static DEVICE_ATTR_RW(zero_copy);

static struct attribute *mqr_attrs[] = {
	&dev_attr_level.attr,
	&dev_attr_layout.attr,
	&dev_attr_chunk_size.attr,
	&dev_attr_raid_disks.attr,
	&dev_attr_uuid.attr,
	&dev_attr_name.attr,
	&dev_attr_array_state.attr,
	&dev_attr_degraded.attr,
	&dev_attr_members.attr,
	&dev_attr_events.attr,
	&dev_attr_sync_action.attr,
	&dev_attr_sync_completed.attr,
	&dev_attr_sync_speed.attr,
	&dev_attr_mismatch_cnt.attr,
	&dev_attr_lost_sectors.attr,
	&dev_attr_calc.attr,
	&dev_attr_safe_delay_ms.attr,
	&dev_attr_sync_speed_max.attr,
	&dev_attr_sync_rows.attr,
	&dev_attr_mirror_stable.attr,
	&dev_attr_zero_copy.attr,
	&dev_attr_max_read_errors.attr,
	NULL,
};

static const struct attribute_group mqr_group = {
	.name = MQR_NAME,
	.attrs = mqr_attrs,
};

const struct attribute_group *mqr_sysfs_groups[] = {
	&mqr_group,
	NULL,
};

void mqr_sysfs_notify(struct mqr_array *array, const char *name)
{
	if (!READ_ONCE(array->stopping))
		sysfs_notify(&disk_to_dev(array->disk)->kobj, MQR_NAME, name);
}

void mqr_event(struct mqr_array *array, const char *event)
{
	char text[48];
	char *env[2];

	if (READ_ONCE(array->stopping))
		return;
	snprintf(text, sizeof(text), "MQRAID_EVENT=%s", event);
	env[0] = text;
	env[1] = NULL;
	kobject_uevent_env(&disk_to_dev(array->disk)->kobj, KOBJ_CHANGE, env);
}
