// SPDX-License-Identifier: GPL-2.0
/*
 * Members: opening and closing devices, I/O to them, their errors, and what
 * the user may do with them: add, fail, remove.
 *
 * A member changes its state under array->config_mutex only, and only the
 * meta work makes one FAULTY.  An error sets MQR_MEMBER_FAILING from any
 * context and kicks; from that moment on the data path leaves the member out.
 *
 * Superblocks of new members have been written by raidctl; nothing is written
 * here before all checks have passed.
 */
#include <linux/slab.h>
#include <trace/events/block.h>

#include "mqraid.h"

#define MQR_ERROR_DECAY (3600UL * HZ)
#define MQR_CLOSE_TIMEOUT (60 * HZ)

static void mqr_member_forget(struct mqr_member *member)
{
	if (!refcount_dec_and_test(&member->memory))
		return;
	free_page((unsigned long)member->image);
	free_percpu(member->stats);
	kfree(member);
}

static struct mqr_member *mqr_member_alloc(void)
{
	struct mqr_member *member = kzalloc(sizeof(*member), GFP_KERNEL);

	if (!member)
		return NULL;
	member->image = (void *)__get_free_page(GFP_KERNEL);
	member->stats = alloc_percpu(struct mqr_member_stats);
	refcount_set(&member->memory, 1);
	if (!member->image || !member->stats) {
		mqr_member_forget(member);
		return NULL;
	}
	kref_init(&member->kref);
	INIT_LIST_HEAD(&member->list);
	init_completion(&member->closed);
	member->slot = -1;
	member->recent_since = jiffies;
	return member;
}

static void mqr_open_why(dev_t dev, int err, struct mqr_why *why)
{
	switch (err) {
	case -EBUSY:
		mqr_because(why,
			    "device %u:%u is in use (mounted, or part of "
			    "something else)",
			    MAJOR(dev), MINOR(dev));
		break;
	case -EROFS:
	case -EACCES:
		mqr_because(why, "device %u:%u is read-only", MAJOR(dev),
			    MINOR(dev));
		break;
	default:
		mqr_because(why, "device %u:%u can't be opened (error %d)",
			    MAJOR(dev), MINOR(dev), err);
	}
}

static int mqr_member_load(struct mqr_member *member, struct mqr_why *why)
{
	int err;

	if (bdev_read_only(member->bdev)) {
		mqr_because(why, "%pg is read-only", member->bdev);
		return -EROFS;
	}
	err = mqr_meta_read(member->bdev, member->image, &member->sb, why);
	if (err)
		return err;
	member->data_offset = member->sb.data_offset;
	member->data_size = member->sb.data_size;
	atomic64_set(&member->corrected, member->sb.corrected_reads);
	return 0;
}

/* Nobody does I/O to it any more. */
static void mqr_member_release(struct kref *kref)
{
	struct mqr_member *member = container_of(kref, struct mqr_member, kref);

	mqr_member_unlink(member);
	mqr_bdev_close(&member->handle);
	complete_all(&member->closed);
	mqr_member_forget(member);
}

/* Not under [cfg]: closing waits for others. */
void mqr_member_put(struct mqr_member *member)
{
	might_sleep();
	kref_put(&member->kref, mqr_member_release);
}

/*
 * The device is ours alone: the member itself is the holder, so that a
 * second member on the same device is refused like anybody else.
 */
struct mqr_member *mqr_member_open(dev_t dev, struct mqr_why *why)
{
	struct mqr_member *member = mqr_member_alloc();
	int err;

	if (!member)
		return ERR_PTR(-ENOMEM);
	err = mqr_bdev_open(dev, member, &member->handle);
	if (err) {
		mqr_open_why(dev, err, why);
		mqr_member_forget(member);
		return ERR_PTR(err);
	}
	member->bdev = member->handle.bdev;
	err = mqr_member_load(member, why);
	if (err) {
		mqr_member_put(member);
		return ERR_PTR(err);
	}
	return member;
}

/*
 * [any context]  @what (a literal) is logged by the meta work, once.  The bit
 * comes before the kick; whoever parks a write because of it does so after.
 */
void mqr_member_fail(struct mqr_member *member, const char *what)
{
	struct mqr_array *array = READ_ONCE(member->array);

	cmpxchg(&member->failure, NULL, what);
	if (test_and_set_bit(MQR_MEMBER_FAILING, &member->flags))
		return;
	/* One that is just being opened is looked at when it is taken. */
	if (array)
		queue_work(mqr_meta_wq, &array->meta_work);
}

/* The device is gone for good, says the block layer.  [task] */
void mqr_member_dead(void *holder)
{
	mqr_member_fail(holder, "the device has been removed");
}

