// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of stripe operations, and what happens when there is none.
 *
 * An operation never waits for memory: it may be the one that writes out the
 * pages that reclaim is after.  If the operation itself or one of its pages
 * can't be had, nothing has been written yet; the batch is given up and its
 * requests, still owning their gate, are queued for the array's reserve: one
 * operation with all the pages that any batch can need, allocated when the
 * array starts.  Whoever returns the reserve starts the next in the queue,
 * so that every request makes progress without a single free page.
 */
#include <linux/mempool.h>
#include <linux/slab.h>

#include "stripe.h"

#define MQR_GFP_TRY (GFP_NOIO | __GFP_NORETRY | __GFP_NOWARN)

/* Low memory, so that it has an address wherever it is used. */
static struct page *mqr_page_get(void)
{
	return mqr_inject_no_memory() ? NULL : alloc_page(MQR_GFP_TRY);
}

static void mqr_stripe_lay_out(struct mqr_array *array, struct mqr_stripe *op)
{
	const struct mqr_geo *g = &array->geo;
	u32 role;

	op->array = array;
	op->col = (struct mqr_col *)(op + 1);
	op->bio = (struct mqr_stripe_bio *)(op->col + g->chunk_blocks);
	op->new = (struct bio_vec *)(op->bio + g->roles);
	op->old = op->new + g->data_roles * g->chunk_blocks;
	op->src = (const void **)(op->old + g->roles * g->chunk_blocks);
	for (role = 0; role < g->roles; role++)
		op->bio[role].op = op;
}

struct mqr_stripe *mqr_stripe_get(struct mqr_array *array)
{
	struct mqr_stripe *op;

	if (mqr_inject_no_memory())
		return NULL;
	op = this_cpu_xchg(*array->stripe_cache, NULL);
	if (!op)
		op = kvmalloc(array->stripe_bytes, MQR_GFP_TRY);
	if (!op)
		return NULL;
	/* What follows the struct is set up as it is used. */
	memset(op, 0, sizeof(*op));
	mqr_stripe_lay_out(array, op);
	return op;
}

/* To the cache of this CPU, if there is room: it is still warm.  [any] */
static void mqr_stripe_recycle(struct mqr_array *array, struct mqr_stripe *op)
{
	if (this_cpu_cmpxchg(*array->stripe_cache, NULL, op))
		kvfree(op);
}

void mqr_stripe_put(struct mqr_stripe *op)
{
	struct mqr_array *array = op->array;

	if (!op->reserve) {
		mqr_stripe_recycle(array, op);
		return;
	}
	clear_bit_unlock(0, &array->reserve_busy);
	/* Pairs with mqr_starve(): it queues first and looks after that. */
	smp_mb__after_atomic();
	if (READ_ONCE(array->starving))
		queue_work(mqr_meta_wq, &array->starved_work);
}

/* Roles that need a page of ours in the table of new content. */
static u64 mqr_need_new(const struct mqr_stripe *op, const struct mqr_col *col)
{
	const struct mqr_geo *g = &op->array->geo;

	if (mqr_is_check(op) && !g->mirror)
		return mqr_role_mask(g->parities);
	return (col->full | col->part) & ~col->user;
}

/* Roles that need a page in the table of old content. */
static u64 mqr_need_old(const struct mqr_stripe *op, const struct mqr_col *col)
{
	const struct mqr_geo *g = &op->array->geo;
	const struct mqr_col_plan *plan = &col->plan;
	u64 need = plan->read;

	if (g->mirror)
		return need;
	/* The decoder yields all data that is missing, wanted or not. */
	if (plan->decode)
		need |= col->missing & mqr_data_mask(g);
	return need | (plan->write & mqr_parity_mask(g));
}

/* Give the roles of @need a page each; *has tells who got one. */
static bool mqr_fill(struct mqr_stripe *op, struct bio_vec *table, u32 c,
		     u64 need, u64 *has)
{
	u32 stride = op->array->geo.chunk_blocks;

	while (need) {
		u32 role = __ffs64(need);
		struct bio_vec *bv = &table[role * stride + c];

		need &= need - 1;
		bv->bv_len = mqr_col_bytes(op, c);
		bv->bv_offset = 0;
		if (op->reserve || *has & BIT_ULL(role))
			continue;
		bv->bv_page = mqr_page_get();
		if (!bv->bv_page)
			return false;
		*has |= BIT_ULL(role);
	}
	return true;
}

static void mqr_drain(struct mqr_stripe *op, struct bio_vec *table, u32 c,
		      u64 *has)
{
	u32 stride = op->array->geo.chunk_blocks;

	while (*has) {
		__free_page(table[__ffs64(*has) * stride + c].bv_page);
		*has &= *has - 1;
	}
}

/*
 * Pages for what the plans need; may be called again after planning anew.
 * False: out of memory; the caller frees what there is and starves.
 */
bool mqr_stripe_buffers(struct mqr_stripe *op)
{
	bool decode = false;
	u32 c;

	mqr_for_each_col(c, op) {
		struct mqr_col *col = &op->col[c];

		if (!mqr_fill(op, op->new, c, mqr_need_new(op, col),
			      &col->has_new) ||
		    !mqr_fill(op, op->old, c, mqr_need_old(op, col),
			      &col->has_old))
			return false;
		decode |= !!col->plan.decode;
	}
	if (decode && !op->decode_page)
		op->decode_page = mqr_page_get();
	return !decode || op->decode_page;
}

