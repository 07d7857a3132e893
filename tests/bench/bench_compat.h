/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only file here that knows older kernels, as driver/compat.h is for the
 * driver.  HAVE_* come from Kbuild.  Tested: 6.1, 7.3.
 */
#ifndef BENCH_COMPAT_H
#define BENCH_COMPAT_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/err.h>
#include <linux/file.h>

/* ------------------------------------------------------------------------ */
/* Block devices by their path */

struct bench_bdev {
	struct block_device *bdev;
	struct file *file;
};

#ifdef HAVE_BDEV_FILE_OPEN_BY_PATH
/* With a @holder (to write): for us alone. */
static inline int bench_bdev_open(const char *path, void *holder,
				  struct bench_bdev *out)
{
	blk_mode_t mode = BLK_OPEN_READ | (holder ? BLK_OPEN_WRITE : 0);
	struct file *file = bdev_file_open_by_path(path, mode, holder, NULL);

	if (IS_ERR(file))
		return PTR_ERR(file);
	*out = (struct bench_bdev){.bdev = file_bdev(file), .file = file};
	return 0;
}

/* [task of the kernel]  Nobody sees the device in use afterwards. */
static inline void bench_bdev_close(struct bench_bdev *dev, void *holder)
{
	bdev_fput(dev->file);
	flush_delayed_fput();
}
#else /* drop with 6.1 */
static inline fmode_t bench_bdev_mode(void *holder)
{
	return holder ? FMODE_READ | FMODE_WRITE | FMODE_EXCL : FMODE_READ;
}

static inline int bench_bdev_open(const char *path, void *holder,
				  struct bench_bdev *out)
{
	struct block_device *bdev =
		blkdev_get_by_path(path, bench_bdev_mode(holder), holder);

	if (IS_ERR(bdev))
		return PTR_ERR(bdev);
	*out = (struct bench_bdev){.bdev = bdev};
	return 0;
}

static inline void bench_bdev_close(struct bench_bdev *dev, void *holder)
{
	blkdev_put(dev->bdev, bench_bdev_mode(holder));
}
#endif

/* ------------------------------------------------------------------------ */
/* Making a drive */

#define BENCH_MAX_SEGMENTS 256

#ifdef HAVE_BLK_FEAT_NOWAIT
static inline struct gendisk *bench_alloc_disk(struct blk_mq_tag_set *set,
					       unsigned int blocksize,
					       unsigned int max_sectors,
					       void *data)
{
	struct queue_limits lim = {
		.logical_block_size = blocksize,
		.physical_block_size = blocksize,
		.dma_alignment = 3,
		.max_hw_sectors = max_sectors,
		.max_segments = BENCH_MAX_SEGMENTS,
		.max_segment_size = UINT_MAX,
		.max_hw_discard_sectors = UINT_MAX >> SECTOR_SHIFT,
		.discard_granularity = blocksize,
		.max_write_zeroes_sectors = UINT_MAX >> SECTOR_SHIFT,
		.features = BLK_FEAT_WRITE_CACHE | BLK_FEAT_FUA,
	};

	return blk_mq_alloc_disk(set, &lim, data);
}
#else /* drop with 6.1 */
static inline struct gendisk *bench_alloc_disk(struct blk_mq_tag_set *set,
					       unsigned int blocksize,
					       unsigned int max_sectors,
					       void *data)
{
	struct gendisk *disk = blk_mq_alloc_disk(set, data);
	struct request_queue *q;

	if (IS_ERR(disk))
		return disk;
	q = disk->queue;
	blk_queue_logical_block_size(q, blocksize);
	blk_queue_physical_block_size(q, blocksize);
	blk_queue_dma_alignment(q, 3);
	blk_queue_max_hw_sectors(q, max_sectors);
	blk_queue_max_segments(q, BENCH_MAX_SEGMENTS);
	blk_queue_max_segment_size(q, UINT_MAX);
	blk_queue_max_discard_sectors(q, UINT_MAX >> SECTOR_SHIFT);
	q->limits.discard_granularity = blocksize;
	blk_queue_max_write_zeroes_sectors(q, UINT_MAX >> SECTOR_SHIFT);
	blk_queue_write_cache(q, true, true);
	blk_queue_flag_set(QUEUE_FLAG_NONROT, q);
	blk_queue_flag_clear(QUEUE_FLAG_ADD_RANDOM, q);
	return disk;
}
#endif

/* What ->queue_rqs() is given; rq_list_pop() takes either. */
#ifdef HAVE_RQ_LIST_INIT
#define BENCH_RQ_LIST struct rq_list
#define BENCH_SET_FLAGS 0
#else /* drop with 6.1 */
#define BENCH_RQ_LIST struct request *
#define BENCH_SET_FLAGS BLK_MQ_F_SHOULD_MERGE
#endif

#endif
