// SPDX-License-Identifier: GPL-2.0
/*
 * The list of arrays: from the first reservation of a UUID to the last
 * reference; stopping, status, and members as the user adds and removes them.
 * How an array comes into being is in assemble.c.
 *
 * An array is in the list from the moment that its UUID is checked, so that
 * two assemblies of the same array cannot meet; others see it (mqr_array_get)
 * only while it is live.  Whoever got it may find it stopped by the time the
 * configuration lock is taken: array->stopping tells.
 */
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "mqraid.h"

#define MQR_SAFE_DELAY_MS 200
#define MQR_MAX_READ_ERRORS 20

static LIST_HEAD(mqr_arrays);
static DEFINE_MUTEX(mqr_arrays_mutex);
static DEFINE_IDA(mqr_indexes);
/* makes MQR_MEMBER_LINKED and the links change together */
static DEFINE_MUTEX(mqr_links_mutex);

void mqr_config_lock(struct mqr_array *array)
{
	mutex_lock(&array->config_mutex);
	/* Writes may wait for us, those that free memory among them. */
	array->noio_flags = memalloc_noio_save();
}

void mqr_config_unlock(struct mqr_array *array)
{
	memalloc_noio_restore(array->noio_flags);
	mutex_unlock(&array->config_mutex);
}

static void mqr_array_init(struct mqr_array *array, const u8 *uuid)
{
	memcpy(array->sb.set_uuid, uuid, sizeof(array->sb.set_uuid));
	kref_init(&array->kref);
	INIT_LIST_HEAD(&array->members);
	mutex_init(&array->admin_mutex);
	mutex_init(&array->limits_mutex);
	mutex_init(&array->config_mutex);
	init_waitqueue_head(&array->epoch_wait);
	INIT_WORK(&array->meta_work, mqr_meta_work);
	INIT_DELAYED_WORK(&array->idle_work, mqr_idle_work);
	INIT_WORK(&array->event_work, mqr_event_work);
	init_llist_head(&array->parked);
	init_llist_head(&array->parked_writers);
	init_llist_head(&array->settle_waiters);
	array->safe_delay_ms = MQR_SAFE_DELAY_MS;
	array->max_read_errors = MQR_MAX_READ_ERRORS;
}

static struct mqr_array *mqr_array_find_uuid(const u8 *uuid)
{
	struct mqr_array *array;

	lockdep_assert_held(&mqr_arrays_mutex);
	list_for_each_entry(array, &mqr_arrays, list)
		if (!memcmp(array->sb.set_uuid, uuid, 16))
			return array;
	return NULL;
}

/* Give @array its number and a place in the list, if @uuid isn't there. */
static int mqr_array_enlist(struct mqr_array *array, const u8 *uuid,
			    struct mqr_why *why)
{
	struct mqr_array *other;
	int err = 0;

	mutex_lock(&mqr_arrays_mutex);
	other = mqr_array_find_uuid(uuid);
	if (other) {
		mqr_because(why, "the array is assembled already, as mqr%d",
			    other->index);
		err = -EEXIST;
		goto out;
	}
	array->index = ida_alloc(&mqr_indexes, GFP_KERNEL);
	if (array->index < 0) {
		err = array->index;
		goto out;
	}
	list_add_tail(&array->list, &mqr_arrays);
out:
	mutex_unlock(&mqr_arrays_mutex);
	return err;
}

struct mqr_array *mqr_array_new(const u8 *uuid, struct mqr_why *why)
{
	struct mqr_array *array = kvzalloc(sizeof(*array), GFP_KERNEL);
	int err;

	if (!array)
		return ERR_PTR(-ENOMEM);
	mqr_array_init(array, uuid);
	/* Dead: no write may run before the array is marked active. */
	err = percpu_ref_init(&array->writers, mqr_writers_release,
			      PERCPU_REF_INIT_DEAD, GFP_KERNEL);
	if (err)
		goto out_array;
	err = mqr_array_enlist(array, uuid, why);
	if (err)
		goto out_writers;
	/* Given back by mqr_array_delist(). */
	__module_get(THIS_MODULE);
	return array;

out_writers:
	percpu_ref_exit(&array->writers);
out_array:
	kvfree(array);
	return ERR_PTR(err);
}

void mqr_array_set_live(struct mqr_array *array, bool live)
{
	mutex_lock(&mqr_arrays_mutex);
	array->live = live;
	mutex_unlock(&mqr_arrays_mutex);
}