static const char *mqr_write_failure(blk_status_t status)
{
	switch (status) {
	case BLK_STS_TIMEOUT:
		return "a write timed out";
	case BLK_STS_MEDIUM:
		return "a write failed (medium error)";
	case BLK_STS_TRANSPORT:
		return "a write failed (connection lost)";
	case BLK_STS_NOSPC:
		return "a write failed (no space on the device)";
	case BLK_STS_PROTECTION:
		return "a write failed (protection information)";
	case BLK_STS_NOTSUPP:
		return "a write was refused as not supported";
	case BLK_STS_OFFLINE:
		return "a write failed (device offline)";
	default:
		return "a write failed";
	}
}

void mqr_member_write_error(struct mqr_member *member, blk_status_t status)
{
	atomic64_inc(&member->write_errors);
	mqr_member_fail(member, mqr_write_failure(status));
}

/* Halve the recent errors once for each hour that has passed. */
static void mqr_member_decay(struct mqr_member *member)
{
	unsigned long since = READ_ONCE(member->recent_since);
	unsigned long hours = (jiffies - since) / MQR_ERROR_DECAY;

	if (!hours || cmpxchg(&member->recent_since, since,
			      since + hours * MQR_ERROR_DECAY) != since)
		return;
	/* One that is counted meanwhile may be lost: so be it. */
	atomic_set(&member->recent_errors,
		   hours > 31 ? 0
			      : atomic_read(&member->recent_errors) >> hours);
}

void mqr_member_read_error(struct mqr_member *member, unsigned int sectors,
			   bool corrected)
{
	struct mqr_array *array = member->array;

	atomic64_inc(&member->read_errors);
	if (corrected)
		atomic64_add(sectors, &member->corrected);
	pr_warn_ratelimited("mqraid: mqr%d: %pg: %u sectors could not be "
			    "read, %s\n",
			    array->index, member->bdev, sectors,
			    corrected ? "rewritten" : "and not be rewritten");
	mqr_member_decay(member);
	if (atomic_inc_return(&member->recent_errors) <=
	    READ_ONCE(array->max_read_errors))
		return;
	/* Forgiven if the array needs the member: then it counts anew. */
	atomic_set(&member->recent_errors, 0);
	if (!test_and_set_bit(MQR_MEMBER_WORN, &member->flags))
		queue_work(mqr_meta_wq, &array->meta_work);
}

void mqr_member_submit(struct mqr_member *member, struct bio *bio)
{
	int rw = op_is_write(bio_op(bio)) ? WRITE : READ;
	sector_t from = bio->bi_iter.bi_sector;

	bio_set_dev(bio, member->bdev);
	bio->bi_iter.bi_sector = from + member->data_offset;
	this_cpu_inc(member->stats->ios[rw]);
	this_cpu_add(member->stats->sectors[rw], bio_sectors(bio));
	trace_block_bio_remap(bio, disk_devt(member->array->disk), from);
	submit_bio_noacct(bio);
}

static dev_t mqr_arg_dev(const struct mqr_ioc_member *arg)
{
	return MKDEV(arg->dev.major, arg->dev.minor);
}

/* What every call on a member asks first. */
static int mqr_member_allowed(struct mqr_array *array, struct mqr_why *why)
{
	if (array->stopping) {
		mqr_because(why, "mqr%d is being stopped", array->index);
		return -ENODEV;
	}
	return 0;
}

/* The member on @arg's device, or if that is gone (0:0) with its UUID. */
static struct mqr_member *mqr_member_find(struct mqr_array *array,
					  const struct mqr_ioc_member *arg,
					  struct mqr_why *why)
{
	dev_t dev = mqr_arg_dev(arg);
	struct mqr_member *member;

	list_for_each_entry(member, &array->members, list) {
		bool same = !memcmp(member->sb.device_uuid, arg->uuid,
				    sizeof(arg->uuid));

		if (dev ? member->bdev->bd_dev != dev : !same)
			continue;
		if (same)
			return member;
		mqr_because(why,
			    "%pg is now another device, %pU, than the member "
			    "that was meant, %pU: nothing was done",
			    member->bdev, member->sb.device_uuid, arg->uuid);
		return NULL;
	}
	if (dev)
		mqr_because(why, "device %u:%u is no member of mqr%d",
			    arg->dev.major, arg->dev.minor, array->index);
	else
		mqr_because(why, "mqr%d has no member with UUID %pU",
			    array->index, arg->uuid);
	return NULL;
}

/* Does the superblock of a device to be added belong to this array? */
static int mqr_add_check_super(struct mqr_array *array,
			       const struct mqr_member *member,
			       struct mqr_why *why)
{
	const struct mqr_sb *sb = &member->sb, *ours = &array->sb;

