// SPDX-License-Identifier: GPL-2.0
/*
 * Flushes.  A write is acknowledged only when all members have completed it,
 * so flushing all members makes everything durable that was acknowledged
 * before.  A bio with data and PREFLUSH is submitted again, without the flag,
 * when the flush is done; its FUA is kept and means data and parity.
 *
 * A member that can't flush may have lost what it acknowledged: it is
 * expelled, and the flush is acknowledged when superblocks say so.
 */
#include <linux/mempool.h>

#include "mqraid.h"

struct mqr_flush {
	struct mqr_array *array;
	struct mqr_conf *conf;
	struct bio *bio;
	atomic_t pending;
	/* [any] slots that could not flush, or were about to fail */
	atomic64_t failed;
	struct work_struct work;
	struct mqr_parked parked;
	struct mqr_flush_bio {
		struct mqr_flush *flush;
		u32 slot;
		struct bio bio;
	} member[];
};

size_t mqr_flush_bytes(const struct mqr_array *array)
{
	return struct_size((struct mqr_flush *)NULL, member,
			   array->geo.raid_disks);
}

static bool mqr_flush_ok(struct mqr_flush *flush)
{
	u64 failed = atomic64_read(&flush->failed);

	if (READ_ONCE(flush->array->broken))
		return false;
	return !failed || mqr_geo_survives(&flush->array->geo,
					   failed | (mqr_slots(flush->array) &
						     ~flush->conf->in_sync));
}

/* The data part is new I/O, which may wait for memory. */
static void mqr_flush_data(struct work_struct *work)
{
	struct mqr_flush *flush = container_of(work, struct mqr_flush, work);
	struct mqr_array *array = flush->array;
	struct bio *bio = flush->bio;
	bool ok = mqr_flush_ok(flush);

	mqr_conf_put(flush->conf);
	mempool_free(flush, &array->flush_pool);
	if (!ok) {
		bio_io_error(bio);
	} else if (!bio_sectors(bio)) {
		bio_endio(bio);
	} else {
		bio->bi_opf &= ~REQ_PREFLUSH;
		submit_bio_noacct(bio);
	}
}

static void mqr_flush_resume(struct mqr_parked *parked)
{
	struct mqr_flush *flush =
		container_of(parked, struct mqr_flush, parked);

	INIT_WORK(&flush->work, mqr_flush_data);
	queue_work(mqr_submit_wq, &flush->work);
}

/* [any context] */
static void mqr_flush_done(struct mqr_flush *flush)
{
	if (atomic64_read(&flush->failed) || !mqr_conf_stable(flush->conf)) {
		flush->parked.resume = mqr_flush_resume;
		mqr_meta_park(flush->array, &flush->parked);
		return;
	}
	mqr_flush_resume(&flush->parked);
}

static void mqr_flush_endio(struct bio *bio)
{
	struct mqr_flush_bio *fb = container_of(bio, struct mqr_flush_bio, bio);
	struct mqr_flush *flush = fb->flush;

	if (bio->bi_status && bio->bi_status != BLK_STS_NOTSUPP) {
		atomic64_or(BIT_ULL(fb->slot), &flush->failed);
		if (mqr_array_redundant(flush->array))
			mqr_member_write_error(flush->conf->member[fb->slot],
					       bio->bi_status);
	}
	bio_uninit(bio);
	if (atomic_dec_and_test(&flush->pending))
		mqr_flush_done(flush);
}

static void mqr_flush_member(struct mqr_flush *flush, u32 slot)
{
	struct mqr_member *member = flush->conf->member[slot];
	struct mqr_flush_bio *fb = &flush->member[slot];

	if (!member)
		return;
	if (test_bit(MQR_MEMBER_FAILING, &member->flags)) {
		atomic64_or(BIT_ULL(slot), &flush->failed);
		return;
	}
	fb->flush = flush;
	fb->slot = slot;
	bio_init(&fb->bio, member->bdev, NULL, 0,
		 REQ_OP_WRITE | REQ_PREFLUSH | REQ_SYNC);
	fb->bio.bi_end_io = mqr_flush_endio;
	atomic_inc(&flush->pending);
	mqr_member_submit(member, &fb->bio);
}

/* [task, inside ->submit_bio] */
void mqr_flush(struct mqr_array *array, struct bio *bio)
{
	gfp_t gfp =
		bio->bi_opf & REQ_NOWAIT ? GFP_NOWAIT | __GFP_NOWARN : GFP_NOIO;
	struct mqr_flush *flush = mempool_alloc(&array->flush_pool, gfp);
	u32 slot;

	if (!flush) {
		bio_wouldblock_error(bio);
		return;
	}
	flush->array = array;
	flush->bio = bio;
	flush->conf = mqr_conf_get(array);
	atomic64_set(&flush->failed, 0);
	atomic_set(&flush->pending, 1);
	for (slot = 0; slot < array->geo.raid_disks; slot++)
		mqr_flush_member(flush, slot);
	if (atomic_dec_and_test(&flush->pending))
		mqr_flush_done(flush);
}
