// SPDX-License-Identifier: GPL-2.0
/*
 * How the user's bytes get into a stripe operation, and out of it.
 *
 * By default what is written is copied into pages of ours exactly once, and
 * both parity and the members' writes are made from the copy: a program that
 * scribbles on its buffer while it is being written can damage only its own
 * blocks, never the consistency of the row, on which the blocks of others
 * depend when a member is lost.
 *
 * With zero_copy the administrator vouches for the programs, and stable
 * writes for the file data in the page cache: then a block that one request
 * overwrites as a whole, from memory like our own pages, is computed with and
 * written from where it is.  Invariant: a block in
 * @col->user is written from exactly the bytes of the last request of the
 * batch that touches it, as copying in order would have it.
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
 * blocks that are written from where they are.
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

		if (op->col[c].user & BIT_ULL(pos.role))
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
 * The next block at the cursor as one piece of memory that can serve as a
 * block of the tables, or false.  Its place in the page is that of our own
 * pages: members were promised nothing less, and a bio may arrive with less
 * than our queue asks for.
 */
static bool mqr_cursor_block(const struct mqr_cursor *cur, struct bio_vec *bv)
{
	*bv = mp_bvec_iter_bvec(cur->bio->bi_io_vec, cur->iter);
	if (bv->bv_len < MQR_BLOCK_SIZE ||
	    !IS_ALIGNED(bv->bv_offset, MQR_BLOCK_SIZE))
		return false;
	bv->bv_page += bv->bv_offset / PAGE_SIZE;
	bv->bv_offset %= PAGE_SIZE;
	bv->bv_len = MQR_BLOCK_SIZE;
	return !PageHighMem(bv->bv_page);
}

/* One request's blocks, into the table of new content where they can be. */
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
		struct mqr_col *col = &op->col[c];
		struct bio_vec bv;

		/* What came before is overwritten, or has to be copied first.
		 */
		col->user &= ~BIT_ULL(pos.role);
		if (len == MQR_BLOCK_SECTORS && mqr_cursor_block(&cur, &bv)) {
			*mqr_new(op, pos.role, c) = bv;
			col->user |= BIT_ULL(pos.role);
		}
		mqr_cursor_skip(&cur, len << MQR_SECTOR_SHIFT);
		sector += len;
		left -= len;
	}
}

/*
 * Find the blocks that need no copy.  After mqr_stripe_map(), before
 * mqr_stripe_buffers().  The reserve's tables keep their own pages.
 */
void mqr_stripe_user(struct mqr_stripe *op)
{
	struct mqr_io *io;

	if (op->kind != MQR_IO_WRITE || op->reserve ||
	    !READ_ONCE(op->array->zero_copy) || !bio_has_data(op->ios->bio))
		return;
	for (io = op->ios; io; io = io->next)
		mqr_user_io(op, io);
}
