/* SPDX-License-Identifier: GPL-2.0 */
/*
 * GF(2^8) with polynomial 0x11d and generator 2, as in md's RAID 6: scalar
 * arithmetic, decode coefficients, and a byte-by-byte reference for the
 * SIMD kernels.  Pure: any context.
 */
#ifndef MQR_CORE_GF_H
#define MQR_CORE_GF_H

#include "geometry.h"

u8 mqr_gf_mul(u8 a, u8 b);
/* 1/a; 0 for 0 */
u8 mqr_gf_inv(u8 a);
/* 2^n: the coefficient of data role n in Q */
u8 mqr_gf_exp(unsigned int n);

/*
 * How to recover up to two data roles: target[t] = sum over s of
 * coef[t][s] * source[s].  Sources are the readable data roles in ascending
 * order, then the parities in use (P before Q).
 */
struct mqr_decode {
	u8 sources;
	u8 targets;
	u8 source[MQR_MAX_MEMBERS];
	u8 target[2];
	u8 coef[2][MQR_MAX_MEMBERS];
};

/*
 * @k data roles of which @missing (mask, 1 or 2 roles) are recovered with
 * the parity roles @using (mask of bits k = P, k+1 = Q; as many as missing).
 * 0, or -EINVAL if the masks don't fit together.
 */
int mqr_decode_init(struct mqr_decode *d, unsigned int k, u64 missing,
		    u64 using);

/* Reference codes over @bytes bytes; v[k] = P, v[k+1] = Q (NULL: skip). */
void mqr_ref_pq(unsigned int k, size_t bytes, u8 **v);
void mqr_ref_delta(unsigned int role, size_t bytes, const u8 *delta, u8 *p,
		   u8 *q);
void mqr_ref_decode(const struct mqr_decode *d, size_t bytes, u8 *const *src,
		    u8 *const *dst);

#endif