void mqr_stripe_buffers_free(struct mqr_stripe *op)
{
	u32 c;

	if (op->reserve)
		return;
	mqr_for_each_col(c, op) {
		mqr_drain(op, op->new, c, &op->col[c].has_new);
		mqr_drain(op, op->old, c, &op->col[c].has_old);
	}
	if (op->decode_page)
		__free_page(op->decode_page);
	op->decode_page = NULL;
}

/* [any context] */
void mqr_starve(struct mqr_array *array, struct mqr_io *list)
{
	llist_add(&list->parked.node, &array->starved);
	WRITE_ONCE(array->starving, true);
	queue_work(mqr_meta_wq, &array->starved_work);
}

/* Take over what was queued since; the oldest is served first. */
static struct mqr_io *mqr_starved_next(struct mqr_array *array)
{
	struct llist_node *node;
	struct mqr_io **tail = &array->starved_queue;
	struct mqr_io *io;

	node = llist_reverse_order(llist_del_all(&array->starved));
	while (*tail)
		tail = &(*tail)->starved_next;
	for (; node; node = node->next) {
		io = container_of(node, struct mqr_io, parked.node);
		io->starved_next = NULL;
		*tail = io;
		tail = &io->starved_next;
	}
	return array->starved_queue;
}

/*
 * A work item never runs twice at a time: it alone owns @starved_queue.
 * While @starving is set, the return of the reserve queues the work again.
 */
void mqr_starved_work(struct work_struct *work)
{
	struct mqr_array *array =
		container_of(work, struct mqr_array, starved_work);
	struct mqr_stripe *op = array->reserve;
	struct mqr_io *io;

	for (;;) {
		io = mqr_starved_next(array);
		if (!io) {
			WRITE_ONCE(array->starving, false);
			/* Pairs with the order in mqr_starve(). */
			smp_mb();
			if (llist_empty(&array->starved))
				return;
			WRITE_ONCE(array->starving, true);
			continue;
		}
		if (test_and_set_bit_lock(0, &array->reserve_busy))
			return;
		array->starved_queue = io->starved_next;
		op->gate = mqr_gate_of(array, io->row);
		op->rest = io;
		mqr_stripe_batch(op);
	}
}

static bool mqr_reserve_pages(struct mqr_stripe *op)
{
	const struct mqr_geo *g = &op->array->geo;
	u32 n = (g->data_roles + g->roles) * g->chunk_blocks;
	u32 i;

	/* op->old follows op->new: one table of n entries. */
	for (i = 0; i < n; i++) {
		op->new[i].bv_page = alloc_page(GFP_KERNEL);
		if (!op->new[i].bv_page)
			return false;
	}
	op->decode_page = alloc_page(GFP_KERNEL);
	return op->decode_page;
}

static struct mqr_stripe *mqr_reserve_create(struct mqr_array *array)
{
	struct mqr_stripe *op = kvzalloc(array->stripe_bytes, GFP_KERNEL);

	if (!op)
		return NULL;
	mqr_stripe_lay_out(array, op);
	op->reserve = true;
	array->reserve = op;
	return mqr_reserve_pages(op) ? op : NULL;
}

static void mqr_reserve_destroy(struct mqr_array *array)
{
	const struct mqr_geo *g = &array->geo;
	u32 n = (g->data_roles + g->roles) * g->chunk_blocks;
	struct mqr_stripe *op = array->reserve;
	u32 i;

	if (!op)
		return;
	for (i = 0; i < n; i++)
		if (op->new[i].bv_page)
			__free_page(op->new[i].bv_page);
	if (op->decode_page)
		__free_page(op->decode_page);
	kvfree(op);
	array->reserve = NULL;
}

/* Gate, reserve and pools of a redundant array; RAID 0 has none of them. */
int mqr_stripes_create(struct mqr_array *array)
{
	const struct mqr_geo *g = &array->geo;
	int err;

	BUILD_BUG_ON(sizeof(struct mqr_calc_decode) > PAGE_SIZE);
	if (!mqr_array_redundant(array))
		return 0;
	array->stripe_bytes = sizeof(struct mqr_stripe) +
			      g->chunk_blocks * sizeof(struct mqr_col) +
			      g->roles * sizeof(struct mqr_stripe_bio) +
			      (g->data_roles + g->roles) * g->chunk_blocks *
				      sizeof(struct bio_vec) +
			      g->data_roles * g->chunk_blocks * sizeof(void *);
	init_llist_head(&array->starved);
	INIT_WORK(&array->starved_work, mqr_starved_work);
	err = bioset_init(&array->stripe_bios, BIO_POOL_SIZE,
			  offsetof(struct mqr_stripe_bio, bio), 0);
	if (err)
		return err;
	array->stripe_cache = alloc_percpu(struct mqr_stripe *);
	if (!array->stripe_cache || !mqr_reserve_create(array)) {
		mqr_stripes_destroy(array);
		return -ENOMEM;
	}
	return 0;
}

static void mqr_stripe_cache_destroy(struct mqr_array *array)
{
	int cpu;

	if (!array->stripe_cache)
		return;
	for_each_possible_cpu(cpu)
		kvfree(*per_cpu_ptr(array->stripe_cache, cpu));
	free_percpu(array->stripe_cache);
	array->stripe_cache = NULL;
}

/* No operation is left: all requests have ended. */
void mqr_stripes_destroy(struct mqr_array *array)
{
	if (!mqr_array_redundant(array))
		return;
	cancel_work_sync(&array->starved_work);
	mqr_reserve_destroy(array);
	mqr_stripe_cache_destroy(array);
	bioset_exit(&array->stripe_bios);
}
