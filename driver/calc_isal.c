// SPDX-License-Identifier: GPL-2.0
/*
 * Parity by ISA-L's assembly functions (driver/isal/).
 *
 * ISA-L multiplies by tables: 32 bytes for each coefficient (products of the
 * low and of the high half of a byte), or 8 bytes, a bit matrix, for the
 * functions that use GFNI.  Its functions want 64 bytes or more, in multiples
 * of 32, and, those for xor and P+Q, aligned buffers: as calc.h promises.
 */
#include <linux/cache.h>
#include <linux/linkage.h>
#include <linux/preempt.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#ifndef CONFIG_UML
#include <asm/fpu/types.h>
#endif

#include "calc_impl.h"

/*
 * Prototypes.  The lengths and numbers are int in ISA-L's, but used as 64-bit
 * registers: long makes sure that their upper halves are right.
 */
/* clang-format off */
#define MQR_ISAL_RAID(name) \
	asmlinkage int name(long vectors, long bytes, void **v)
#define MQR_ISAL_CODE(isa)						\
	asmlinkage void gf_vect_dot_prod_##isa(long bytes, long n,	\
					       const u8 *table,		\
					       void **src, void *dst);	\
	asmlinkage void gf_vect_mad_##isa(long bytes, long n, long i,	\
					  const u8 *table,		\
					  const void *src, void *dst);	\
	asmlinkage void gf_2vect_mad_##isa(long bytes, long n, long i,	\
					   const u8 *table,		\
					   const void *src, void **dst)
/* clang-format on */

MQR_ISAL_RAID(xor_gen_sse);
MQR_ISAL_RAID(xor_gen_avx);
MQR_ISAL_RAID(xor_gen_avx512);
MQR_ISAL_RAID(pq_gen_sse);
MQR_ISAL_RAID(pq_gen_avx2);
MQR_ISAL_RAID(pq_gen_avx512);
MQR_ISAL_CODE(sse);
MQR_ISAL_CODE(avx2);
MQR_ISAL_CODE(avx512);
MQR_ISAL_CODE(avx2_gfni);
MQR_ISAL_CODE(avx512_gfni);

/* The functions of one instruction set. */
struct mqr_isal {
	typeof(xor_gen_sse) *xor_gen;
	typeof(pq_gen_sse) *pq_gen;
	typeof(gf_vect_dot_prod_sse) *dot;
	typeof(gf_vect_mad_sse) *mad;
	typeof(gf_2vect_mad_sse) *mad2;
	/* bytes of table for each coefficient */
	unsigned int entry;
};

#define MQR_ISAL_ENTRY 32
#define MQR_ISAL_ENTRY_GFNI 8

/*
 * The coefficients of all data roles, first in P (all 1), then in Q, in the
 * order in which gf_2vect_mad looks for them.
 */
static u8 mqr_isal_table[2 * MQR_MAX_MEMBERS * MQR_ISAL_ENTRY] __aligned(
	MQR_CALC_ALIGN);

static void mqr_fpu_begin(void)
{
	/* kernel_fpu_begin() of user-mode Linux leaves preemption on. */
	if (IS_ENABLED(CONFIG_UML))
		preempt_disable();
	kernel_fpu_begin();
}

static void mqr_fpu_end(void)
{
	kernel_fpu_end();
	if (IS_ENABLED(CONFIG_UML))
		preempt_enable();
}

static void mqr_isal_entry(u8 *to, u8 coef)
{
	unsigned int i;

	for (i = 0; i < 16; i++) {
		to[i] = mqr_gf_mul(coef, i);
		to[16 + i] = mqr_gf_mul(coef, i << 4);
	}
}

/*
 * Bit i of the product is the parity of the bits that byte 7 - i of the
 * matrix selects.
 */
static void mqr_isal_entry_gfni(u8 *to, u8 coef)
{
	unsigned int i, j;
	u8 product;

	memset(to, 0, MQR_ISAL_ENTRY_GFNI);
	for (j = 0; j < 8; j++) {
		product = mqr_gf_mul(coef, 1 << j);
		for (i = 0; i < 8; i++)
			to[7 - i] |= ((product >> i) & 1) << j;
	}
}

static void mqr_isal_fill(unsigned int entry, u8 *to, u8 coef)
{
	if (entry == MQR_ISAL_ENTRY_GFNI)
		mqr_isal_entry_gfni(to, coef);
	else
		mqr_isal_entry(to, coef);
}

static const u8 *mqr_isal_q_table(unsigned int entry)
{
	return mqr_isal_table + MQR_MAX_MEMBERS * entry;
}