	if (memcmp(sb->set_uuid, ours->set_uuid, sizeof(sb->set_uuid))) {
		mqr_because(why,
			    "%pg belongs to another array, %pU, not to %pU",
			    member->bdev, sb->set_uuid, ours->set_uuid);
		return -EINVAL;
	}
	if (!(sb->feature_map & MQR_FEATURE_OWNER)) {
		mqr_because(why,
			    "%pg has a superblock that md may use: raidctl "
			    "add writes a new one",
			    member->bdev);
		return -EINVAL;
	}
	if (sb->level != ours->level || sb->layout != ours->layout ||
	    sb->chunk_sectors != ours->chunk_sectors ||
	    sb->raid_disks != ours->raid_disks) {
		mqr_because(why,
			    "%pg says that the array is %s of %u members, but "
			    "it is %s of %u, or layout or chunk differ",
			    member->bdev, mqr_level_name(sb->level),
			    sb->raid_disks, mqr_level_name(ours->level),
			    ours->raid_disks);
		return -EINVAL;
	}
	if (sb->events > ours->events) {
		mqr_because(why,
			    "%pg has seen %llu events, the array only %llu: "
			    "it may hold data that are newer, it is not used",
			    member->bdev, sb->events, ours->events);
		return -EINVAL;
	}
	return 0;
}

static int mqr_add_check_members(struct mqr_array *array,
				 const struct mqr_member *member,
				 struct mqr_why *why)
{
	struct mqr_member *other;
	unsigned int n = 0;

	list_for_each_entry(other, &array->members, list) {
		n++;
		if (memcmp(other->sb.device_uuid, member->sb.device_uuid,
			   sizeof(other->sb.device_uuid)))
			continue;
		if (other->state == MQR_MEMBER_FAULTY)
			mqr_because(why,
				    "%pg is the member that failed as %pg: "
				    "remove that one first",
				    member->bdev, other->bdev);
		else
			mqr_because(why,
				    "%pg has the device UUID of %pg, which is "
				    "in the array: one of them is a clone",
				    member->bdev, other->bdev);
		return -EEXIST;
	}
	if (n < 2 * MQR_MAX_MEMBERS)
		return 0;
	mqr_because(why, "mqr%d has %u members and spares: no more fit",
		    array->index, n);
	return -ENOSPC;
}

/* A device of ours could not be opened either: better say why. */
static int mqr_add_check_device(struct mqr_array *array,
				const struct mqr_ioc_member *arg,
				struct mqr_why *why)
{
	struct mqr_member *other;
	int err = 0;

	mqr_config_lock(array);
	list_for_each_entry(other, &array->members, list) {
		if (other->bdev->bd_dev != mqr_arg_dev(arg))
			continue;
		mqr_because(why, "%pg is in mqr%d already%s", other->bdev,
			    array->index,
			    other->state == MQR_MEMBER_FAULTY
				    ? ", as failed: remove it first"
				    : "");
		err = -EEXIST;
	}
	mqr_config_unlock(array);
	return err;
}

static int mqr_add_check(struct mqr_array *array,
			 const struct mqr_member *member, struct mqr_why *why)
{
	int err;

	err = mqr_member_allowed(array, why);
	if (err)
		return err;
	if (!mqr_array_redundant(array)) {
		mqr_because(why, "mqr%d is a RAID 0: it can't use spares",
			    array->index);
		return -EINVAL;
	}
	if (array->broken) {
		mqr_because(why,
			    "mqr%d has failed: stop it and assemble it again "
			    "with enough of its members",
			    array->index);
		return -EIO;
	}
	err = mqr_add_check_super(array, member, why);
	if (err)
		return err;
	err = mqr_add_check_members(array, member, why);
	if (err)
		return err;
	return mqr_check_member(array, member, why);
}

/*
 * Take @member as a spare, whatever it was before: what it holds is not
 * trusted, a rebuild begins at 0.  True: superblocks say so.
 */
static bool mqr_add_spare(struct mqr_array *array, struct mqr_member *member)
{
	WRITE_ONCE(member->array, array);
	member->state = MQR_MEMBER_SPARE;
	member->sb.recovery_offset = MQR_ALL_DONE;
	list_add_tail(&member->list, &array->members);
	/* It may have died before it had an array to tell. */
	if (mqr_meta_write(array) || member->state != MQR_MEMBER_SPARE) {
		list_del_init(&member->list);
		return false;
	}
	mqr_info(array, "spare %pg added", member->bdev);
	mqr_event_later(array, MQR_EVENT_SPARE_ADDED);
	mqr_sync_update(array);
	return true;
}

int mqr_member_add(struct mqr_array *array, const struct mqr_ioc_member *arg,
		   struct mqr_why *why)
{
	struct mqr_member *member;
	int err;

