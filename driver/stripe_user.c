// SPDX-License-Identifier: GPL-2.0
/*
 * How the user's bytes get into a stripe operation, and out of it.
 *
 * By default what is written is copied into pages of ours exactly once, column
 * by column just before parity is made of it while it is in the cache, and
 * both parity and the members' writes are made from the copy: a program that
 * scribbles on its buffer while it is being written can damage only its own
 * blocks, never the consistency of the row, on which the blocks of others
 * depend when a member is lost.
 *
 * With zero_copy the administrator vouches for the programs, and stable
 * writes for the file data in the page cache: then a block that one request
 * overwrites as a whole, from memory like our own pages, is computed with and
 * written from where it is.  Invariant: a block in @col->whole is what the
 * last request of the batch that touches it overwrites as a whole, so that
 * copying all requests in order would give the same.
 */
#include <linux/highmem.h>

#include "stripe.h"

/* Walks over the bytes of a user's bio, piece by piece. */
struct mqr_cursor {
	struct bio *bio;
	struct bvec_iter iter;
};

/*
 * Copy @bytes between the user's pages at the cursor and @block, and move
 * on.  Write zeroes and discards have no pages: zeros.
 */
static void mqr_cursor_copy(struct mqr_cursor *cur, void *block, u32 bytes,
			    bool to_user)
{
	if (!bio_has_data(cur->bio)) {
		memset(block, 0, bytes);
		return;
	}
	while (bytes) {
		struct bio_vec bv = bio_iter_iovec(cur->bio, cur->iter);
		u32 n = min(bytes, bv.bv_len);

		if (to_user)
			memcpy_to_page(bv.bv_page, bv.bv_offset, block, n);
		else
			memcpy_from_page(block, bv.bv_page, bv.bv_offset, n);
		bio_advance_iter_single(cur->bio, &cur->iter, n);
		block += n;
		bytes -= n;
	}
}

static void mqr_cursor_skip(struct mqr_cursor *cur, u32 bytes)
{
	if (bio_has_data(cur->bio))
		bio_advance_iter(cur->bio, &cur->iter, bytes);
}

/* Where the bytes of a block that is read come from, or that is written go. */
static void *mqr_copy_block(struct mqr_stripe *op, u32 role, u32 c, bool read)
{
	if (!read)
		return mqr_addr(mqr_new(op, role, c));
	if (op->array->geo.mirror)
		role = __ffs64(op->col[c].plan.read);
	return mqr_addr(mqr_old(op, role, c));
}

/*
 * Copy one request between its bio and the blocks of its columns, but for
 * what mqr_stripe_copy_col() copies, or nobody.
 */
static void mqr_copy_io(struct mqr_stripe *op, struct mqr_io *io, bool to_user)
{
	const struct mqr_geo *g = &op->array->geo;
	struct mqr_cursor cur = {
		.bio = io->bio,
		.iter = io->bio->bi_iter,
	};
	u64 sector = io->bio->bi_iter.bi_sector;
	u32 left = bio_sectors(io->bio);

	while (left) {
		struct mqr_pos pos = mqr_geo_pos(g, sector);
		u32 c = pos.offset / MQR_BLOCK_SECTORS;
		u32 skip = pos.offset % MQR_BLOCK_SECTORS;
		u32 len = min(left, MQR_BLOCK_SECTORS - skip);
		u32 bytes = len << MQR_SECTOR_SHIFT;

		if (op->col[c].whole & BIT_ULL(pos.role))
			mqr_cursor_skip(&cur, bytes);
		else
			mqr_cursor_copy(&cur,
					mqr_copy_block(op, pos.role, c,
						       to_user) +
						(skip << MQR_SECTOR_SHIFT),
					bytes, to_user);
		sector += len;
		left -= len;
	}
}

void mqr_stripe_copy_in(struct mqr_stripe *op)
{
	struct mqr_io *io;

	for (io = op->ios; io; io = io->next)
		mqr_copy_io(op, io, false);
}

