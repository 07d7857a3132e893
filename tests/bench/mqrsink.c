// SPDX-License-Identifier: GPL-2.0
/*
 * mqrsink: member drives that cost next to nothing, so that a benchmark of
 * what is built on them measures that and not them.
 *
 * A drive keeps its first keep_mb MiB and its last MiB in memory: superblocks
 * and bitmaps, and whatever else programs look for at either end.  What is
 * written in between is discarded, and a read there leaves the memory as it
 * is: whoever reads gets what happened to be in its buffer.  With keep_mb as
 * large as size_mb the drive is a RAM disk.
 *
 * Requests complete where they are queued, as those of null_blk with
 * irqmode=0, and all of a plug at once.  A write cache and FUA are announced,
 * as most drives have them; neither has an effect.
 */
#include <linux/bio.h>
#include <linux/bvec.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "bench_compat.h"

#define MQRSINK_MAX_DRIVES 64
#define MQRSINK_MAX_SECTORS (SZ_1M >> SECTOR_SHIFT)
#define MQRSINK_TAIL SZ_1M

static unsigned int nr = 8;
module_param(nr, uint, 0444);
MODULE_PARM_DESC(nr, "how many drives, 1 to 64 (8)");

static unsigned int size_mb = 1024;
module_param(size_mb, uint, 0444);
MODULE_PARM_DESC(size_mb, "MiB of each (1024)");

static unsigned int keep_mb = 1;
module_param(keep_mb, uint, 0444);
MODULE_PARM_DESC(keep_mb, "MiB that are kept at the beginning of each (1)");

static unsigned int queues;
module_param(queues, uint, 0444);
MODULE_PARM_DESC(queues, "hardware queues (0: one for each CPU online)");

static unsigned int depth = 1024;
module_param(depth, uint, 0444);
MODULE_PARM_DESC(depth, "requests in each queue (1024)");

static unsigned int blocksize = 512;
module_param(blocksize, uint, 0444);
MODULE_PARM_DESC(blocksize, "logical block size, 512 to 4096 (512)");

/*
 * struct mqrsink - a drive
 *
 * Life:  made by module_init, gone in module_exit, never changed between.
 *        The contents are the users' to order, as on any drive.
 */
struct mqrsink {
	struct blk_mq_tag_set set;
	struct gendisk *disk;
	/* kept: [0, head_bytes) and [tail_start, end) */
	void *head;
	void *tail;
	u64 head_bytes;
	u64 tail_start;
};

static struct mqrsink *mqrsink_drives;

/* ------------------------------------------------------------------------ */
/* I/O */

/* Where @pos is kept, or NULL; @len becomes that of as much of the same kind */
static void *mqrsink_at(const struct mqrsink *drive, u64 pos, u64 *len)
{
	if (pos < drive->head_bytes) {
		*len = min(*len, drive->head_bytes - pos);
		return drive->head + pos;
	}
	if (pos >= drive->tail_start)
		return drive->tail + (pos - drive->tail_start);
	*len = min(*len, drive->tail_start - pos);
	return NULL;
}

static bool mqrsink_is_kept(const struct mqrsink *drive, u64 pos, u64 len)
{
	return pos < drive->head_bytes || pos + len > drive->tail_start;
}

static void mqrsink_zero(const struct mqrsink *drive, u64 pos, u64 left)
{
	u64 len;

	for (; left; pos += len, left -= len) {
		void *kept;

		len = left;
		kept = mqrsink_at(drive, pos, &len);
		if (kept)
			memset(kept, 0, len);
	}
}

/* @bvec doesn't leave its page */
static void mqrsink_copy(const struct mqrsink *drive, u64 pos,
			 struct bio_vec *bvec, bool write)
{
	u64 left, len;

	for (left = bvec->bv_len; left; pos += len, left -= len) {
		unsigned int at = bvec->bv_offset + bvec->bv_len - left;
		void *kept;

		len = left;
		kept = mqrsink_at(drive, pos, &len);
		if (!kept)
			continue;
		if (write)
			memcpy_from_page(kept, bvec->bv_page, at, len);
		else
			memcpy_to_page(bvec->bv_page, at, kept, len);
	}
}

static noinline void mqrsink_keep(const struct mqrsink *drive,
				  struct request *rq)
{
	u64 pos = blk_rq_pos(rq) << SECTOR_SHIFT;
	struct req_iterator iter;
	struct bio_vec bvec;

	rq_for_each_segment(bvec, rq, iter) {
		mqrsink_copy(drive, pos, &bvec, op_is_write(req_op(rq)));
		pos += bvec.bv_len;
	}
}

static blk_status_t mqrsink_do(struct request *rq)
{
	const struct mqrsink *drive = rq->q->queuedata;
	u64 pos = blk_rq_pos(rq) << SECTOR_SHIFT;
	u64 len = blk_rq_bytes(rq);

	switch (req_op(rq)) {
	case REQ_OP_READ:
	case REQ_OP_WRITE:
		if (unlikely(mqrsink_is_kept(drive, pos, len)))
			mqrsink_keep(drive, rq);
		return BLK_STS_OK;
	case REQ_OP_DISCARD:
	case REQ_OP_WRITE_ZEROES:
		mqrsink_zero(drive, pos, len);
		return BLK_STS_OK;
	case REQ_OP_FLUSH:
		return BLK_STS_OK;
	default:
		return BLK_STS_NOTSUPP;
	}
}