	err = mqr_add_check_device(array, arg, why);
	if (err)
		return err;
	member = mqr_member_open(mqr_arg_dev(arg), why);
	if (IS_ERR(member))
		return PTR_ERR(member);
	mqr_config_lock(array);
	err = mqr_add_check(array, member, why);
	if (!err && !mqr_add_spare(array, member)) {
		mqr_because(why, "%pg could not be added: %s", member->bdev,
			    READ_ONCE(member->failure) ?: "the array failed");
		err = -EIO;
	}
	mqr_config_unlock(array);
	if (err)
		mqr_member_put(member);
	return err;
}

static int mqr_remove_check(const struct mqr_member *member,
			    struct mqr_why *why)
{
	if (member->state == MQR_MEMBER_FAULTY ||
	    member->state == MQR_MEMBER_SPARE)
		return 0;
	mqr_because(why, "%pg is in use as member %d%s: fail it first",
		    member->bdev, member->slot,
		    member->state == MQR_MEMBER_REBUILDING ? " (in rebuild)"
							   : "");
	return -EBUSY;
}

/* Out of the list, with the list's reference; or NULL. */
static struct mqr_member *mqr_remove_take(struct mqr_array *array,
					  const struct mqr_ioc_member *arg,
					  struct mqr_why *why, int *err)
{
	struct mqr_member *member;

	*err = mqr_member_allowed(array, why);
	if (*err)
		return NULL;
	member = mqr_member_find(array, arg, why);
	if (!member) {
		*err = -ENODEV;
		return NULL;
	}
	*err = mqr_remove_check(member, why);
	if (*err)
		return NULL;
	list_del_init(&member->list);
	/* A spare by its own superblock; the others' say that it has left. */
	array->sb.role[member->sb.dev_number] = MQR_ROLE_FAULTY;
	mqr_meta_write(array);
	mqr_info(array, "%pg removed", member->bdev);
	mqr_event_later(array, MQR_EVENT_MEMBER_REMOVED);
	return member;
}

/* Returns when the device is closed and the user may have it. */
int mqr_member_remove(struct mqr_array *array, const struct mqr_ioc_member *arg,
		      struct mqr_why *why)
{
	struct mqr_member *member;
	long left;
	int err;

	mutex_lock(&array->admin_mutex);
	mqr_config_lock(array);
	member = mqr_remove_take(array, arg, why, &err);
	mqr_config_unlock(array);
	if (!member) {
		mutex_unlock(&array->admin_mutex);
		return err;
	}

	/*
	 * Epochs that I/O still uses hold it, too.  The link goes now: that
	 * takes a lock that the last holder of an epoch may not wait for.
	 */
	mqr_member_unlink(member);
	refcount_inc(&member->memory);
	mqr_member_put(member);
	mutex_unlock(&array->admin_mutex);
	left = wait_for_completion_killable_timeout(&member->closed,
						    MQR_CLOSE_TIMEOUT);
	mqr_member_forget(member);
	if (left > 0)
		return 0;
	mqr_because(why,
		    "device %u:%u has left the array, but I/O that doesn't "
		    "end keeps it open",
		    arg->dev.major, arg->dev.minor);
	return left ? left : -ETIMEDOUT;
}

static int mqr_fail_check(struct mqr_array *array,
			  const struct mqr_member *member, struct mqr_why *why)
{
	struct mqr_member *other;
	u64 missing = mqr_slots(array);

	if (member->state == MQR_MEMBER_FAULTY) {
		mqr_because(why, "%pg has failed already", member->bdev);
		return -EALREADY;
	}
	if (member->state != MQR_MEMBER_IN_SYNC)
		return 0;
	list_for_each_entry(other, &array->members, list)
		if (other != member && other->state == MQR_MEMBER_IN_SYNC &&
		    !test_bit(MQR_MEMBER_FAILING, &other->flags))
			missing &= ~BIT_ULL(other->slot);
	if (mqr_geo_survives(&array->geo, missing))
		return 0;
	mqr_because(why,
		    "mqr%d needs %pg (member %d): it would not survive without "
		    "it",
		    array->index, member->bdev, member->slot);
	return -EBUSY;
}

int mqr_member_fail_user(struct mqr_array *array,
			 const struct mqr_ioc_member *arg, struct mqr_why *why)
{
	struct mqr_member *member;
	int err;

	mqr_config_lock(array);
	err = mqr_member_allowed(array, why);
	if (err)
		goto out;
	member = mqr_member_find(array, arg, why);
	err = member ? mqr_fail_check(array, member, why) : -ENODEV;
	if (err == -EBUSY && arg->flags & MQR_FAIL_FORCE)
		err = 0;
	if (err)
		goto out;
	mqr_member_fail(member, "failed by the user");
	/* Done when we return; the meta work lets go what has parked. */
	mqr_meta_write(array);
out:
	mqr_config_unlock(array);
	return err;
}
