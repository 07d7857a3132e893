// SPDX-License-Identifier: GPL-2.0
/*
 * Parity arithmetic: the choice of what computes, and the easy cases.
 *
 * The implementation is called through static calls, which are patched once,
 * in mqr_calc_init().  It is used only after it has agreed with the scalar
 * reference on this very machine: a wrong parity shows up years later, when
 * a drive is lost, so nothing that computes it is taken on trust.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/static_call.h>

#include "calc_impl.h"

static char *calc = "auto";
module_param(calc, charp, 0444);
MODULE_PARM_DESC(calc, "what computes parity: auto, isal, kernel, or a name "
		       "from the log such as isal-avx2");

static bool calc_selftest;
module_param(calc_selftest, bool, 0444);
MODULE_PARM_DESC(calc_selftest,
		 "at load, test all that can compute parity, and at length");

/* Fastest first. */
static const struct mqr_calc_ops *const mqr_calc_candidates[] = {
#ifdef MQR_WITH_ISAL
	&mqr_isal_avx512_gfni, &mqr_isal_avx512, &mqr_isal_avx2_gfni,
	&mqr_isal_avx2,	       &mqr_isal_sse,
#endif
#ifdef MQR_WITH_KERNEL_LIB
	&mqr_kernel_lib,
#endif
};

static const struct mqr_calc_ops *mqr_calc_ops;

struct mqr_scratch __percpu *mqr_scratch;

DEFINE_STATIC_CALL_NULL(mqr_xor, mqr_xor_fn);
DEFINE_STATIC_CALL_NULL(mqr_pq, mqr_pq_fn);
DEFINE_STATIC_CALL_NULL(mqr_q, mqr_q_fn);
DEFINE_STATIC_CALL_NULL(mqr_delta, mqr_delta_fn);
DEFINE_STATIC_CALL_NULL(mqr_decode, mqr_decode_fn);
DEFINE_STATIC_CALL_NULL(mqr_copy, mqr_copy_fn);

/* at[i] = v[i] + @bytes for @n pointers; NULL stays NULL. */
static void mqr_calc_advance(void **at, void *const *v, unsigned int n,
			     size_t bytes)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		at[i] = v[i] ? v[i] + bytes : NULL;
}

static noinline void mqr_calc_xor_long(unsigned int sources, size_t bytes,
				       void **v)
{
	void *at[MQR_MAX_MEMBERS + 1];
	size_t done, piece;

	for (done = 0; done < bytes; done += piece) {
		piece = min_t(size_t, bytes - done, MQR_CALC_PIECE);
		mqr_calc_advance(at, v, sources + 1, done);
		mqr_calc_xor(sources, piece, at);
	}
}

void mqr_calc_xor(unsigned int sources, size_t bytes, void **v)
{
	if (WARN_ON_ONCE(sources > MQR_MAX_MEMBERS || bytes % MQR_CALC_ALIGN))
		return;
	if (sources == 1)
		mqr_calc_copy(v[1], v[0], bytes);
	else if (bytes > MQR_CALC_PIECE)
		mqr_calc_xor_long(sources, bytes, v);
	else if (bytes)
		static_call(mqr_xor)(sources, bytes, v);
}

static noinline void mqr_calc_gen_long(unsigned int k, unsigned int parities,
				       size_t bytes, void **v)
{
	void *at[MQR_MAX_MEMBERS + 1];
	size_t done, piece;

	for (done = 0; done < bytes; done += piece) {
		piece = min_t(size_t, bytes - done, MQR_CALC_PIECE);
		mqr_calc_advance(at, v, k + parities, done);
		mqr_calc_gen(k, parities, piece, at);
	}
}

void mqr_calc_gen(unsigned int k, unsigned int parities, size_t bytes, void **v)
{
	void *p = v[k];
	void *q = parities > 1 ? v[k + 1] : NULL;

	if (WARN_ON_ONCE(k + parities > MQR_MAX_MEMBERS ||
			 bytes % MQR_CALC_ALIGN))
		return;
	if (!bytes || (!p && !q))
		return;
	if (bytes > MQR_CALC_PIECE) {
		mqr_calc_gen_long(k, parities, bytes, v);
	} else if (k == 1) {
		if (p)
			mqr_calc_copy(p, v[0], bytes);
		if (q)
			mqr_calc_copy(q, v[0], bytes);
	} else if (!q) {
		static_call(mqr_xor)(k, bytes, v);
	} else if (!p) {
		static_call(mqr_q)(k, bytes, v);
	} else {
		static_call(mqr_pq)(k, bytes, v);
	}
}

void mqr_calc_pq(unsigned int k, size_t bytes, void **v)
{
	mqr_calc_gen(k, 2, bytes, v);
}

void mqr_calc_delta(unsigned int k, unsigned int role, size_t bytes, void *old,
		    void *new, void *p, void *q)
{
	size_t done, piece;

	if (WARN_ON_ONCE(role >= k || k > MQR_MAX_MEMBERS ||
			 bytes % MQR_CALC_ALIGN))
		return;
	for (done = 0; done < bytes; done += piece) {
		piece = min_t(size_t, bytes - done, MQR_CALC_PIECE);
		static_call(mqr_delta)(k, role, piece, old + done, new + done,
				       p ? p + done : NULL,
				       q ? q + done : NULL);
	}
}

void mqr_calc_copy(void *dst, const void *src, size_t bytes)
{
	static_call(mqr_copy)(dst, src, bytes);
}