static blk_status_t mqrsink_queue_rq(struct blk_mq_hw_ctx *hctx,
				     const struct blk_mq_queue_data *bd)
{
	blk_mq_start_request(bd->rq);
	blk_mq_end_request(bd->rq, mqrsink_do(bd->rq));
	return BLK_STS_OK;
}

/* A plug full: tags are given back and times are taken once for all. */
static void mqrsink_queue_rqs(BENCH_RQ_LIST *list)
{
	DEFINE_IO_COMP_BATCH(batch);
	struct request *rq;

	while ((rq = rq_list_pop(list))) {
		blk_status_t status;

		blk_mq_start_request(rq);
		status = mqrsink_do(rq);
		if (!blk_mq_add_to_batch(rq, &batch, status != BLK_STS_OK,
					 blk_mq_end_request_batch))
			blk_mq_end_request(rq, status);
	}
	if (batch.complete)
		batch.complete(&batch);
}

static const struct blk_mq_ops mqrsink_mq_ops = {
	.queue_rq = mqrsink_queue_rq,
	.queue_rqs = mqrsink_queue_rqs,
};

static const struct block_device_operations mqrsink_fops = {
	.owner = THIS_MODULE,
};

/* ------------------------------------------------------------------------ */
/* Making drives */

static void mqrsink_free(struct mqrsink *drive)
{
	vfree(drive->head);
	vfree(drive->tail);
}

static int mqrsink_alloc(struct mqrsink *drive)
{
	u64 bytes = (u64)size_mb * SZ_1M;
	u64 tail;

	drive->head_bytes = min_t(u64, (u64)keep_mb * SZ_1M, bytes);
	tail = min_t(u64, MQRSINK_TAIL, bytes - drive->head_bytes);
	drive->tail_start = bytes - tail;
	drive->head = drive->head_bytes ? vzalloc(drive->head_bytes) : NULL;
	drive->tail = tail ? vzalloc(tail) : NULL;
	if ((drive->head_bytes && !drive->head) || (tail && !drive->tail)) {
		mqrsink_free(drive);
		return -ENOMEM;
	}
	return 0;
}

static int mqrsink_add(struct mqrsink *drive, unsigned int number)
{
	int err = mqrsink_alloc(drive);

	if (err)
		return err;

	drive->set.ops = &mqrsink_mq_ops;
	drive->set.nr_hw_queues = queues;
	drive->set.queue_depth = depth;
	drive->set.numa_node = NUMA_NO_NODE;
	drive->set.flags = BLK_MQ_F_NO_SCHED_BY_DEFAULT | BENCH_SET_FLAGS;
	err = blk_mq_alloc_tag_set(&drive->set);
	if (err)
		goto out_memory;

	drive->disk = bench_alloc_disk(&drive->set, blocksize,
				       MQRSINK_MAX_SECTORS, drive);
	if (IS_ERR(drive->disk)) {
		err = PTR_ERR(drive->disk);
		goto out_set;
	}
	snprintf(drive->disk->disk_name, DISK_NAME_LEN, "mqrsink%u", number);
	drive->disk->fops = &mqrsink_fops;
	drive->disk->flags |= GENHD_FL_NO_PART;
	set_capacity(drive->disk, (sector_t)size_mb * (SZ_1M >> SECTOR_SHIFT));

	/* Last: I/O may arrive before this returns. */
	err = add_disk(drive->disk);
	if (err)
		goto out_disk;
	return 0;

out_disk:
	put_disk(drive->disk);
out_set:
	blk_mq_free_tag_set(&drive->set);
out_memory:
	mqrsink_free(drive);
	return err;
}

static void mqrsink_remove(struct mqrsink *drive)
{
	del_gendisk(drive->disk);
	put_disk(drive->disk);
	blk_mq_free_tag_set(&drive->set);
	mqrsink_free(drive);
}

static int mqrsink_check(void)
{
	if (nr < 1 || nr > MQRSINK_MAX_DRIVES) {
		pr_err("mqrsink: nr=%u: 1 to %u\n", nr, MQRSINK_MAX_DRIVES);
		return -EINVAL;
	}
	if (!size_mb) {
		pr_err("mqrsink: size_mb=0: at least 1\n");
		return -EINVAL;
	}
	if (!is_power_of_2(blocksize) || blocksize < SECTOR_SIZE ||
	    blocksize > SZ_4K) {
		pr_err("mqrsink: blocksize=%u: 512, 1024, 2048 or 4096\n",
		       blocksize);
		return -EINVAL;
	}
	return 0;
}

static void mqrsink_remove_all(unsigned int made)
{
	while (made--)
		mqrsink_remove(&mqrsink_drives[made]);
	kvfree(mqrsink_drives);
}

static int __init mqrsink_init(void)
{
	unsigned int i;
	int err = mqrsink_check();

	if (err)
		return err;
	if (!queues)
		queues = num_online_cpus();
	mqrsink_drives = kvcalloc(nr, sizeof(*mqrsink_drives), GFP_KERNEL);
	if (!mqrsink_drives)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		err = mqrsink_add(&mqrsink_drives[i], i);
		if (err) {
			pr_err("mqrsink: drive %u can't be made: %d\n", i, err);
			mqrsink_remove_all(i);
			return err;
		}
	}
	return 0;
}

static void __exit mqrsink_exit(void)
{
	mqrsink_remove_all(nr);
}

module_init(mqrsink_init);
module_exit(mqrsink_exit);
MODULE_DESCRIPTION("drives that keep their beginning and discard the rest");
MODULE_LICENSE("GPL");
