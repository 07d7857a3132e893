/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parity arithmetic on buffers: xor, P and Q, deltas, decoding.
 *
 * What computes (ISA-L for the widest instruction set that works here, or
 * the kernel's own library) is chosen once at load; callers never see it.
 *
 * Contract of all functions that touch buffers:
 *
 *   context   task context, not between kernel_fpu_begin() and _end(): each
 *             takes its own short FPU section.  None sleeps, allocates or
 *             fails; mqr_calc_copy() and mqr_calc_equal() may run anywhere.
 *   @bytes    a multiple of MQR_CALC_ALIGN.  Pieces of a block (4 KiB) are
 *             best; what is longer is cut up, so that FPU sections stay short.
 *   buffers   aligned to MQR_CALC_ALIGN.  What is written to is different
 *             from all others unless the function says otherwise.
 *   k         data roles, at most MQR_MAX_MEMBERS - parities.  v[] is ordered
 *             by role: data, then P (v[k]), then Q (v[k + 1]).
 */
#ifndef MQR_CALC_H
#define MQR_CALC_H

#include "core/gf.h"

#define MQR_CALC_ALIGN 64

/* v[sources] = xor of v[0 .. sources - 1]; one source is a copy. */
void mqr_calc_xor(unsigned int sources, size_t bytes, void **v);

/* P and Q of @k >= 1 data blocks; with one data role both are copies. */
void mqr_calc_pq(unsigned int k, size_t bytes, void **v);

/*
 * The parities of @k >= 1 data blocks.  @parities is 1 or 2; a parity whose
 * pointer is NULL isn't wanted.  v[k + 1] isn't looked at for one parity.
 */
void mqr_calc_gen(unsigned int k, unsigned int parities, size_t bytes,
		  void **v);

/*
 * Block @role of @k changes from @old to @new: @old becomes old ^ new (the
 * delta, its content is lost), and the parities follow.  A parity that is
 * NULL is left out.
 */
void mqr_calc_delta(unsigned int k, unsigned int role, size_t bytes, void *old,
		    void *new, void *p, void *q);

/* memcpy() for blocks.  @src may have any alignment. */
void mqr_calc_copy(void *dst, const void *src, size_t bytes);

/* Are the blocks the same?  Not constant-time. */
bool mqr_calc_equal(const void *a, const void *b, size_t bytes);

/*
 * A decoder for one set of missing roles: @d tells which blocks are needed
 * and which come out.  Read-only once made, so that all CPUs may share it.
 */
struct mqr_calc_decode {
	struct mqr_decode d;
	/* private: number of data roles of the row */
	u8 k;
	/* private: ISA-L's multiplication tables for the first target */
	u8 table[MQR_MAX_MEMBERS * 32] __aligned(MQR_CALC_ALIGN);
};

/*
 * As mqr_decode_init(): @k data roles, of which @missing (one or two) are
 * made from the others and the parity roles @using.  0 or -EINVAL.
 */
int mqr_calc_decode_init(struct mqr_calc_decode *c, unsigned int k, u64 missing,
			 u64 using);

/*
 * dst[t] = block of role d.target[t], from src[s] = block of role
 * d.source[s].  Neither pointer array is changed.
 */
void mqr_calc_decode(const struct mqr_calc_decode *c, size_t bytes, void **src,
		     void **dst);

/* What computes, e.g. "isal-avx2". */
const char *mqr_calc_name(void);

/* Once at load, before anything else here: choose and prove; 0 or -errno. */
int mqr_calc_init(void);
void mqr_calc_exit(void);

#endif
