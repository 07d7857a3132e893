// SPDX-License-Identifier: GPL-2.0
/*
 * Parity by the kernel's own xor and RAID 6 library: for other architectures,
 * for builds without ISA-L, and as an independent check of it.
 *
 * The library takes its own FPU sections, works on multiples of 512 bytes,
 * and always makes both P and Q: where we want Q alone, P goes to a page of
 * this CPU that nobody reads.  A rest of less than 512 bytes, which the
 * driver never has in practice, is left to the scalar reference.
 */
#include "calc_impl.h"
#include "compat_raid.h"

#define MQR_LIB_ALIGN 512

/* What the library can do of @bytes. */
static size_t mqr_lib_bulk(size_t bytes)
{
	return round_down(bytes, MQR_LIB_ALIGN);
}

/* to[i] = from[i] + @bytes, as bytes; NULL stays NULL. */
static void mqr_lib_rest(u8 **to, void **from, unsigned int n, size_t bytes)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		to[i] = from[i] ? (u8 *)from[i] + bytes : NULL;
}

/* P and/or Q of the @k blocks in @v, which may be NULL, from @bulk on. */
static noinline void mqr_lib_gen_rest(unsigned int k, size_t bulk, size_t bytes,
				      void **v, void *p, void *q)
{
	u8 *at[MQR_MAX_MEMBERS + 2];

	mqr_lib_rest(at, v, k, bulk);
	at[k] = p ? p + bulk : NULL;
	at[k + 1] = q ? q + bulk : NULL;
	mqr_ref_pq(k, bytes - bulk, at);
}

static void mqr_kernel_xor(unsigned int sources, size_t bytes, void **v)
{
	size_t bulk = mqr_lib_bulk(bytes);

	if (bulk) {
		memcpy(v[sources], v[0], bulk);
		xor_gen(v[sources], v + 1, sources - 1, bulk);
	}
	if (bulk < bytes)
		mqr_lib_gen_rest(sources, bulk, bytes, v, v[sources], NULL);
}

static void mqr_kernel_pq(unsigned int k, size_t bytes, void **v)
{
	size_t bulk = mqr_lib_bulk(bytes);

	if (bulk)
		raid6_gen_syndrome(k + 2, bulk, v);
	if (bulk < bytes)
		mqr_lib_gen_rest(k, bulk, bytes, v, v[k], v[k + 1]);
}

static void mqr_kernel_q(unsigned int k, size_t bytes, void **v)
{
	size_t bulk = mqr_lib_bulk(bytes);

	if (bulk) {
		v[k] = get_cpu_ptr(mqr_scratch);
		raid6_gen_syndrome(k + 2, bulk, v);
		put_cpu_ptr(mqr_scratch);
		v[k] = NULL;
	}
	if (bulk < bytes)
		mqr_lib_gen_rest(k, bulk, bytes, v, NULL, v[k + 1]);
}

/* p ^= delta; q ^= 2^role * delta, for role > 0; p may be NULL. */
static void mqr_lib_xor_syndrome(unsigned int k, unsigned int role,
				 size_t bytes, void *delta, void *p, void *q)
{
	void *ptrs[MQR_MAX_MEMBERS];
	unsigned int i;

	/* The library reads blocks start..stop only, which is our one. */
	for (i = 0; i < k; i++)
		ptrs[i] = delta;
	ptrs[k] = p ?: get_cpu_ptr(mqr_scratch);
	ptrs[k + 1] = q;
	raid6_xor_syndrome(k + 2, role, role, bytes, ptrs);
	if (!p)
		put_cpu_ptr(mqr_scratch);
}

static void mqr_kernel_delta(unsigned int k, unsigned int role, size_t bytes,
			     void *old, void *new, void *p, void *q)
{
	size_t bulk = mqr_lib_bulk(bytes);
	size_t i;

	if (bulk)
		xor_gen(old, &new, 1, bulk);
	for (i = bulk; i < bytes; i++)
		((u8 *)old)[i] ^= ((u8 *)new)[i];

	if (bulk && q && role && raid6_can_xor_syndrome()) {
		mqr_lib_xor_syndrome(k, role, bulk, old, p, q);
	} else if (bulk && q && role) {
		mqr_ref_delta(role, bulk, old, p, q);
	} else if (bulk) {
		/* Role 0 has coefficient 1 in Q as well. */
		if (p)
			xor_gen(p, &old, 1, bulk);
		if (q)
			xor_gen(q, &old, 1, bulk);
	}
	if (bulk < bytes)
		mqr_ref_delta(role, bytes - bulk, old + bulk,
			      p ? p + bulk : NULL, q ? q + bulk : NULL);
}

/* The library wants all blocks by role, the missing ones included. */
static void mqr_lib_recover(const struct mqr_calc_decode *c, size_t bytes,
			    void **src, void **dst)
{
	void *ptrs[MQR_MAX_MEMBERS];
	unsigned int i;

	for (i = 0; i < c->d.sources; i++)
		ptrs[c->d.source[i]] = src[i];
	for (i = 0; i < c->d.targets; i++)
		ptrs[c->d.target[i]] = dst[i];
	if (c->d.targets == 2) {
		raid6_recov_2data(c->k + 2, bytes, c->d.target[0],
				  c->d.target[1], ptrs);
		return;
	}
	/* Without P: the library makes that as well. */
	ptrs[c->k] = get_cpu_ptr(mqr_scratch);
	raid6_recov_datap(c->k + 2, bytes, c->d.target[0], ptrs);
	put_cpu_ptr(mqr_scratch);
}

static noinline void mqr_lib_decode_rest(const struct mqr_calc_decode *c,
					 size_t bulk, size_t bytes, void **src,
					 void **dst)
{
	u8 *from[MQR_MAX_MEMBERS], *to[2];

	mqr_lib_rest(from, src, c->d.sources, bulk);
	mqr_lib_rest(to, dst, c->d.targets, bulk);
	mqr_ref_decode(&c->d, bytes - bulk, from, to);
}

static void mqr_kernel_decode(const struct mqr_calc_decode *c, size_t bytes,
			      void **src, void **dst)
{
	size_t bulk = mqr_lib_bulk(bytes);

	if (bulk)
		mqr_lib_recover(c, bulk, src, dst);
	if (bulk < bytes)
		mqr_lib_decode_rest(c, bulk, bytes, src, dst);
}

static bool mqr_kernel_usable(void)
{
	/* The library's recovery does a page at a time at most. */
	return PAGE_SIZE >= MQR_CALC_PIECE;
}

static void mqr_kernel_copy(void *dst, const void *src, size_t bytes)
{
	memcpy(dst, src, bytes);
}

const struct mqr_calc_ops mqr_kernel_lib = {
	.name = "kernel",
	.usable = mqr_kernel_usable,
	.xor_all = mqr_kernel_xor,
	.pq = mqr_kernel_pq,
	.q = mqr_kernel_q,
	.delta = mqr_kernel_delta,
	.decode = mqr_kernel_decode,
	.copy = mqr_kernel_copy,
};