/* The array's disk and members are gone: its UUID and number are free. */
void mqr_array_delist(struct mqr_array *array)
{
	mutex_lock(&mqr_arrays_mutex);
	list_del(&array->list);
	ida_free(&mqr_indexes, array->index);
	mutex_unlock(&mqr_arrays_mutex);
	mqr_array_put(array);
	/* The caller is a call of the control device, which holds another. */
	module_put(THIS_MODULE);
}

static void mqr_array_release(struct kref *kref)
{
	struct mqr_array *array = container_of(kref, struct mqr_array, kref);

	/* A device may have reported its end until it was closed. */
	cancel_work_sync(&array->meta_work);
	percpu_ref_exit(&array->writers);
	kvfree(array);
}

void mqr_array_put(struct mqr_array *array)
{
	kref_put(&array->kref, mqr_array_release);
}

/* Array @index, or with @next the first one from there on; or NULL. */
struct mqr_array *mqr_array_get(u32 index, bool next)
{
	struct mqr_array *array, *best = NULL;

	mutex_lock(&mqr_arrays_mutex);
	list_for_each_entry(array, &mqr_arrays, list) {
		u32 i = array->index;

		if (!array->live || i < index || (i > index && !next))
			continue;
		if (!best || i < best->index)
			best = array;
	}
	if (best)
		kref_get(&best->kref);
	mutex_unlock(&mqr_arrays_mutex);
	return best;
}

int mqr_array_open(struct gendisk *disk)
{
	struct mqr_array *array = disk->private_data;

	lockdep_assert_held(&disk->open_mutex);
	return array->closing ? -ENXIO : 0;
}

/* From here on nobody can open the disk; fails if somebody has. */
static int mqr_array_close(struct mqr_array *array, struct mqr_why *why)
{
	struct gendisk *disk = array->disk;
	unsigned int openers;
	int err = 0;

	mutex_lock(&disk->open_mutex);
	openers = disk_openers(disk);
	if (array->closing) {
		mqr_because(why, "mqr%d is being stopped already",
			    array->index);
		err = -EBUSY;
	} else if (openers) {
		mqr_because(why,
			    "mqr%d is in use: %s is open %u times (mounted, "
			    "or used by a program?)",
			    array->index, disk->disk_name, openers);
		err = -EBUSY;
	} else {
		array->closing = true;
	}
	mutex_unlock(&disk->open_mutex);
	return err;
}

void mqr_member_link(struct mqr_member *member)
{
	mutex_lock(&mqr_links_mutex);
	/* Only a convenience for lsblk: nothing depends on it. */
	if (!test_bit(MQR_MEMBER_LINKED, &member->flags) &&
	    !bd_link_disk_holder(member->bdev, member->array->disk))
		set_bit(MQR_MEMBER_LINKED, &member->flags);
	mutex_unlock(&mqr_links_mutex);
}

void mqr_member_unlink(struct mqr_member *member)
{
	if (!test_bit(MQR_MEMBER_LINKED, &member->flags))
		return;
	mutex_lock(&mqr_links_mutex);
	if (test_and_clear_bit(MQR_MEMBER_LINKED, &member->flags))
		bd_unlink_disk_holder(member->bdev, member->array->disk);
	mutex_unlock(&mqr_links_mutex);
}

/* Call @fn for each member, without the lock but with a reference. */
void mqr_array_each_member(struct mqr_array *array,
			   void (*fn)(struct mqr_member *member))
{
	struct mqr_member *list[2 * MQR_MAX_MEMBERS], *member;
	unsigned int n = 0, i;

	mqr_config_lock(array);
	list_for_each_entry(member, &array->members, list) {
		if (WARN_ON_ONCE(n == ARRAY_SIZE(list)))
			break;
		kref_get(&member->kref);
		list[n++] = member;
	}
	mqr_config_unlock(array);

	for (i = 0; i < n; i++) {
		fn(list[i]);
		mqr_member_put(list[i]);
	}
}

/* The member on device @dev, with a reference; or NULL. */
static struct mqr_member *mqr_array_member(struct mqr_array *array,
					   const struct mqr_dev *dev)
{
	struct mqr_member *member, *found = NULL;
	dev_t number = MKDEV(dev->major, dev->minor);

	mqr_config_lock(array);
	list_for_each_entry(member, &array->members, list) {
		if (member->bdev->bd_dev != number)
			continue;
		found = member;
		kref_get(&found->kref);
		break;
	}
	mqr_config_unlock(array);
	return found;
}

