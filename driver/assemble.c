// SPDX-License-Identifier: GPL-2.0
/*
 * Making an array of its members.
 *
 * All that is known about an array comes from the superblocks; the caller
 * names devices and the UUID only.  Devices are opened, judged together
 * (mqr_sb_choose), checked against what the array needs, and only then taken.
 * Nothing is written before the array is complete and its disk is there.
 */
#include <linux/raid/md_p.h>
#include <linux/slab.h>

#include "mqraid.h"

#define MQR_SLOTS_TEXT 200

/* One assembly on its way. */
struct mqr_assembly {
	const struct mqr_ioc_assemble *arg;
	struct mqr_why *why;
	struct mqr_array *array;
	unsigned int n;
	struct mqr_member *member[MQR_UAPI_MAX_MEMBERS];
	struct mqr_cand cand[MQR_UAPI_MAX_MEMBERS];
	struct mqr_choice choice;
	struct mqr_geo_params params;
	/* slots that the superblocks list as active, but nobody fills */
	u64 missing;
};

static const struct mqr_sb *mqr_truth(const struct mqr_assembly *a)
{
	return a->cand[a->choice.freshest].sb;
}

static bool mqr_taken(const struct mqr_assembly *a, unsigned int i)
{
	enum mqr_verdict verdict = a->cand[i].verdict;

	return verdict == MQR_IN_SYNC || verdict == MQR_RECOVERING ||
	       verdict == MQR_SPARE;
}

static void mqr_close_devices(struct mqr_assembly *a)
{
	unsigned int i;

	for (i = 0; i < a->n; i++)
		if (a->member[i])
			mqr_member_put(a->member[i]);
}

static int mqr_open_devices(struct mqr_assembly *a)
{
	const struct mqr_ioc_assemble *arg = a->arg;

	while (a->n < arg->members) {
		const struct mqr_dev *dev = &arg->dev[a->n];
		struct mqr_member *member =
			mqr_member_open(MKDEV(dev->major, dev->minor), a->why);

		if (IS_ERR(member))
			return PTR_ERR(member);
		member->array = a->array;
		a->cand[a->n].sb = &member->sb;
		a->member[a->n++] = member;
		if (!memcmp(member->sb.set_uuid, arg->uuid, 16))
			continue;
		mqr_because(a->why,
			    "%pg belongs to another array, %pU, not to %pU",
			    member->bdev, member->sb.set_uuid, arg->uuid);
		return -EINVAL;
	}
	return 0;
}

/* "1, 3", of the slots in @mask */
static void mqr_slots_text(u64 mask, char *buf, size_t size)
{
	int len = 0;

	buf[0] = '\0';
	for (; mask; mask &= mask - 1)
		len += scnprintf(buf + len, size - len, "%s%u", len ? ", " : "",
				 (u32)__ffs64(mask));
}

/* Slots that the role table of @sb gives to some device. */
static u64 mqr_listed_slots(const struct mqr_sb *sb)
{
	u64 slots = 0;
	u32 i;

	for (i = 0; i < sb->max_dev; i++)
		if (sb->role[i] < sb->raid_disks)
			slots |= BIT_ULL(sb->role[i]);
	return slots;
}

/*
 * A member that the superblocks count on may just not have been found yet;
 * to go on without it is for the user to decide, as it will have to be
 * rebuilt as a whole.  Slots that were empty before are no surprise.
 */
static int mqr_check_missing(struct mqr_assembly *a)
{
	const struct mqr_choice *choice = &a->choice;
	char text[MQR_SLOTS_TEXT];

	a->missing = mqr_listed_slots(mqr_truth(a)) &
		     ~(choice->in_sync | choice->recovering);
	if (!a->missing || a->arg->flags & MQR_ASSEMBLE_DEGRADED)
		return 0;
	mqr_slots_text(a->missing, text, sizeof(text));
	mqr_because(a->why,
		    "of slots 0 to %u, %s are missing or out of date: the "
		    "array starts without them only if told so (degraded)",
		    mqr_truth(a)->raid_disks - 1, text);
	return -ENODEV;
}