static void mqr_isal_prepare(const struct mqr_calc_ops *ops)
{
	u8 *to = mqr_isal_table;
	unsigned int i;

	for (i = 0; i < MQR_MAX_MEMBERS; i++, to += ops->entry)
		mqr_isal_fill(ops->entry, to, 1);
	for (i = 0; i < MQR_MAX_MEMBERS; i++, to += ops->entry)
		mqr_isal_fill(ops->entry, to, mqr_gf_exp(i));
}

/* Of two targets the second is made without multiplying, see below. */
static void mqr_isal_expand(const struct mqr_calc_ops *ops,
			    struct mqr_calc_decode *c)
{
	u8 *to = c->table;
	unsigned int s;

	for (s = 0; s < c->d.sources; s++, to += ops->entry)
		mqr_isal_fill(ops->entry, to, c->d.coef[0][s]);
}

static __always_inline void mqr_isal_xor(const struct mqr_isal *f,
					 unsigned int sources, size_t bytes,
					 void **v)
{
	mqr_fpu_begin();
	f->xor_gen(sources + 1, bytes, v);
	mqr_fpu_end();
}

static __always_inline void mqr_isal_pq(const struct mqr_isal *f,
					unsigned int k, size_t bytes, void **v)
{
	mqr_fpu_begin();
	f->pq_gen(k + 2, bytes, v);
	mqr_fpu_end();
}

static __always_inline void mqr_isal_q(const struct mqr_isal *f, unsigned int k,
				       size_t bytes, void **v)
{
	mqr_fpu_begin();
	if (f->entry == MQR_ISAL_ENTRY_GFNI) {
		f->dot(bytes, k, mqr_isal_q_table(f->entry), v, v[k + 1]);
	} else {
		/* Without GFNI, doubling is cheaper than tables by half. */
		v[k] = this_cpu_ptr(mqr_scratch);
		f->pq_gen(k + 2, bytes, v);
		v[k] = NULL;
	}
	mqr_fpu_end();
}

static __always_inline void mqr_isal_delta(const struct mqr_isal *f,
					   unsigned int role, size_t bytes,
					   void *old, void *new, void *p,
					   void *q)
{
	void *delta[] = {old, new, old};
	void *parity[] = {old, p, p};
	void *pq[] = {p, q};

	mqr_fpu_begin();
	f->xor_gen(3, bytes, delta);
	if (p && q)
		f->mad2(bytes, MQR_MAX_MEMBERS, role, mqr_isal_table, old, pq);
	else if (p)
		f->xor_gen(3, bytes, parity);
	else if (q)
		f->mad(bytes, MQR_MAX_MEMBERS, role, mqr_isal_q_table(f->entry),
		       old, q);
	mqr_fpu_end();
}

static __always_inline void mqr_isal_decode(const struct mqr_isal *f,
					    const struct mqr_calc_decode *c,
					    size_t bytes, void **src,
					    void **dst)
{
	unsigned int n = c->d.sources;
	void *v[MQR_MAX_MEMBERS + 1];

	/*
	 * The last source is Q.  Once the first target is known, P and all
	 * data but the second target are: that is a mere xor, and needs no
	 * second table.
	 */
	if (c->d.targets == 2) {
		memcpy(v, src, (n - 1) * sizeof(*v));
		v[n - 1] = dst[0];
		v[n] = dst[1];
	}

	mqr_fpu_begin();
	f->dot(bytes, n, c->table, src, dst[0]);
	if (c->d.targets == 2)
		f->xor_gen(n + 1, bytes, v);
	mqr_fpu_end();
}

/* @bytes: a multiple of 64; @dst: aligned as well. */
static void mqr_copy_avx(void *dst, const void *src, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i += 64)
		asm volatile("vmovdqu (%0), %%ymm0\n\t"
			     "vmovdqu 32(%0), %%ymm1\n\t"
			     "vmovdqa %%ymm0, (%1)\n\t"
			     "vmovdqa %%ymm1, 32(%1)"
			     :
			     : "r"(src + i), "r"(dst + i)
			     : "memory");
}

/* Worth an FPU section, and is one possible? */
static bool mqr_copy_by_avx(const void *dst, size_t bytes)
{
	return bytes >= 512 && !(bytes % 64) &&
	       IS_ALIGNED((unsigned long)dst, 64) && irq_fpu_usable();
}

static void mqr_isal_copy_avx(void *dst, const void *src, size_t bytes)
{
	size_t done, piece;

	if (!mqr_copy_by_avx(dst, bytes)) {
		memcpy(dst, src, bytes);
		return;
	}
	for (done = 0; done < bytes; done += piece) {
		piece = min_t(size_t, bytes - done, MQR_CALC_PIECE);
		mqr_fpu_begin();
		mqr_copy_avx(dst + done, src + done, piece);
		mqr_fpu_end();
	}
}

static void mqr_isal_copy_plain(void *dst, const void *src, size_t bytes)
{
	memcpy(dst, src, bytes);
}

