// SPDX-License-Identifier: GPL-2.0
/*
 * Entry of user I/O.
 *
 * A bio is cut so that each piece lies in one row (one chunk, where it goes
 * straight to a member).  Cutting happens one piece at a time: the rest is
 * submitted anew and comes back when the member bios of the first piece are
 * on their way, so that no task waits for a pool while it holds an allocation
 * of it that nobody else can bring to its end.  (What plug.c keeps, a worker
 * takes over as soon as the task waits.)
 *
 * Reads of a member that is right go to it at once, without gate or lock, on
 * the submitting CPU.  Reads of lost data, and writes of parity levels, pass
 * the gate; mirror writes do so only in gated epochs (mirror.c).
 */
#include <linux/mempool.h>

#include "mqraid.h"

static gfp_t mqr_bio_gfp(const struct bio *bio)
{
	return bio->bi_opf & REQ_NOWAIT ? GFP_NOWAIT | __GFP_NOWARN : GFP_NOIO;
}

static struct mqr_io *mqr_io_init(struct mqr_array *array, struct bio *clone,
				  struct bio *bio)
{
	struct mqr_io *io = container_of(clone, struct mqr_io, clone);

	memset(io, 0, offsetof(struct mqr_io, clone));
	io->array = array;
	io->bio = bio;
	io->start_time = bio_start_io_acct(bio);
	return io;
}

/* For a piece that passes the gate; NULL: @bio has been ended (NOWAIT). */
static struct mqr_io *mqr_io_alloc(struct mqr_array *array, struct bio *bio)
{
	struct bio *clone =
		bio_alloc_bioset(NULL, 0, 0, mqr_bio_gfp(bio), &array->bios);

	if (clone)
		return mqr_io_init(array, clone, bio);
	bio_wouldblock_error(bio);
	return NULL;
}

/* End the user's piece with io->status; @io is gone.  [any context] */
void mqr_io_end(struct mqr_io *io)
{
	struct mqr_array *array = io->array;
	struct mqr_conf *conf = io->conf;
	struct bio *bio = io->bio;
	bool writer = io->writer;

	if (io->status)
		bio->bi_status = io->status;
	bio_end_io_acct(bio, io->start_time);
	bio_put(&io->clone);
	if (conf)
		mqr_conf_put(conf);
	if (writer)
		mqr_write_end(array);
	/* Last: then the user may close the array, and it may be stopped. */
	bio_endio(bio);
}

static void mqr_io_later(struct mqr_io *io, void (*run)(struct mqr_task *))
{
	io->task.run = run;
	mqr_worker_push(&io->task);
}

/*
 * A bio that must not wait may be refused by the member, and read-ahead may
 * be dropped: neither says anything about the member, and the caller asked
 * for it.
 */
static bool mqr_read_refused(const struct mqr_io *io, blk_status_t status)
{
	return (status == BLK_STS_AGAIN && io->bio->bi_opf & REQ_NOWAIT) ||
	       (io->bio->bi_opf & REQ_RAHEAD && status != BLK_STS_MEDIUM);
}

/*
 * A read failed; redundancy may still have it.  Mending the block rewrites
 * all of it, so that other writes must be held off: in mirrors that takes a
 * gated epoch, which is held until the read has ended.
 */
static void mqr_read_again(struct mqr_task *task);

static void mqr_read_again_resume(struct mqr_parked *parked)
{
	mqr_io_later(container_of(parked, struct mqr_io, parked),
		     mqr_read_again);
}

static void mqr_read_again(struct mqr_task *task)
{
	struct mqr_io *io = container_of(task, struct mqr_io, task);
	struct mqr_array *array = io->array;

	if (array->geo.mirror) {
		struct mqr_conf *conf = mqr_conf_get(array);

		if (!conf->gated || READ_ONCE(conf->settling)) {
			if (!conf->gated)
				mqr_gate_mirrors(array);
			mqr_conf_put(conf);
			io->parked.resume = mqr_read_again_resume;
			mqr_conf_wait_settled(array, &io->parked);
			return;
		}
		io->conf = conf;
	}
	io->next = NULL;
	mqr_gate_enter(io);
}

static void mqr_read_endio(struct bio *clone)
{
	struct mqr_io *io = container_of(clone, struct mqr_io, clone);
	struct mqr_conf *conf = io->conf;

	io->status = clone->bi_status;
	if (likely(!io->status) || !mqr_array_redundant(io->array) ||
	    mqr_read_refused(io, io->status)) {
		mqr_io_end(io);
		return;
	}
	io->conf = NULL;
	io->careful = true;
	io->kind = MQR_IO_READ;
	/* First: the request may be gone, and the array, once it runs. */
	mqr_conf_put(conf);
	mqr_io_later(io, mqr_read_again);
}

