/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A stripe operation: one batch of requests of one row, from the gate to its
 * end.  Shared by stripe.c (phases), stripe_mem.c (memory), stripe_io.c
 * (member I/O) and stripe_calc.c (copying, parity).
 */
#ifndef MQR_STRIPE_H
#define MQR_STRIPE_H

#include "mqraid.h"
#include "calc.h"

/* One column (block of 4 KiB at one offset of every chunk) of the row. */
struct mqr_col {
	/* data roles: overwritten as a whole, in part, wanted by a read */
	u64 full;
	u64 part;
	u64 want;
	/* roles whose old content can't be had, and those to be mended */
	u64 missing;
	u64 heal;
	/* roles whose block could not be read; set by completions */
	atomic64_t bad;
	/* roles not yet issued in the running phase */
	u64 todo;
	/* roles whose new content is one piece of the user's memory: .src */
	u64 whole;
	/* of those: written from where it is (zero_copy), not copied */
	u64 user;
	/* tables that have a page of ours for a role: mqr_stripe.new, .old */
	u64 has_new;
	u64 has_old;
	struct mqr_col_plan plan;
};

/* A member bio; the first of each role lies in the operation itself. */
struct mqr_stripe_bio {
	struct mqr_stripe *op;
	u8 role;
	u16 col;
	u16 cols;
	struct bio bio;
};

/*
 * struct mqr_stripe - a stripe operation
 *
 * Life:   mqr_stripe_get() or the array's reserve -> batches, as long as
 *         requests wait at the gate -> mqr_stripe_put().
 * Owner:  whoever runs @step; while members work, the last completion (the
 *         one that brings @pending to 0) becomes the owner.  The issuer
 *         holds one count of @pending itself while it issues, so a member
 *         that completes inside submit can't end the phase under its feet.
 */
struct mqr_stripe {
	struct mqr_task task;
	/* where the worker goes on */
	void (*step)(struct mqr_stripe *op);
	struct mqr_array *array;
	struct mqr_conf *conf;
	unsigned long *gate;
	u64 row;
	/* this batch, and what is served after it; oldest first */
	struct mqr_io *ios;
	struct mqr_io *rest;

	atomic_t pending;
	/* [any] roles whose write failed in this batch */
	atomic64_t write_failed;
	/* [any] some read of this phase failed */
	bool read_failed;
	/* [any] a member can't zero by itself */
	bool zero_refused;
	/* read block by block: which one is bad? */
	bool single;
	/* written without a member that is about to fail: park at the end */
	bool skipped;
	/* the batch has waited for superblocks */
	bool parked_once;
	/* belongs to the array: all pages are there for good */
	bool reserve;
	/* whole row of zeros: members zero it themselves */
	bool zero_row;
	/* some new content isn't @whole: requests are copied one by one */
	bool ragged;
	bool trusted;
	/* the phase of member I/O that runs (stripe_io.c) */
	bool writing;
	bool short_of_bios;
	bool next_any_context;
	blk_opf_t phase_opf;
	u64 phase_roles;
	void (*next)(struct mqr_stripe *op);

	enum mqr_io_kind kind;
	u8 action;
	/* REQ_FUA, REQ_SYNC, ... of the batch */
	blk_opf_t opf;
	blk_status_t status;
	/* roles without a member that is right in this row */
	u64 missing;
	/* of those: present, to be made right by this operation */
	u64 heal;
	/* sectors of each chunk; columns in use */
	u32 chunk_len;
	DECLARE_BITMAP(cols, MQR_MAX_CHUNK_BLOCKS);
	/* by role; NULL: none */
	struct mqr_member *member[MQR_MAX_MEMBERS];
	/* struct mqr_calc_decode, and what it is made for */
	struct page *decode_page;
	u64 decode_missing;
	u64 decode_using;
	struct mqr_parked parked;

