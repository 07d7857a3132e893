// SPDX-License-Identifier: GPL-2.0
/*
 * RAID 1 and 10: which copy to read, and writes to all copies.
 *
 * Mirrors need no gate while nobody walks over the rows: a write is cloned
 * to each copy.  In gated epochs (resync, rebuild, check, repair of a block,
 * mirror_stable) writes pass the gate and go through the stripe engine,
 * which copies the data first.  Writes of the two kinds never run at the
 * same time: each holds its epoch to its end, and an epoch whose gating
 * differs from the one before lets no write begin until that one's are gone
 * (mqr_conf.settling).  So a block that the engine reads, changes and writes
 * can't lose a write that bypasses the engine.
 *
 * Without mirror_stable the copies are written from the program's own
 * buffer: a program that changes it meanwhile may find the copies different,
 * as it would on md.
 */
#include <linux/mempool.h>

#include "mqraid.h"

/* A write in flight to all copies. */
struct mqr_mirror {
	struct mqr_io *io;
	atomic_t pending;
	/* [any] copies that failed, or were about to: superblocks first */
	atomic_t missed;
	/* [any] copies that can't zero by themselves */
	atomic_t refused;
	/* copies that were to get it */
	u8 copies;
	struct mqr_parked parked;
	struct mqr_copy {
		struct mqr_mirror *mirror;
		struct mqr_member *member;
		struct bio bio;
	} copy[];
};

size_t mqr_mirror_bytes(const struct mqr_array *array)
{
	u8 copies = array->geo.mirror ? array->geo.roles : 0;

	return struct_size((struct mqr_mirror *)NULL, copy, copies);
}

/* Is @role of @row right?  Its slot, or -1. */
static int mqr_mirror_slot(struct mqr_conf *conf, u64 row, u32 role)
{
	struct mqr_array *array = conf->array;
	u32 slot = mqr_geo_slot(&array->geo, row, role);
	struct mqr_member *member = conf->member[slot];

	if (!member || test_bit(MQR_MEMBER_FAILING, &member->flags))
		return -1;
	if (!(conf->in_sync & BIT_ULL(slot)) &&
	    !mqr_walk_row_done(&array->rebuild, row))
		return -1;
	return slot;
}

/*
 * The copy of @row for @bio to read, or -1.  Before a resync has passed, all
 * readers must see the same copy: the first, which the resync spreads.  Else
 * readers are spread over the copies by place, in strides that keep a
 * sequential reader on one member for a while.
 */
int mqr_mirror_pick(struct mqr_conf *conf, u64 row, const struct bio *bio)
{
	struct mqr_array *array = conf->array;
	u32 roles = array->geo.roles;
	u32 first = 0, i;

	if (!conf->resync || mqr_walk_row_done(&array->resync, row))
		div_u64_rem(row >> 3 ^ raw_smp_processor_id(), roles, &first);
	for (i = 0; i < roles; i++) {
		u32 role = first + i < roles ? first + i : first + i - roles;

		if (mqr_mirror_slot(conf, row, role) >= 0)
			return role;
	}
	return -1;
}

static void mqr_mirror_end(struct mqr_mirror *mirror)
{
	struct mqr_io *io = mirror->io;
	struct mqr_array *array = io->array;

	bool missed = atomic_read(&mirror->missed);

	/* A broken array's superblocks don't say who has missed it. */
	if (atomic_read(&mirror->missed) == mirror->copies ||
	    (missed && READ_ONCE(array->broken)))
		io->status = BLK_STS_IOERR;
	mempool_free(mirror, &array->mirror_pool);
	mqr_io_end(io);
}

/* Some copy can't zero by itself: the engine will write zeros as data. */
static void mqr_mirror_refused(struct mqr_mirror *mirror)
{
	struct mqr_io *io = mirror->io;
	struct mqr_conf *conf = io->conf;

	WRITE_ONCE(io->array->no_zero_row, true);
	mempool_free(mirror, &io->array->mirror_pool);
	io->conf = NULL;
	mqr_conf_put(conf);
	mqr_write_resume(&io->parked);
}

static void mqr_mirror_resume(struct mqr_parked *parked)
{
	mqr_mirror_end(container_of(parked, struct mqr_mirror, parked));
}

static void mqr_mirror_done(struct mqr_mirror *mirror)
{
	struct mqr_io *io = mirror->io;

	if (unlikely(atomic_read(&mirror->refused))) {
		mqr_mirror_refused(mirror);
		return;
	}
	if (atomic_read(&mirror->missed) || !mqr_conf_stable(io->conf)) {
		mirror->parked.resume = mqr_mirror_resume;
		mqr_meta_park(io->array, &mirror->parked);
		return;
	}
	mqr_mirror_end(mirror);
}