/* Straight to a member, at @sector of its data; takes over @conf. */
static void mqr_forward(struct mqr_array *array, struct bio *bio,
			struct mqr_conf *conf, struct mqr_member *member,
			u64 row, u64 sector)
{
	struct bio *clone = bio_alloc_clone(member->bdev, bio, mqr_bio_gfp(bio),
					    &array->bios);
	struct mqr_io *io;

	if (!clone) {
		mqr_conf_put(conf);
		bio_wouldblock_error(bio);
		return;
	}
	io = mqr_io_init(array, clone, bio);
	io->conf = conf;
	io->row = row;
	clone->bi_iter.bi_sector = sector;
	clone->bi_end_io = mqr_read_endio;
	mqr_member_submit(member, clone);
}

/*
 * The first @sectors of @bio, as a bio of their own; the rest comes again.
 * NULL: @bio has been ended (NOWAIT).
 */
static struct bio *mqr_cut(struct mqr_array *array, struct bio *bio,
			   u32 sectors)
{
	struct bio *piece;

	if (bio_sectors(bio) <= sectors)
		return bio;
	/* Of a pool of its own: this task takes one of @bios next. */
	piece = mqr_bio_split(bio, sectors, mqr_bio_gfp(bio),
			      &array->split_bios);
	if (!piece) {
		bio_wouldblock_error(bio);
		return NULL;
	}
	bio_chain(piece, bio);
	submit_bio_noacct(bio);
	return piece;
}

/* RAID 0: everything goes straight to the members, errors come back. */
static void mqr_submit_raid0(struct mqr_array *array, struct bio *bio)
{
	struct mqr_loc loc = mqr_geo_raid0(&array->geo, bio->bi_iter.bi_sector);
	struct mqr_member *member;
	struct mqr_conf *conf;

	bio = mqr_cut(array, bio, loc.sectors);
	if (!bio)
		return;
	conf = mqr_conf_get(array);
	member = conf->member[loc.slot];
	if (!member) {
		mqr_conf_put(conf);
		bio_io_error(bio);
		return;
	}
	mqr_forward(array, bio, conf, member, 0, loc.sector);
}

/* The member that a read of @role of @row can go to at once, or NULL. */
static struct mqr_member *mqr_reader(struct mqr_array *array,
				     struct mqr_conf *conf, u64 row, u32 role)
{
	u32 slot = mqr_geo_slot(&array->geo, row, role);
	struct mqr_member *member = conf->member[slot];

	if (!member || test_bit(MQR_MEMBER_FAILING, &member->flags))
		return NULL;
	if (conf->in_sync & BIT_ULL(slot))
		return member;
	return mqr_walk_row_done(&array->rebuild, row) ? member : NULL;
}

static void mqr_submit_read(struct mqr_array *array, struct bio *bio)
{
	const struct mqr_geo *g = &array->geo;
	struct mqr_pos pos = mqr_geo_pos(g, bio->bi_iter.bi_sector);
	struct mqr_member *member = NULL;
	struct mqr_conf *conf;
	int role = pos.role;
	struct mqr_io *io;

	bio = mqr_cut(array, bio, mqr_geo_chunk_len(g, pos.row) - pos.offset);
	if (!bio)
		return;
	conf = mqr_conf_get(array);
	if (g->mirror)
		role = mqr_mirror_pick(conf, pos.row, bio);
	if (role >= 0)
		member = mqr_reader(array, conf, pos.row, role);
	if (member) {
		u64 sector = mqr_geo_role_sector(g, pos.row, role) + pos.offset;

		mqr_forward(array, bio, conf, member, pos.row, sector);
		return;
	}
	mqr_conf_put(conf);
	io = mqr_io_alloc(array, bio);
	if (!io)
		return;
	io->kind = MQR_IO_READ;
	io->row = pos.row;
	mqr_read_again(&io->task);
}

static void mqr_write_start(struct mqr_task *task);

/* [any context] */
void mqr_write_resume(struct mqr_parked *parked)
{
	/* Out of the meta work's way. */
	mqr_io_later(container_of(parked, struct mqr_io, parked),
		     mqr_write_start);
}

/*
 * May @io enter its gate?  False: it doesn't have to, or the array is being
 * marked active; then mqr_write_start() is called.
 */
static bool mqr_write_ready(struct mqr_io *io)
{
	io->parked.resume = mqr_write_resume;
	if (!io->writer) {
		if (!mqr_write_begin(io->array, &io->parked))
			return false;
		io->writer = true;
	}
	return !io->array->geo.mirror || mqr_mirror_start(io);
}