/*
 * A member with blocks smaller than the array's: without the others, the
 * array would be taken for one of smaller blocks when it is assembled.
 */
static void mqr_array_record_block_size(struct mqr_array *array,
					const struct mqr_member *member)
{
	u32 size = bdev_logical_block_size(member->bdev);

	mqr_config_lock(array);
	if (!array->stopping && !array->sb.logical_block_size &&
	    size != array->logical_block_size) {
		array->sb.logical_block_size = array->logical_block_size;
		mqr_meta_kick(array, MQR_META_WRITE);
	}
	mqr_config_unlock(array);
}

static int mqr_array_add_locked(struct mqr_array *array,
				const struct mqr_ioc_member *arg,
				struct mqr_why *why)
{
	struct mqr_member *member;
	int err = mqr_member_add(array, arg, why);

	if (err)
		return err;
	member = mqr_array_member(array, &arg->dev);
	if (member) {
		mqr_array_record_block_size(array, member);
		mqr_member_link(member);
		mqr_member_put(member);
	}
	/* It may lack what the others can, discard for example. */
	if (mqr_array_update_limits(array))
		mqr_warn(array, "could not update the limits of the queue");
	return 0;
}

int mqr_array_add_member(struct mqr_array *array,
			 const struct mqr_ioc_member *arg, struct mqr_why *why)
{
	int err;

	mutex_lock(&array->admin_mutex);
	err = mqr_array_add_locked(array, arg, why);
	mutex_unlock(&array->admin_mutex);
	return err;
}

/*
 * Leave clean superblocks behind, and no epoch.  There is no disk any more,
 * hence no I/O of users; walks checkpoint before they end.
 */
void mqr_array_shut_down(struct mqr_array *array)
{
	mqr_sync_destroy(array);
	mqr_meta_quiesce(array);
	cancel_delayed_work_sync(&array->idle_work);
	cancel_work_sync(&array->meta_work);
	mqr_conf_retire(array);
	/* Last: all of the above may report something. */
	cancel_work_sync(&array->event_work);
}

void mqr_array_put_members(struct mqr_array *array)
{
	struct mqr_member *member, *next;
	LIST_HEAD(members);

	/* Calls that still have a reference look at @stopping first. */
	mqr_config_lock(array);
	list_splice_init(&array->members, &members);
	mqr_config_unlock(array);
	list_for_each_entry_safe(member, next, &members, list) {
		list_del(&member->list);
		mqr_member_put(member);
	}
}

static int mqr_array_stop_locked(struct mqr_array *array, struct mqr_why *why)
{
	int err = mqr_array_close(array, why);

	if (err)
		return err;
	mqr_array_set_live(array, false);
	mqr_config_lock(array);
	array->stopping = true;
	mqr_config_unlock(array);
	/* No event is noted any more; the disk's files are about to go. */
	cancel_work_sync(&array->event_work);

	mqr_array_each_member(array, mqr_member_unlink);
	/* Not under the lock: sysfs files that want it are waited for. */
	del_gendisk(array->disk);
	mqr_array_shut_down(array);

	mqr_array_put_members(array);
	mqr_engine_destroy(array);
	put_disk(array->disk);
	mqr_info(array, "stopped");
	mqr_array_delist(array);
	return 0;
}

int mqr_array_stop(struct mqr_array *array, struct mqr_why *why)
{
	int err;

	/* The caller's reference keeps the mutex. */
	mutex_lock(&array->admin_mutex);
	err = mqr_array_stop_locked(array, why);
	mutex_unlock(&array->admin_mutex);
	return err;
}

static void mqr_array_quiesce(struct mqr_array *array)
{
	struct mqr_why why = {};

	mqr_sync_request(array, MQR_SYNC_IDLE, &why);
	mqr_meta_quiesce(array);
}

static void mqr_arrays_quiesce_once(void)
{
	struct mqr_array *array;
	u32 index = 0;

	while ((array = mqr_array_get(index, true))) {
		mqr_array_quiesce(array);
		index = array->index + 1;
		mqr_array_put(array);
	}
}

void mqr_arrays_quiesce(void)
{
	/* Twice: superblocks of one array may be written to another one. */
	mqr_arrays_quiesce_once();
	mqr_arrays_quiesce_once();
}
