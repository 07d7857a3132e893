/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between calc.c, which callers see, and what computes.
 *
 * calc.c deals with the easy cases and cuts up long buffers, so that an
 * implementation is called with at most MQR_CALC_PIECE bytes and two data
 * roles or more.  Each function takes its own FPU section if it needs one.
 */
#ifndef MQR_CALC_IMPL_H
#define MQR_CALC_IMPL_H

#include <linux/percpu.h>

#include "calc.h"

#define MQR_CALC_PIECE 4096u

/* Where this CPU, not preempted, puts a result that nobody wants. */
struct mqr_scratch {
	u8 bytes[MQR_CALC_PIECE];
} __aligned(MQR_CALC_ALIGN);

extern struct mqr_scratch __percpu *mqr_scratch;

/* v[sources] = xor of two or more sources, and is none of them */
typedef void mqr_xor_fn(unsigned int sources, size_t bytes, void **v);
/* both parities */
typedef void mqr_pq_fn(unsigned int k, size_t bytes, void **v);
/* v[k + 1] = Q; v[k] may be changed */
typedef void mqr_q_fn(unsigned int k, size_t bytes, void **v);
/* as mqr_calc_delta() */
typedef void mqr_delta_fn(unsigned int k, unsigned int role, size_t bytes,
			  void *old, void *new, void *p, void *q);
/* as mqr_calc_decode(), with Q among the sources */
typedef void mqr_decode_fn(const struct mqr_calc_decode *c, size_t bytes,
			   void **src, void **dst);

/* as memcpy(), any context, any alignment */
typedef void mqr_copy_fn(void *dst, const void *src, size_t bytes);

struct mqr_calc_ops {
	/* for the log, sysfs and the module parameter */
	const char *name;
	/* can this CPU and kernel run it? */
	bool (*usable)(void);
	/* called before the first use; may be NULL */
	void (*prepare)(const struct mqr_calc_ops *ops);
	/*
	 * fill in c->table from c->d, with @entry bytes for a coefficient;
	 * may be NULL
	 */
	void (*expand)(const struct mqr_calc_ops *ops,
		       struct mqr_calc_decode *c);
	unsigned int entry;
	mqr_xor_fn *xor_all;
	mqr_pq_fn *pq;
	mqr_q_fn *q;
	mqr_delta_fn *delta;
	mqr_decode_fn *decode;
	mqr_copy_fn *copy;
};

/* calc_isal.c */
extern const struct mqr_calc_ops mqr_isal_avx512_gfni;
extern const struct mqr_calc_ops mqr_isal_avx2_gfni;
extern const struct mqr_calc_ops mqr_isal_avx512;
extern const struct mqr_calc_ops mqr_isal_avx2;
extern const struct mqr_calc_ops mqr_isal_sse;

/* calc_kernel.c */
extern const struct mqr_calc_ops mqr_kernel_lib;

/*
 * calc_test.c: compare the installed implementation with the scalar
 * reference.  0; -EIO with the first difference in the log as an error of
 * @name; or -ENOMEM.
 */
int mqr_calc_test(const char *name, bool thorough);

#endif