static bool mqr_isal_has_sse(void)
{
	return boot_cpu_has(X86_FEATURE_SSSE3) &&
	       boot_cpu_has(X86_FEATURE_XMM4_1);
}

/* Does the kernel save and restore the registers of AVX, of AVX-512? */
#ifdef CONFIG_UML
/* There, the host has hidden the instructions whose state it doesn't save. */
static bool mqr_isal_saves_avx(void)
{
	return true;
}

static bool mqr_isal_saves_avx512(void)
{
	return true;
}
#else
static bool mqr_isal_saves_avx(void)
{
	return cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL);
}

static bool mqr_isal_saves_avx512(void)
{
	return cpu_has_xfeatures(XFEATURE_MASK_AVX512, NULL);
}
#endif

static bool mqr_isal_has_avx2(void)
{
	return boot_cpu_has(X86_FEATURE_AVX) &&
	       boot_cpu_has(X86_FEATURE_AVX2) && mqr_isal_saves_avx();
}

static bool mqr_isal_has_avx512(void)
{
	return mqr_isal_has_avx2() && boot_cpu_has(X86_FEATURE_AVX512F) &&
	       boot_cpu_has(X86_FEATURE_AVX512BW) &&
	       boot_cpu_has(X86_FEATURE_AVX512VL) &&
	       boot_cpu_has(X86_FEATURE_AVX512DQ) && mqr_isal_saves_avx512();
}

static bool mqr_isal_has_avx2_gfni(void)
{
	return mqr_isal_has_avx2() && boot_cpu_has(X86_FEATURE_GFNI);
}

static bool mqr_isal_has_avx512_gfni(void)
{
	return mqr_isal_has_avx512() && boot_cpu_has(X86_FEATURE_GFNI);
}

/*
 * Glue for one instruction set.  The functions above are inlined with a
 * constant @f, so that they call the assembly directly.
 */
/* clang-format off */
#define MQR_ISAL(isa, text, xor_isa, pq_isa, entry_bytes, copy_fn)	\
static const struct mqr_isal isal_##isa = {				\
	.xor_gen = xor_gen_##xor_isa,					\
	.pq_gen = pq_gen_##pq_isa,					\
	.dot = gf_vect_dot_prod_##isa,					\
	.mad = gf_vect_mad_##isa,					\
	.mad2 = gf_2vect_mad_##isa,					\
	.entry = (entry_bytes),						\
};									\
									\
static void isal_##isa##_xor(unsigned int n, size_t bytes, void **v)	\
{									\
	mqr_isal_xor(&isal_##isa, n, bytes, v);				\
}									\
									\
static void isal_##isa##_pq(unsigned int k, size_t bytes, void **v)	\
{									\
	mqr_isal_pq(&isal_##isa, k, bytes, v);				\
}									\
									\
static void isal_##isa##_q(unsigned int k, size_t bytes, void **v)	\
{									\
	mqr_isal_q(&isal_##isa, k, bytes, v);				\
}									\
									\
static void isal_##isa##_delta(unsigned int k, unsigned int role,	\
			       size_t bytes, void *old, void *new,	\
			       void *p, void *q)			\
{									\
	mqr_isal_delta(&isal_##isa, role, bytes, old, new, p, q);	\
}									\
									\
static void isal_##isa##_decode(const struct mqr_calc_decode *c,	\
				size_t bytes, void **src, void **dst)	\
{									\
	mqr_isal_decode(&isal_##isa, c, bytes, src, dst);		\
}									\
									\
const struct mqr_calc_ops mqr_isal_##isa = {				\
	.name = "isal-" text,						\
	.usable = mqr_isal_has_##isa,					\
	.prepare = mqr_isal_prepare,					\
	.expand = mqr_isal_expand,					\
	.entry = (entry_bytes),						\
	.xor_all = isal_##isa##_xor,					\
	.pq = isal_##isa##_pq,						\
	.q = isal_##isa##_q,						\
	.delta = isal_##isa##_delta,					\
	.decode = isal_##isa##_decode,					\
	.copy = mqr_isal_copy_##copy_fn,				\
}
/* clang-format on */

MQR_ISAL(sse, "sse", sse, sse, MQR_ISAL_ENTRY, plain);
MQR_ISAL(avx2, "avx2", avx, avx2, MQR_ISAL_ENTRY, avx);
MQR_ISAL(avx512, "avx512", avx512, avx512, MQR_ISAL_ENTRY, avx);
MQR_ISAL(avx2_gfni, "avx2-gfni", avx, avx2, MQR_ISAL_ENTRY_GFNI, avx);
MQR_ISAL(avx512_gfni, "avx512-gfni", avx512, avx512, MQR_ISAL_ENTRY_GFNI, avx);
