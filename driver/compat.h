/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only file that knows older kernels.  The driver is written for the
 * newest one; each block says with which release it can be deleted.  HAVE_*
 * come from Kbuild, which looks for the names in the kernel's headers:
 * distributions backport, so version numbers prove nothing.
 *
 * Tested: 6.1, 6.12, 7.3.
 */
#ifndef MQR_COMPAT_H
#define MQR_COMPAT_H

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/err.h>
#include <linux/pagemap.h>
#include <linux/workqueue.h>
#ifdef HAVE_BLK_CHECK_PLUGGED /* drop with 6.12: it was in blkdev.h */
#include <linux/blk_plug.h>
#endif

/*
 * What our queue announces.  Sizes are in bytes, dma_alignment is a mask;
 * 0 for max_discard_sectors or max_write_zeroes_sectors: not supported.
 * Number, size and place of segments aren't limited: the members' queues
 * split for themselves.
 */
struct mqr_limits {
	u32 logical_block_size;
	u32 physical_block_size;
	u32 io_min;
	u32 io_opt;
	u32 dma_alignment;
	u32 max_hw_sectors;
	u32 max_discard_sectors;
	u32 discard_granularity;
	u32 max_write_zeroes_sectors;
	bool write_cache;
	bool fua;
	bool stable_writes;
	bool nowait;
	bool rotational;
};

#ifdef HAVE_BLK_FEAT_NOWAIT
static inline void mqr_limits_fill(struct queue_limits *to,
				   const struct mqr_limits *lim)
{
	to->logical_block_size = lim->logical_block_size;
	to->physical_block_size = lim->physical_block_size;
	to->io_min = lim->io_min;
	to->io_opt = lim->io_opt;
	to->dma_alignment = lim->dma_alignment;
	to->max_hw_sectors = lim->max_hw_sectors;
	to->max_hw_discard_sectors = lim->max_discard_sectors;
	to->discard_granularity = lim->discard_granularity;
	to->max_write_zeroes_sectors = lim->max_write_zeroes_sectors;
	to->max_segments = USHRT_MAX;
	to->max_discard_segments = 1;
	to->max_segment_size = UINT_MAX;
	to->features = BLK_FEAT_IO_STAT |
		       (lim->write_cache ? BLK_FEAT_WRITE_CACHE : 0) |
		       (lim->fua ? BLK_FEAT_FUA : 0) |
		       (lim->stable_writes ? BLK_FEAT_STABLE_WRITES : 0) |
		       (lim->nowait ? BLK_FEAT_NOWAIT : 0) |
		       (lim->rotational ? BLK_FEAT_ROTATIONAL : 0);
}

/* ERR_PTR on failure. */
static inline struct gendisk *mqr_alloc_disk(const struct mqr_limits *lim,
					     int node)
{
	struct queue_limits limits = {};

	mqr_limits_fill(&limits, lim);
	return blk_alloc_disk(&limits, node);
}

/* May sleep until no bio is inside ->submit_bio; keeps the user's settings. */
static inline int mqr_update_limits(struct gendisk *disk,
				    const struct mqr_limits *lim)
{
	struct queue_limits limits = queue_limits_start_update(disk->queue);

	mqr_limits_fill(&limits, lim);
#ifdef HAVE_QUEUE_LIMITS_COMMIT_UPDATE_FROZEN
	return queue_limits_commit_update_frozen(disk->queue, &limits);
#else /* drop with 6.12, whose first point releases lack it */
	return queue_limits_commit_update(disk->queue, &limits);
#endif
}
#else /* drop with 6.1: limits were set one call at a time */
static inline void mqr_queue_flag(struct gendisk *disk, unsigned int flag,
				  bool on)
{
	if (on)
		blk_queue_flag_set(flag, disk->queue);
	else
		blk_queue_flag_clear(flag, disk->queue);
}

static inline int mqr_update_limits(struct gendisk *disk,
				    const struct mqr_limits *lim)
{
	struct request_queue *q = disk->queue;

	blk_queue_logical_block_size(q, lim->logical_block_size);
	blk_queue_physical_block_size(q, lim->physical_block_size);
	blk_queue_io_min(q, lim->io_min);
	blk_queue_io_opt(q, lim->io_opt);
	blk_queue_dma_alignment(q, lim->dma_alignment);
	blk_queue_max_hw_sectors(q, lim->max_hw_sectors);
	blk_queue_max_discard_sectors(q, lim->max_discard_sectors);
	q->limits.discard_granularity = lim->discard_granularity;
	blk_queue_max_write_zeroes_sectors(q, lim->max_write_zeroes_sectors);
	blk_queue_write_cache(q, lim->write_cache, lim->fua);
	mqr_queue_flag(disk, QUEUE_FLAG_IO_STAT, true);
	mqr_queue_flag(disk, QUEUE_FLAG_STABLE_WRITES, lim->stable_writes);
	mqr_queue_flag(disk, QUEUE_FLAG_NOWAIT, lim->nowait);
	mqr_queue_flag(disk, QUEUE_FLAG_NONROT, !lim->rotational);
	mqr_queue_flag(disk, QUEUE_FLAG_ADD_RANDOM, false);
	return 0;
}