static void mqr_mirror_endio(struct bio *bio)
{
	struct mqr_copy *copy = container_of(bio, struct mqr_copy, bio);
	struct mqr_mirror *mirror = copy->mirror;

	if (unlikely(bio->bi_status)) {
		if (bio_op(bio) == REQ_OP_WRITE_ZEROES) {
			atomic_inc(&mirror->refused);
		} else {
			atomic_inc(&mirror->missed);
			mqr_member_write_error(copy->member, bio->bi_status);
		}
	}
	bio_uninit(bio);
	if (atomic_dec_and_test(&mirror->pending))
		mqr_mirror_done(mirror);
}

/*
 * One copy.  The clone never carries NOWAIT: a member that refused it would
 * be left behind.  A discard becomes zeros, which all members agree on.
 */
static void mqr_mirror_copy(struct mqr_mirror *mirror, u32 i, u32 role,
			    struct mqr_member *member)
{
	struct mqr_io *io = mirror->io;
	struct mqr_array *array = io->array;
	struct mqr_copy *copy = &mirror->copy[i];
	struct bio *bio = &copy->bio;
	u32 offset =
		mqr_geo_pos(&array->geo, io->bio->bi_iter.bi_sector).offset;

	copy->mirror = mirror;
	copy->member = member;
	bio_init_clone(member->bdev, bio, io->bio, GFP_NOIO);
	bio->bi_opf &= ~REQ_NOWAIT;
	if (bio_op(bio) == REQ_OP_DISCARD)
		bio->bi_opf =
			REQ_OP_WRITE_ZEROES | (bio->bi_opf & ~REQ_OP_MASK);
	bio->bi_iter.bi_sector =
		mqr_geo_role_sector(&array->geo, io->row, role) + offset;
	bio->bi_end_io = mqr_mirror_endio;
	mqr_member_submit(member, bio);
}

/* Write all copies that have a member. */
static void mqr_mirror_write(struct mqr_io *io)
{
	const struct mqr_geo *g = &io->array->geo;
	struct mqr_conf *conf = io->conf;
	struct mqr_mirror *mirror =
		mempool_alloc(&io->array->mirror_pool, GFP_NOIO);
	u32 role, n = 0;

	mirror->io = io;
	mirror->copies = 0;
	atomic_set(&mirror->missed, 0);
	atomic_set(&mirror->refused, 0);
	atomic_set(&mirror->pending, 1);
	for (role = 0; role < g->roles; role++) {
		u32 slot = mqr_geo_slot(g, io->row, role);
		struct mqr_member *member = conf->member[slot];

		/* Ungated: nobody rebuilds. */
		if (!member || !(conf->in_sync & BIT_ULL(slot)))
			continue;
		mirror->copies++;
		if (test_bit(MQR_MEMBER_FAILING, &member->flags)) {
			atomic_inc(&mirror->missed);
			continue;
		}
		atomic_inc(&mirror->pending);
		mqr_mirror_copy(mirror, n++, role, member);
	}
	if (atomic_dec_and_test(&mirror->pending))
		mqr_mirror_done(mirror);
}

static bool mqr_mirror_zeroes_refused(struct mqr_io *io)
{
	return (bio_op(io->bio) == REQ_OP_WRITE_ZEROES ||
		bio_op(io->bio) == REQ_OP_DISCARD) &&
	       READ_ONCE(io->array->no_zero_row);
}

/* Some write, or the repair of a block, needs a gated epoch.  [any] */
void mqr_gate_mirrors(struct mqr_array *array)
{
	WRITE_ONCE(array->gate_mirrors, true);
	mqr_meta_kick(array, MQR_META_GATING);
}

/*
 * Begin a write of a mirror.  True: the caller passes the gate with it.
 * False: it is under way, or waits for the epoch to settle (io->parked.resume
 * calls here again).  [task]
 */
bool mqr_mirror_start(struct mqr_io *io)
{
	struct mqr_array *array = io->array;
	struct mqr_conf *conf = mqr_conf_get(array);
	bool need_gate = mqr_mirror_zeroes_refused(io);

	if (READ_ONCE(conf->settling) || (need_gate && !conf->gated)) {
		if (need_gate)
			mqr_gate_mirrors(array);
		mqr_conf_put(conf);
		mqr_conf_wait_settled(array, &io->parked);
		return false;
	}
	io->conf = conf;
	if (conf->gated)
		return true;
	if (conf->failed) {
		io->status = BLK_STS_IOERR;
		mqr_io_end(io);
	} else {
		mqr_mirror_write(io);
	}
	return false;
}