/* While the owner bit isn't set on all members, md might assemble them. */
static int mqr_check_owner(struct mqr_assembly *a)
{
	unsigned int i;

	for (i = 0; i < a->n; i++) {
		const struct mqr_sb *sb = &a->member[i]->sb;

		if (!mqr_taken(a, i))
			continue;
		if (!(sb->feature_map & MQR_FEATURE_OWNER)) {
			mqr_because(a->why,
				    "%pg belongs to an array of md: take it "
				    "over with raidctl adopt first",
				    a->member[i]->bdev);
			return -EPERM;
		}
		if (sb->feature_map & MD_FEATURE_BITMAP_OFFSET) {
			mqr_because(a->why,
				    "%pg has a write-intent bitmap, which is "
				    "not supported: remove it with mdadm "
				    "--grow --bitmap=none before adopting",
				    a->member[i]->bdev);
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

static int mqr_judge(struct mqr_assembly *a)
{
	u32 flags = a->arg->flags & MQR_ASSEMBLE_FORCE ? MQR_CHOOSE_FORCE : 0;
	unsigned int i;
	int err;

	err = mqr_sb_choose(&a->choice, a->cand, a->n, flags, a->why);
	if (err)
		return err;
	err = mqr_check_owner(a);
	if (err)
		return err;
	err = mqr_check_missing(a);
	if (err)
		return err;

	for (i = 0; i < a->n; i++)
		if (!mqr_taken(a, i))
			mqr_warn(a->array, "%pg is not used: %s (events %llu)",
				 a->member[i]->bdev,
				 mqr_verdict_name(a->cand[i].verdict),
				 a->member[i]->sb.events);
	return 0;
}

static int mqr_assemble_geometry(struct mqr_assembly *a)
{
	unsigned int i;

	mqr_sb_geometry(mqr_truth(a), &a->params);
	for (i = 0; i < a->n; i++)
		if (a->cand[i].slot >= 0)
			a->params.slot_sectors[a->cand[i].slot] =
				a->member[i]->data_size;
	/* A mirror's last row must end where all members can. */
	if (a->params.level == 1)
		a->params.member_sectors &=
			~((u64)(a->array->logical_block_size >>
				MQR_SECTOR_SHIFT) -
			  1);
	return mqr_geo_init(&a->array->geo, &a->params, a->why);
}

/*
 * The array's logical block size must never change: file systems on it
 * depend on it.  If members differ, the largest one's is recorded in the
 * superblocks: the array would else become finer when it is assembled
 * without that member.
 */
static void mqr_choose_block_size(struct mqr_assembly *a)
{
	struct mqr_array *array = a->array;
	u32 most = 0, least = UINT_MAX;
	unsigned int i;

	for (i = 0; i < a->n; i++) {
		u32 size;

		if (!mqr_taken(a, i))
			continue;
		size = bdev_logical_block_size(a->member[i]->bdev);
		most = max(most, size);
		least = min(least, size);
	}
	array->logical_block_size = array->sb.logical_block_size;
	if (array->logical_block_size)
		return;
	array->logical_block_size = most;
	if (most == least)
		return;
	array->sb.logical_block_size = most;
	set_bit(MQR_META_WRITE, &array->meta_flags);
}

static int mqr_check_block_size(struct mqr_assembly *a)
{
	u32 chunk = a->array->geo.chunk_sectors << MQR_SECTOR_SHIFT;
	u32 size = a->array->logical_block_size;

	if (!is_power_of_2(size) || size < SECTOR_SIZE ||
	    size > MQR_BLOCK_SIZE) {
		mqr_because(a->why,
			    "logical blocks of %u bytes are not supported: "
			    "must be %u to %u",
			    size, SECTOR_SIZE, MQR_BLOCK_SIZE);
		return -EINVAL;
	}
	if (chunk % size) {
		mqr_because(a->why,
			    "logical blocks of %u bytes do not divide the "
			    "chunk of %u",
			    size, chunk);
		return -EINVAL;
	}
	return 0;
}

/* Can the array work on this device? */
int mqr_check_member(struct mqr_array *array, const struct mqr_member *member,
		     struct mqr_why *why)
{
	u32 size = bdev_logical_block_size(member->bdev);

	/* The geometry may leave a few of them unused. */
	u64 need = max(array->geo.member_sectors, array->sb.size);

	if (mqr_array_redundant(array) && member->data_size < need) {
		mqr_because(why,
			    "%pg is too small: %llu sectors of data, the "
			    "array uses %llu",
			    member->bdev, member->data_size, need);
		return -EINVAL;
	}
	if (size > array->logical_block_size) {
		mqr_because(why,
			    "%pg has logical blocks of %u bytes, but those "
			    "of the array have %u",
			    member->bdev, size, array->logical_block_size);
		return -EINVAL;
	}
	if ((member->data_offset << MQR_SECTOR_SHIFT) & (size - 1)) {
		mqr_because(why,
			    "the data of %pg begin at sector %llu, which is "
			    "inside of a block of %u bytes",
			    member->bdev, member->data_offset, size);
		return -EINVAL;
	}
	return 0;
}

/* An unfit member is refused; of spares we need none. */
static int mqr_check_members(struct mqr_assembly *a)
{
	unsigned int i;
	int err;

	for (i = 0; i < a->n; i++) {
		if (!mqr_taken(a, i))
			continue;
		err = mqr_check_member(a->array, a->member[i], a->why);
		if (err && a->cand[i].slot >= 0)
			return err;
		if (!err)
			continue;
		mqr_warn(a->array, "spare is not used: %s", a->why->text);
		a->why->text[0] = '\0';
		a->cand[i].verdict = MQR_FOREIGN;
	}
	return 0;
}

/* What is common to all members, as it will be written from now on. */
static void mqr_adopt_truth(struct mqr_assembly *a)
{
	struct mqr_array *array = a->array;
	u32 i;

	array->sb = *mqr_truth(a);
	for (i = 0; i < array->sb.max_dev; i++) {
		u16 role = array->sb.role[i];

		if (role < array->sb.raid_disks && a->missing & BIT_ULL(role))
			array->sb.role[i] = MQR_ROLE_FAULTY;
	}
	/* Members that were out of date differ from the others somewhere. */
	if (a->choice.forced)
		array->sb.resync_offset = 0;
	if (a->missing || a->choice.forced)
		set_bit(MQR_META_WRITE, &array->meta_flags);
}

/* The array takes over the references of the members that it uses. */
static void mqr_take_members(struct mqr_assembly *a)
{
	static const u8 state[] = {
		[MQR_IN_SYNC] = MQR_MEMBER_IN_SYNC,
		[MQR_RECOVERING] = MQR_MEMBER_REBUILDING,
		[MQR_SPARE] = MQR_MEMBER_SPARE,
	};
	unsigned int i;

	for (i = 0; i < a->n; i++) {
		struct mqr_member *member = a->member[i];

		if (!mqr_taken(a, i))
			continue;
		member->slot = a->cand[i].slot;
		member->state = state[a->cand[i].verdict];
		list_add_tail(&member->list, &a->array->members);
		a->member[i] = NULL;
	}
}

static int mqr_engine_create(struct mqr_array *array)
{
	int err;

	err = mqr_gates_create(array);
	if (err)
		return err;
	err = mqr_pools_create(array);
	if (err)
		goto out_gates;
	err = mqr_stripes_create(array);
	if (err)
		goto out_pools;
	return 0;

out_pools:
	mqr_pools_destroy(array);
out_gates:
	mqr_gates_destroy(array);
	return err;
}

void mqr_engine_destroy(struct mqr_array *array)
{
	mqr_stripes_destroy(array);
	mqr_pools_destroy(array);
	mqr_gates_destroy(array);
}

/* Walks, and the first epoch.  Undone by mqr_array_shut_down(). */
static int mqr_array_start(struct mqr_array *array)
{
	struct mqr_sync *sync = mqr_sync_create(array);

	if (IS_ERR(sync))
		return PTR_ERR(sync);
	array->sync = sync;
	mqr_config_lock(array);
	mqr_conf_refill(array);
	if (array->next_conf)
		mqr_conf_publish(array);
	mqr_config_unlock(array);
	if (rcu_access_pointer(array->conf))
		return 0;
	mqr_sync_destroy(array);
	return -ENOMEM;
}

static int mqr_disk_create(struct mqr_array *array)
{
	u32 block_sectors = array->logical_block_size >> MQR_SECTOR_SHIFT;
	struct mqr_limits lim;
	struct gendisk *disk;

	mqr_config_lock(array);
	mqr_array_limits(array, &lim);
	mqr_config_unlock(array);
	disk = mqr_alloc_disk(&lim, NUMA_NO_NODE);
	if (IS_ERR(disk))
		return PTR_ERR(disk);
	disk->fops = &mqr_fops;
	disk->private_data = array;
	snprintf(disk->disk_name, sizeof(disk->disk_name), "mqr%d",
		 array->index);
	/* A power of two; a 64-bit remainder isn't to be had everywhere. */
	set_capacity(disk,
		     array->geo.array_sectors & ~((u64)block_sectors - 1));
	array->disk = disk;
	return 0;
}

static void mqr_announce(struct mqr_array *array)
{
	const struct mqr_geo *g = &array->geo;
	struct mqr_member *member;
	unsigned int in_sync = 0;
	const char *layout;
	char buf[32];

	mqr_config_lock(array);
	list_for_each_entry(member, &array->members, list)
		in_sync += member->state == MQR_MEMBER_IN_SYNC;
	mqr_config_unlock(array);
	layout = mqr_layout_name(g->level, g->layout, buf, sizeof(buf));
	mqr_info(array, "%s%s%s, %llu sectors, %u of %u members in sync",
		 mqr_level_name(g->level), layout[0] ? " " : "", layout,
		 g->array_sectors, in_sync, g->raid_disks);
}

/* From members in the list to a disk. */
static int mqr_array_run(struct mqr_array *array)
{
	int err;

	err = mqr_engine_create(array);
	if (err)
		return err;
	err = mqr_disk_create(array);
	if (err)
		goto out_engine;
	err = mqr_array_start(array);
	if (err)
		goto out_disk;

	/* Last: I/O may arrive before this returns. */
	err = device_add_disk(NULL, array->disk, mqr_sysfs_groups);
	if (err)
		goto out_start;

	mqr_announce(array);
	mqr_array_each_member(array, mqr_member_link);
	mqr_array_set_live(array, true);
	/* Begins resync and rebuild, writes what has been noted above. */
	mqr_meta_kick(array, MQR_META_SYNC);
	mqr_event(array, "started");
	return 0;

out_start:
	/* It never was: leave the superblocks alone. */
	mqr_config_lock(array);
	array->broken = true;
	mqr_config_unlock(array);
	mqr_array_shut_down(array);
out_disk:
	put_disk(array->disk);
out_engine:
	mqr_engine_destroy(array);
	return err;
}

static int mqr_assemble(struct mqr_assembly *a)
{
	int err;

	err = mqr_open_devices(a);
	if (err)
		return err;
	err = mqr_judge(a);
	if (err)
		return err;
	mqr_adopt_truth(a);
	mqr_choose_block_size(a);
	err = mqr_assemble_geometry(a);
	if (err)
		return err;
	err = mqr_check_block_size(a);
	if (err)
		return err;
	err = mqr_check_members(a);
	if (err)
		return err;
	mqr_take_members(a);
	err = mqr_array_run(a->array);
	if (err)
		mqr_array_put_members(a->array);
	return err;
}

int mqr_array_assemble(struct mqr_ioc_assemble *arg, struct mqr_why *why)
{
	struct mqr_assembly *a = kzalloc(sizeof(*a), GFP_KERNEL);
	struct mqr_array *array;
	int err;

	if (!a)
		return -ENOMEM;
	array = mqr_array_new(arg->uuid, why);
	if (IS_ERR(array)) {
		err = PTR_ERR(array);
		goto out;
	}
	a->arg = arg;
	a->why = why;
	a->array = array;
	/* Once it is live, others may stop it. */
	kref_get(&array->kref);
	mutex_lock(&array->admin_mutex);
	err = mqr_assemble(a);
	/* Those that the array has not taken. */
	mqr_close_devices(a);
	if (err)
		mqr_array_delist(array);
	else
		arg->array = array->index;
	mutex_unlock(&array->admin_mutex);
	mqr_array_put(array);
out:
	kfree(a);
	return err;
}