bool mqr_calc_equal(const void *a, const void *b, size_t bytes)
{
	const u64 *x = a, *y = b;
	size_t i;

	/* The kernel's memcmp() goes byte by byte on some architectures. */
	for (i = 0; i < bytes / sizeof(u64); i += 8) {
		if ((x[i] ^ y[i]) | (x[i + 1] ^ y[i + 1]) |
		    (x[i + 2] ^ y[i + 2]) | (x[i + 3] ^ y[i + 3]) |
		    (x[i + 4] ^ y[i + 4]) | (x[i + 5] ^ y[i + 5]) |
		    (x[i + 6] ^ y[i + 6]) | (x[i + 7] ^ y[i + 7]))
			return false;
	}
	return true;
}

/* Does recovery need P alone?  Then it is an xor of all sources. */
static bool mqr_calc_decode_by_p(const struct mqr_calc_decode *c)
{
	return c->d.targets == 1 && c->d.source[c->d.sources - 1] == c->k;
}

int mqr_calc_decode_init(struct mqr_calc_decode *c, unsigned int k, u64 missing,
			 u64 using)
{
	int err;

	/* Callers keep it in a page. */
	BUILD_BUG_ON(sizeof(*c) > 4096);

	c->k = k;
	err = mqr_decode_init(&c->d, k, missing, using);
	if (err)
		return err;
	if (!mqr_calc_decode_by_p(c) && mqr_calc_ops->expand)
		mqr_calc_ops->expand(mqr_calc_ops, c);
	return 0;
}

static noinline void mqr_calc_decode_long(const struct mqr_calc_decode *c,
					  size_t bytes, void **src, void **dst)
{
	void *from[MQR_MAX_MEMBERS], *to[2];
	size_t done, piece;

	for (done = 0; done < bytes; done += piece) {
		piece = min_t(size_t, bytes - done, MQR_CALC_PIECE);
		mqr_calc_advance(from, src, c->d.sources, done);
		mqr_calc_advance(to, dst, c->d.targets, done);
		mqr_calc_decode(c, piece, from, to);
	}
}

static noinline void mqr_calc_decode_xor(const struct mqr_calc_decode *c,
					 size_t bytes, void **src, void **dst)
{
	void *v[MQR_MAX_MEMBERS + 1];

	memcpy(v, src, c->d.sources * sizeof(*v));
	v[c->d.sources] = dst[0];
	mqr_calc_xor(c->d.sources, bytes, v);
}

void mqr_calc_decode(const struct mqr_calc_decode *c, size_t bytes, void **src,
		     void **dst)
{
	if (WARN_ON_ONCE(bytes % MQR_CALC_ALIGN))
		return;
	/* One data role: P and Q are copies of it. */
	if (c->k == 1)
		mqr_calc_copy(dst[0], src[0], bytes);
	else if (mqr_calc_decode_by_p(c))
		mqr_calc_decode_xor(c, bytes, src, dst);
	else if (bytes > MQR_CALC_PIECE)
		mqr_calc_decode_long(c, bytes, src, dst);
	else if (bytes)
		static_call(mqr_decode)(c, bytes, src, dst);
}

const char *mqr_calc_name(void)
{
	return mqr_calc_ops->name;
}

/* Is @ops what the module parameter asks for? */
static bool mqr_calc_wanted(const struct mqr_calc_ops *ops)
{
	size_t n = strlen(calc);

	if (!strcmp(calc, "auto") || !strcmp(calc, ops->name))
		return true;
	/* A family: "isal" stands for all of "isal-...". */
	return !strncmp(calc, ops->name, n) && ops->name[n] == '-';
}

static void mqr_calc_install(const struct mqr_calc_ops *ops)
{
	if (ops->prepare)
		ops->prepare(ops);
	static_call_update(mqr_xor, ops->xor_all);
	static_call_update(mqr_pq, ops->pq);
	static_call_update(mqr_q, ops->q);
	static_call_update(mqr_delta, ops->delta);
	static_call_update(mqr_decode, ops->decode);
	static_call_update(mqr_copy, ops->copy);
	mqr_calc_ops = ops;
}

/*
 * Find the fastest candidate that passes its test; NULL if there is none, or
 * an ERR_PTR.  With calc_selftest the others are tested as well, so that the
 * one that is found need not be the one that is installed.
 */
static const struct mqr_calc_ops *mqr_calc_find(void)
{
	const struct mqr_calc_ops *ops, *best = NULL;
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(mqr_calc_candidates); i++) {
		ops = mqr_calc_candidates[i];
		if (!mqr_calc_wanted(ops) || !ops->usable())
			continue;
		mqr_calc_install(ops);
		err = mqr_calc_test(ops->name, calc_selftest);
		if (err == -ENOMEM)
			return ERR_PTR(err);
		if (err)
			continue;
		if (!calc_selftest)
			return ops;
		pr_info("mqraid: %s passed its test\n", ops->name);
		best = best ?: ops;
	}
	return best;
}

int mqr_calc_init(void)
{
	const struct mqr_calc_ops *best;
	int err;

	mqr_scratch = alloc_percpu(struct mqr_scratch);
	if (!mqr_scratch)
		return -ENOMEM;

	best = mqr_calc_find();
	err = PTR_ERR_OR_ZERO(best);
	if (err)
		goto out_scratch;
	if (!best) {
		pr_err("mqraid: calc=%s: nothing of this name works on this "
		       "machine; calc=auto takes the best that does\n",
		       calc);
		err = -ENODEV;
		goto out_scratch;
	}
	if (best != mqr_calc_ops)
		mqr_calc_install(best);
	pr_info("mqraid: parity is computed by %s\n", best->name);
	return 0;

out_scratch:
	free_percpu(mqr_scratch);
	return err;
}

void mqr_calc_exit(void)
{
	free_percpu(mqr_scratch);
}