static void mqr_write_start(struct mqr_task *task)
{
	struct mqr_io *io = container_of(task, struct mqr_io, task);

	if (mqr_write_ready(io))
		mqr_gate_enter(io);
}

/*
 * Mirrors write from the program's memory.  Not all who submit look at what
 * the queue asks for, and a member would refuse: that is no reason to fail it.
 */
static bool mqr_bio_aligned(const struct bio *bio)
{
	u32 mask = bdev_dma_alignment(bio->bi_bdev);
	struct bvec_iter iter;
	struct bio_vec bv;

	bio_for_each_bvec(bv, bio, iter)
		if ((bv.bv_offset | bv.bv_len) & mask)
			return false;
	return true;
}

static void mqr_submit_write(struct mqr_array *array, struct bio *bio)
{
	const struct mqr_geo *g = &array->geo;
	struct mqr_pos pos = mqr_geo_pos(g, bio->bi_iter.bi_sector);
	u32 offset = pos.role * g->chunk_sectors + pos.offset;
	u32 row_len = mqr_geo_chunk_len(g, pos.row) * g->data_roles;
	struct mqr_io *io;

	bio = mqr_cut(array, bio, row_len - offset);
	if (!bio)
		return;
	/* A discard is only advice: parity can follow whole rows cheaply. */
	if (bio_op(bio) == REQ_OP_DISCARD && !g->mirror &&
	    bio_sectors(bio) != row_len) {
		bio_endio(bio);
		return;
	}
	if (g->mirror && bio_has_data(bio) && !mqr_bio_aligned(bio)) {
		bio->bi_status = errno_to_blk_status(-EINVAL);
		bio_endio(bio);
		return;
	}
	io = mqr_io_alloc(array, bio);
	if (!io)
		return;
	io->kind = MQR_IO_WRITE;
	io->row = pos.row;
	if (!mqr_write_ready(io))
		return;
	/* Parts of a row wait for the others; whole ones need nobody. */
	if (g->mirror || bio_sectors(bio) == row_len || !mqr_plug_add(io))
		mqr_gate_enter(io);
}

void mqr_submit_bio(struct bio *bio)
{
	struct mqr_array *array = bio->bi_bdev->bd_disk->private_data;

	if (bio->bi_opf & REQ_PREFLUSH) {
		mqr_flush(array, bio);
		return;
	}
	if (!bio_sectors(bio)) {
		bio_endio(bio);
		return;
	}
	switch (bio_op(bio)) {
	case REQ_OP_READ:
	case REQ_OP_WRITE:
	case REQ_OP_DISCARD:
	case REQ_OP_WRITE_ZEROES:
		break;
	default:
		bio->bi_status = BLK_STS_NOTSUPP;
		bio_endio(bio);
		return;
	}
	if (!mqr_array_redundant(array))
		mqr_submit_raid0(array, bio);
	else if (bio_op(bio) == REQ_OP_READ)
		mqr_submit_read(array, bio);
	else
		mqr_submit_write(array, bio);
}

int mqr_pools_create(struct mqr_array *array)
{
	int err;

	err = bioset_init(&array->bios, BIO_POOL_SIZE,
			  offsetof(struct mqr_io, clone),
			  BIOSET_NEED_BVECS | BIOSET_PERCPU_CACHE);
	if (err)
		return err;
	err = bioset_init(&array->split_bios, BIO_POOL_SIZE, 0,
			  BIOSET_PERCPU_CACHE);
	if (err)
		goto out_bios;
	err = mempool_init_kmalloc_pool(&array->flush_pool, 2,
					mqr_flush_bytes(array));
	if (err)
		goto out_split;
	err = mempool_init_kmalloc_pool(&array->mirror_pool, BIO_POOL_SIZE,
					mqr_mirror_bytes(array));
	if (err)
		goto out_flush;
	return 0;

out_flush:
	mempool_exit(&array->flush_pool);
out_split:
	bioset_exit(&array->split_bios);
out_bios:
	bioset_exit(&array->bios);
	return err;
}

void mqr_pools_destroy(struct mqr_array *array)
{
	mempool_exit(&array->mirror_pool);
	mempool_exit(&array->flush_pool);
	bioset_exit(&array->split_bios);
	bioset_exit(&array->bios);
}

MQR_DISK_OPEN(mqr_array_open)

const struct block_device_operations mqr_fops = {
	.owner = THIS_MODULE,
	.submit_bio = mqr_submit_bio,
	.open = mqr_array_open_op,
};