	/* chunk_blocks columns */
	struct mqr_col *col;
	/* a bio for each role */
	struct mqr_stripe_bio *bio;
	/* new content [data role][column]; check: computed parity */
	struct bio_vec *new;
	/* old content, decoded data, parity [role][column] */
	struct bio_vec *old;
	/* where new content comes from [data role][column] */
	const void **src;
};

#define mqr_for_each_col(c, op) \
	for_each_set_bit(c, (op)->cols, (op)->array->geo.chunk_blocks)

static inline u64 mqr_role_mask(unsigned int roles)
{
	return roles == 64 ? ~0ULL : (1ULL << roles) - 1;
}

static inline u64 mqr_data_mask(const struct mqr_geo *g)
{
	return mqr_role_mask(g->data_roles);
}

static inline u64 mqr_parity_mask(const struct mqr_geo *g)
{
	return g->mirror ? 0 : mqr_role_mask(g->roles) & ~mqr_data_mask(g);
}

static inline struct bio_vec *mqr_new(struct mqr_stripe *op, u32 role, u32 c)
{
	return &op->new[role * op->array->geo.chunk_blocks + c];
}

static inline struct bio_vec *mqr_old(struct mqr_stripe *op, u32 role, u32 c)
{
	return &op->old[role * op->array->geo.chunk_blocks + c];
}

static inline const void **mqr_src(struct mqr_stripe *op, u32 role, u32 c)
{
	return &op->src[role * op->array->geo.chunk_blocks + c];
}

/* All pages are low memory: see mqr_page_get(). */
static inline void *mqr_addr(const struct bio_vec *bv)
{
	return page_address(bv->bv_page) + bv->bv_offset;
}

/* Bytes of column @c; less than a block only at the end of a RAID 1. */
static inline u32 mqr_col_bytes(const struct mqr_stripe *op, u32 c)
{
	u32 left = (op->chunk_len << MQR_SECTOR_SHIFT) - c * MQR_BLOCK_SIZE;

	return min_t(u32, left, MQR_BLOCK_SIZE);
}

static inline bool mqr_is_check(const struct mqr_stripe *op)
{
	return op->kind == MQR_IO_ROW &&
	       (op->action == MQR_SYNC_CHECK || op->action == MQR_SYNC_REPAIR);
}

/* stripe.c */
void mqr_stripe_batch(struct mqr_stripe *op);
void mqr_stripe_push(struct mqr_stripe *op, void (*step)(struct mqr_stripe *));

/* stripe_plan.c: from requests and members to a plan for each column */
void mqr_stripe_roles(struct mqr_stripe *op);
void mqr_stripe_map(struct mqr_stripe *op);
/* False: some column can't be served. */
bool mqr_stripe_plan(struct mqr_stripe *op);

/* stripe_mem.c */
struct mqr_stripe *mqr_stripe_get(struct mqr_array *array);
void mqr_stripe_put(struct mqr_stripe *op);
bool mqr_stripe_buffers(struct mqr_stripe *op);
void mqr_stripe_buffers_free(struct mqr_stripe *op);
/* The requests (owning their gate) run later, with the reserve. */
void mqr_starve(struct mqr_array *array, struct mqr_io *list);
void mqr_starved_work(struct work_struct *work);

/* stripe_io.c: issue what the plans say; then @op->step in a worker */
void mqr_stripe_read(struct mqr_stripe *op, void (*next)(struct mqr_stripe *));
void mqr_stripe_write(struct mqr_stripe *op, void (*next)(struct mqr_stripe *));
void mqr_stripe_zero(struct mqr_stripe *op, void (*next)(struct mqr_stripe *));

/* stripe_calc.c */
void mqr_stripe_compute(struct mqr_stripe *op);

/* stripe_user.c */
void mqr_stripe_user(struct mqr_stripe *op);
void mqr_stripe_copy_in(struct mqr_stripe *op);
void mqr_stripe_copy_col(struct mqr_stripe *op, u32 c);
void mqr_stripe_copy_out(struct mqr_stripe *op);

#endif
