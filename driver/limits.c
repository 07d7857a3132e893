// SPDX-License-Identifier: GPL-2.0
/*
 * What an array's queue announces: block sizes and hints of its own layout,
 * and the abilities that all members have in common.
 */
#include "mqraid.h"

/* Large enough for any bio; ours are cut at row bounds anyway. */
#define MQR_MAX_IO_SECTORS (UINT_MAX >> MQR_SECTOR_SHIFT)

/* Abilities of all members together. */
struct mqr_abilities {
	u32 physical_block_size;
	u32 dma_alignment;
	u32 discard_granularity;
	bool discard;
	bool write_zeroes;
	bool nowait;
};

static bool mqr_is_gone(const struct mqr_member *member)
{
	return member->state == MQR_MEMBER_FAULTY ||
	       test_bit(MQR_MEMBER_FAILING, &member->flags);
}

static struct mqr_abilities mqr_abilities(struct mqr_array *array)
{
	struct mqr_abilities all = {
		.physical_block_size = array->logical_block_size,
		.discard_granularity = array->logical_block_size,
		.discard = true,
		.write_zeroes = true,
		.nowait = true,
	};
	struct mqr_member *member;

	lockdep_assert_held(&array->config_mutex);
	list_for_each_entry(member, &array->members, list) {
		struct block_device *bdev = member->bdev;

		if (mqr_is_gone(member))
			continue;
		all.physical_block_size = max(all.physical_block_size,
					      bdev_physical_block_size(bdev));
		all.dma_alignment =
			max_t(u32, all.dma_alignment, bdev_dma_alignment(bdev));
		all.discard_granularity = max(all.discard_granularity,
					      bdev_discard_granularity(bdev));
		all.discard &= bdev_max_discard_sectors(bdev) != 0;
		all.write_zeroes &= bdev_write_zeroes_sectors(bdev) != 0;
		all.nowait &= bdev_nowait(bdev);
	}
	return all;
}

/*
 * RAID 0 hands both through.  Elsewhere a discarded range must read as zeros
 * from every member, or parity and copies would disagree; that is sure for
 * write-zeroes only, which is what the engine makes of a discard.  Zeros it
 * can always write, whatever members can do.
 */
static void mqr_limits_discard(const struct mqr_array *array,
			       const struct mqr_abilities *all,
			       struct mqr_limits *lim)
{
	const struct mqr_geo *g = &array->geo;

	if (!mqr_array_redundant(array)) {
		lim->max_discard_sectors =
			all->discard ? MQR_MAX_IO_SECTORS : 0;
		lim->discard_granularity = all->discard_granularity;
		lim->max_write_zeroes_sectors =
			all->write_zeroes ? MQR_MAX_IO_SECTORS : 0;
		return;
	}
	lim->max_write_zeroes_sectors = MQR_MAX_IO_SECTORS;
	lim->max_discard_sectors = all->write_zeroes ? MQR_MAX_IO_SECTORS : 0;
	lim->discard_granularity =
		g->mirror ? MQR_BLOCK_SIZE : g->row_sectors << MQR_SECTOR_SHIFT;
}

/* Data that follow each other in the array, a chunk on each member. */
static u32 mqr_data_members(const struct mqr_geo *g)
{
	/* An odd number of members: the pattern repeats after two turns. */
	if (g->level == 10 && g->raid_disks % g->roles == 0)
		return g->raid_disks / g->roles;
	if (g->level == 10)
		return g->raid_disks;
	return g->level == 0 ? g->raid_disks : g->data_roles;
}

void mqr_array_limits(struct mqr_array *array, struct mqr_limits *lim)
{
	const struct mqr_geo *g = &array->geo;
	struct mqr_abilities all = mqr_abilities(array);

	*lim = (struct mqr_limits){
		.logical_block_size = array->logical_block_size,
		.physical_block_size = all.physical_block_size,
		.io_min = all.physical_block_size,
		.dma_alignment = all.dma_alignment,
		.max_hw_sectors = MQR_MAX_IO_SECTORS,
		.write_cache = true,
		.fua = true,
		/* What isn't copied must hold still. */
		.stable_writes = g->mirror ? READ_ONCE(array->mirror_stable)
					   : READ_ONCE(array->zero_copy),
		.nowait = all.nowait,
	};
	/* From the layout alone: what members claim may be nonsense. */
	if (g->level != 1) {
		lim->io_min = g->chunk_sectors << MQR_SECTOR_SHIFT;
		lim->io_opt = lim->io_min * mqr_data_members(g);
		/* Or the block layer would raise io_min. */
		while (lim->physical_block_size > lim->io_min)
			lim->physical_block_size /= 2;
	}
	mqr_limits_discard(array, &all, lim);
}

int mqr_array_update_limits(struct mqr_array *array)
{
	struct mqr_limits lim;
	int err;

	/* What is announced last must be the array's last state. */
	mutex_lock(&array->limits_mutex);
	mqr_config_lock(array);
	err = array->stopping ? -ENODEV : 0;
	if (!err)
		mqr_array_limits(array, &lim);
	mqr_config_unlock(array);

	/*
	 * Not under that lock: this waits for tasks inside ->submit_bio, which
	 * may wait for the meta work.
	 */
	if (!err)
		err = mqr_update_limits(array->disk, &lim);
	mutex_unlock(&array->limits_mutex);
	return err;
}

/*
 * The page cache looks for stable writes when a device appears, is mounted, or
 * has an inode read: all of that after this, so nobody may have it open.
 */
static int mqr_zero_copy_on(struct mqr_array *array)
{
	int err;

	if (disk_openers(array->disk))
		return -EBUSY;
	WRITE_ONCE(array->zero_copy, true);
	err = mqr_array_update_limits(array);
	if (err)
		WRITE_ONCE(array->zero_copy, false);
	else
		mqr_stable_mappings(array->disk);
	return err;
}

int mqr_array_zero_copy(struct mqr_array *array, bool on)
{
	int err;

	if (on == READ_ONCE(array->zero_copy))
		return 0;
	if (!on) {
		/* Those who wait for stable pages go on doing so: no harm. */
		WRITE_ONCE(array->zero_copy, false);
		return mqr_array_update_limits(array);
	}
	mutex_lock(&array->disk->open_mutex);
	err = mqr_zero_copy_on(array);
	mutex_unlock(&array->disk->open_mutex);
	return err;
}