void mqr_stripe_copy_out(struct mqr_stripe *op)
{
	struct mqr_io *io;

	for (io = op->ios; io; io = io->next)
		mqr_copy_io(op, io, true);
}

/*
 * Column @c: copy what lies in one piece, right before parity is made of it.
 * The rest was copied request by request.
 */
void mqr_stripe_copy_col(struct mqr_stripe *op, u32 c)
{
	u64 copy = op->col[c].whole & ~op->col[c].user;

	for (; copy; copy &= copy - 1) {
		u32 role = __ffs64(copy);

		mqr_calc_copy(mqr_addr(mqr_new(op, role, c)),
			      *mqr_src(op, role, c), MQR_BLOCK_SIZE);
	}
}

/* The next block at the cursor as one piece of low memory, or false. */
static bool mqr_cursor_block(const struct mqr_cursor *cur, struct bio_vec *bv)
{
	*bv = mp_bvec_iter_bvec(cur->bio->bi_io_vec, cur->iter);
	if (bv->bv_len < MQR_BLOCK_SIZE)
		return false;
	bv->bv_page += bv->bv_offset / PAGE_SIZE;
	bv->bv_offset %= PAGE_SIZE;
	bv->bv_len = MQR_BLOCK_SIZE;
	return !IS_ENABLED(CONFIG_HIGHMEM);
}

/*
 * May members be given this piece?  Its place in the page must be that of our
 * own pages: they were promised nothing less, and a bio may arrive with less
 * than our queue asks for.
 */
static bool mqr_zero_copy_ok(const struct mqr_stripe *op,
			     const struct bio_vec *bv)
{
	/* The reserve's tables keep their own pages. */
	return READ_ONCE(op->array->zero_copy) && !op->reserve &&
	       IS_ALIGNED(bv->bv_offset, MQR_BLOCK_SIZE);
}

/* A request overwrites, of column @c of @role, all (@bv) or some (NULL). */
static void mqr_user_block(struct mqr_stripe *op, u32 role, u32 c,
			   const struct bio_vec *bv)
{
	struct mqr_col *col = &op->col[c];

	/* What came before is overwritten, or has to be copied first. */
	col->user &= ~BIT_ULL(role);
	col->whole &= ~BIT_ULL(role);
	if (!bv) {
		op->ragged = true;
		return;
	}
	col->whole |= BIT_ULL(role);
	*mqr_src(op, role, c) = mqr_addr(bv);
	if (mqr_zero_copy_ok(op, bv)) {
		*mqr_new(op, role, c) = *bv;
		col->user |= BIT_ULL(role);
	}
}

static void mqr_user_io(struct mqr_stripe *op, struct mqr_io *io)
{
	struct mqr_cursor cur = {
		.bio = io->bio,
		.iter = io->bio->bi_iter,
	};
	u64 sector = io->bio->bi_iter.bi_sector;
	u32 left = bio_sectors(io->bio);

	while (left) {
		struct mqr_pos pos = mqr_geo_pos(&op->array->geo, sector);
		u32 c = pos.offset / MQR_BLOCK_SECTORS;
		u32 skip = pos.offset % MQR_BLOCK_SECTORS;
		u32 len = min(left, MQR_BLOCK_SECTORS - skip);
		struct bio_vec bv;
		bool whole =
			len == MQR_BLOCK_SECTORS && mqr_cursor_block(&cur, &bv);

		mqr_user_block(op, pos.role, c, whole ? &bv : NULL);
		mqr_cursor_skip(&cur, len << MQR_SECTOR_SHIFT);
		sector += len;
		left -= len;
	}
}

/*
 * Find the blocks that lie in one piece, and those that need no copy.  After
 * mqr_stripe_map(), before mqr_stripe_buffers().
 */
void mqr_stripe_user(struct mqr_stripe *op)
{
	struct mqr_io *io;

	op->ragged = false;
	if (op->kind != MQR_IO_WRITE)
		return;
	if (!bio_has_data(op->ios->bio)) {
		op->ragged = true;
		return;
	}
	for (io = op->ios; io; io = io->next)
		mqr_user_io(op, io);
}