static inline struct gendisk *mqr_alloc_disk(const struct mqr_limits *lim,
					     int node)
{
	struct gendisk *disk = blk_alloc_disk(node);

	if (!disk)
		return ERR_PTR(-ENOMEM);
	/* No limit on segments; then ours, which leaves those alone. */
	blk_set_stacking_limits(&disk->queue->limits);
	mqr_update_limits(disk, lim);
	return disk;
}
#endif

#ifdef HAVE_BD_MAPPING
#define mqr_bdev_mapping(bdev) ((bdev)->bd_mapping)
#else /* drop with 6.12 */
#define mqr_bdev_mapping(bdev) ((bdev)->bd_inode->i_mapping)
#endif

/*
 * The queue announces stable writes now: tell the page caches of the disk and
 * its partitions, which asked when these appeared.  Under open_mutex
 */
static inline void mqr_stable_mappings(struct gendisk *disk)
{
	struct block_device *part;
	unsigned long number;

	lockdep_assert_held(&disk->open_mutex);
	/* The whole disk is number 0. */
	xa_for_each(&disk->part_tbl, number, part)
		mapping_set_stable_writes(mqr_bdev_mapping(part));
}

/* member.c: what is told to the @holder of a device that has been removed */
void mqr_member_dead(void *holder);

/* A device opened for us alone, to read and write. */
struct mqr_bdev {
	struct block_device *bdev;
	struct file *file;
};

#ifdef HAVE_BDEV_FILE_OPEN_BY_DEV
/* The lock keeps the holder from letting go of the device meanwhile. */
static inline void mqr_bdev_mark_dead(struct block_device *bdev, bool surprise)
	__releases(&bdev->bd_holder_lock)
{
	mqr_member_dead(bdev->bd_holder);
	mutex_unlock(&bdev->bd_holder_lock);
}

static const struct blk_holder_ops mqr_holder_ops = {
	.mark_dead = mqr_bdev_mark_dead,
};

static inline int mqr_bdev_open(dev_t dev, void *holder, struct mqr_bdev *out)
{
	struct file *file = bdev_file_open_by_dev(
		dev, BLK_OPEN_READ | BLK_OPEN_WRITE, holder, &mqr_holder_ops);

	if (IS_ERR(file))
		return PTR_ERR(file);
	*out = (struct mqr_bdev){.bdev = file_bdev(file), .file = file};
	return 0;
}

static inline void mqr_bdev_close(struct mqr_bdev *handle)
{
	bdev_fput(handle->file);
	*handle = (struct mqr_bdev){};
}
#else /* drop with 6.1 */
#define MQR_BDEV_MODE (FMODE_READ | FMODE_WRITE | FMODE_EXCL)

static inline int mqr_bdev_open(dev_t dev, void *holder, struct mqr_bdev *out)
{
	struct block_device *bdev =
		blkdev_get_by_dev(dev, MQR_BDEV_MODE, holder);

	if (IS_ERR(bdev))
		return PTR_ERR(bdev);
	*out = (struct mqr_bdev){.bdev = bdev};
	return 0;
}

static inline void mqr_bdev_close(struct mqr_bdev *handle)
{
	blkdev_put(handle->bdev, MQR_BDEV_MODE);
	*handle = (struct mqr_bdev){};
}
#endif

/*
 * ->open and ->release made of functions that take the gendisk alone:
 * MQR_DISK_OPEN(mqr_open) defines mqr_open_op() for block_device_operations.
 */
#ifdef HAVE_BLK_MODE_T
#define MQR_DISK_OPEN(fn)                                      \
	static int fn##_op(struct gendisk *disk, blk_mode_t m) \
	{                                                      \
		return fn(disk);                               \
	}
#define MQR_DISK_RELEASE(fn)                      \
	static void fn##_op(struct gendisk *disk) \
	{                                         \
		fn(disk);                         \
	}
#else /* drop with 6.1 */
#define MQR_DISK_OPEN(fn)                                        \
	static int fn##_op(struct block_device *bdev, fmode_t m) \
	{                                                        \
		return fn(bdev->bd_disk);                        \
	}
#define MQR_DISK_RELEASE(fn)                                 \
	static void fn##_op(struct gendisk *disk, fmode_t m) \
	{                                                    \
		fn(disk);                                    \
	}
#endif

/* Drop with 6.12: failure was NULL there, and is an ERR_PTR in 7.x. */
static inline struct bio *mqr_bio_split(struct bio *bio, int sectors, gfp_t gfp,
					struct bio_set *bs)
{
	struct bio *split = bio_split(bio, sectors, gfp, bs);

	return IS_ERR(split) ? NULL : split;
}

/* Drop with 6.12: bound workqueues had no flag of their own. */
#ifndef HAVE_WQ_PERCPU
#define WQ_PERCPU 0
#endif

#endif
