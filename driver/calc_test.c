// SPDX-License-Identifier: GPL-2.0
/*
 * The proof that what computes parity here computes it right: all entries of
 * calc.h against the scalar reference, through the very static calls that
 * the driver will use.
 *
 * Every buffer lies between two guards.  After each operation everything is
 * looked at: the outputs must be right, the inputs and guards untouched.
 */
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "calc_impl.h"

#define MQR_TEST_GUARD 64
#define MQR_TEST_BYTES (MQR_CALC_PIECE + 2 * MQR_CALC_ALIGN)
#define MQR_TEST_SLOT (MQR_TEST_BYTES + 2 * MQR_TEST_GUARD)
#define MQR_TEST_GUARD_BYTE 0xa7

/* Which lengths: all multiples of the alignment, odd or not, and a cut one. */
static const u16 mqr_test_bytes[] = {64, 128, 192, 448, 512, 4096, 4224};
static const u8 mqr_test_k[] = {1, 2, 3, 4, 6, 8, 14, 30, 62};

struct mqr_test {
	const char *name;
	unsigned int k;
	size_t bytes;
	struct rnd_state rnd;
	/* k data blocks, P, Q: what is worked on, and what must come out */
	void *work[MQR_MAX_MEMBERS];
	void *gold[MQR_MAX_MEMBERS];
	/* where decoded and new blocks go */
	void *spare[2];
	struct mqr_calc_decode decode;
	u8 *area;
};

static void *mqr_test_slot(struct mqr_test *t, unsigned int i)
{
	return t->area + i * MQR_TEST_SLOT + MQR_TEST_GUARD;
}

static void mqr_test_guard(const struct mqr_test *t, void *buffer)
{
	memset(buffer - MQR_TEST_GUARD, MQR_TEST_GUARD_BYTE, MQR_TEST_GUARD);
	memset(buffer + t->bytes, MQR_TEST_GUARD_BYTE, MQR_TEST_GUARD);
}

static bool mqr_test_guarded(const struct mqr_test *t, const void *buffer)
{
	return !memchr_inv(buffer - MQR_TEST_GUARD, MQR_TEST_GUARD_BYTE,
			   MQR_TEST_GUARD) &&
	       !memchr_inv(buffer + t->bytes, MQR_TEST_GUARD_BYTE,
			   MQR_TEST_GUARD);
}

/* New random data, and the reference's parity of it. */
static void mqr_test_fill(struct mqr_test *t)
{
	unsigned int i;

	for (i = 0; i < t->k; i++)
		prandom_bytes_state(&t->rnd, t->gold[i], t->bytes);
	mqr_ref_pq(t->k, t->bytes, (u8 **)t->gold);
	for (i = 0; i < t->k + 2; i++) {
		memcpy(t->work[i], t->gold[i], t->bytes);
		mqr_test_guard(t, t->work[i]);
	}
	mqr_test_guard(t, t->spare[0]);
	mqr_test_guard(t, t->spare[1]);
}

static int mqr_test_fail(const struct mqr_test *t, const char *what,
			 const char *how)
{
	pr_err("mqraid: %s failed its test and is not used: %s %s, %u data "
	       "blocks of %zu bytes\n",
	       t->name, what, how, t->k, t->bytes);
	return -EIO;
}

/* Is everything as it should be after @what? */
static int mqr_test_verify(const struct mqr_test *t, const char *what)
{
	unsigned int i;

	for (i = 0; i < t->k + 2; i++) {
		if (!mqr_calc_equal(t->work[i], t->gold[i], t->bytes))
			return mqr_test_fail(t, what, "is wrong");
		if (!mqr_test_guarded(t, t->work[i]))
			return mqr_test_fail(t, what, "wrote too far");
	}
	if (!mqr_test_guarded(t, t->spare[0]) ||
	    !mqr_test_guarded(t, t->spare[1]))
		return mqr_test_fail(t, what, "wrote too far");
	return 0;
}

static void mqr_test_spoil(struct mqr_test *t, void *buffer)
{
	memset(buffer, 0x55, t->bytes);
}

/* P, Q and both, from all data. */
static int mqr_test_gen(struct mqr_test *t)
{
	void *p = t->work[t->k], *q = t->work[t->k + 1];
	int err;

	mqr_test_spoil(t, p);
	mqr_test_spoil(t, q);
	mqr_calc_pq(t->k, t->bytes, t->work);
	err = mqr_test_verify(t, "P and Q");
	if (err)
		return err;

	mqr_test_spoil(t, p);
	t->work[t->k + 1] = NULL;
	mqr_calc_gen(t->k, 2, t->bytes, t->work);
	t->work[t->k + 1] = q;
	err = mqr_test_verify(t, "P without Q");
	if (err)
		return err;

	mqr_test_spoil(t, q);
	t->work[t->k] = NULL;
	mqr_calc_gen(t->k, 2, t->bytes, t->work);
	t->work[t->k] = p;
	err = mqr_test_verify(t, "Q without P");
	if (err)
		return err;

	mqr_test_spoil(t, p);
	mqr_calc_xor(t->k, t->bytes, t->work);
	return mqr_test_verify(t, "xor");
}

/* Copies from any alignment, as user buffers have it. */
static int mqr_test_copy(struct mqr_test *t)
{
	static const u8 shift[] = {0, 4, 33, 64};
	size_t bytes = t->bytes - 64;
	const u8 *src;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(shift); i++) {
		src = (u8 *)t->work[0] + shift[i];
		memset(t->spare[0], MQR_TEST_GUARD_BYTE, t->bytes);
		mqr_calc_copy(t->spare[0], src, bytes);
		if (memcmp(t->spare[0], src, bytes) ||
		    memchr_inv(t->spare[0] + bytes, MQR_TEST_GUARD_BYTE, 64))
			return mqr_test_fail(t, "copy", "is wrong");
	}
	return mqr_test_verify(t, "copy");
}

/* Role @role changes; the parities of @which (bit 0: P, 1: Q) follow. */
static int mqr_test_delta(struct mqr_test *t, unsigned int role,
			  unsigned int which)
{
	unsigned int k = t->k;
	u8 *old = t->work[role], *new = t->spare[0];
	size_t i;

	prandom_bytes_state(&t->rnd, new, t->bytes);
	mqr_calc_delta(k, role, t->bytes, old, new,
		       which & 1 ? t->work[k] : NULL,
		       which & 2 ? t->work[k + 1] : NULL);

	/* The delta brings new back to old: so both can be checked. */
	for (i = 0; i < t->bytes; i++)
		old[i] ^= new[i];
	if (!mqr_calc_equal(old, t->gold[role], t->bytes))
		return mqr_test_fail(t, "delta", "is wrong");

	memcpy(old, new, t->bytes);
	for (i = 0; i < t->bytes; i++)
		new[i] ^= ((u8 *)t->gold[role])[i];
	mqr_ref_delta(role, t->bytes, new, which & 1 ? t->gold[k] : NULL,
		      which & 2 ? t->gold[k + 1] : NULL);
	memcpy(t->gold[role], old, t->bytes);
	return mqr_test_verify(t, "update of parity");
}

/* Recover @missing with @using into the spare blocks. */
static int mqr_test_decode(struct mqr_test *t, u64 missing, u64 using)
{
	struct mqr_calc_decode *c = &t->decode;
	void *src[MQR_MAX_MEMBERS];
	unsigned int i;

	if (mqr_calc_decode_init(c, t->k, missing, using))
		return mqr_test_fail(t, "decoding", "was refused");
	for (i = 0; i < c->d.sources; i++)
		src[i] = t->work[c->d.source[i]];
	mqr_calc_decode(c, t->bytes, src, t->spare);
	for (i = 0; i < c->d.targets; i++) {
		if (!mqr_calc_equal(t->spare[i], t->gold[c->d.target[i]],
				    t->bytes))
			return mqr_test_fail(t, "decoding", "is wrong");
	}
	return mqr_test_verify(t, "decoding");
}

/* Role @a alone by P and by Q, and with each @step-th role behind it. */
static int mqr_test_losses(struct mqr_test *t, unsigned int a,
			   unsigned int step)
{
	u64 p = BIT_ULL(t->k), q = BIT_ULL(t->k + 1);
	unsigned int b;
	int err;

	err = mqr_test_decode(t, BIT_ULL(a), p);
	if (!err)
		err = mqr_test_decode(t, BIT_ULL(a), q);
	for (b = a + 1; !err && b < t->k; b += step)
		err = mqr_test_decode(t, BIT_ULL(a) | BIT_ULL(b), p | q);
	return err;
}

/*
 * Each role has its own multiplication for Q: none may be left out.  The
 * updates pile up, in the reference as well.
 */
static int mqr_test_deltas(struct mqr_test *t, unsigned int step)
{
	unsigned int each = t->bytes == 64 ? 1 : step;
	unsigned int role, which;
	int err = 0;

	for (role = 0; !err && role < t->k; role += each)
		err = mqr_test_delta(t, role, 3);
	for (role = 0; !err && role < t->k; role += step) {
		for (which = 0; !err && which < 3; which++)
			err = mqr_test_delta(t, role, which);
	}
	return err;
}

/* @step: look at each @step-th role only */
static int mqr_test_shape(struct mqr_test *t, unsigned int step)
{
	unsigned int role;
	int err;

	mqr_test_fill(t);
	err = mqr_test_gen(t);
	if (!err)
		err = mqr_test_copy(t);
	for (role = 0; !err && role < t->k; role += step)
		err = mqr_test_losses(t, role, step);
	return err ?: mqr_test_deltas(t, step);
}

static void mqr_test_layout(struct mqr_test *t, unsigned int k, size_t bytes)
{
	unsigned int i;

	t->k = k;
	t->bytes = bytes;
	for (i = 0; i < k + 2; i++) {
		t->work[i] = mqr_test_slot(t, 2 * i);
		t->gold[i] = mqr_test_slot(t, 2 * i + 1);
	}
	t->spare[0] = mqr_test_slot(t, 2 * i);
	t->spare[1] = mqr_test_slot(t, 2 * i + 1);
}

/*
 * At load the reference has to be quick: long blocks for few roles, short
 * ones for many.
 */
static bool mqr_test_skip(unsigned int k, size_t bytes)
{
	return k > 8 ? bytes > 512 : bytes > 512 && k != 3 && k != 6;
}

static int mqr_test_shapes(struct mqr_test *t, bool thorough)
{
	unsigned int i, j, step;
	int err;

	for (i = 0; i < ARRAY_SIZE(mqr_test_k); i++) {
		for (j = 0; j < ARRAY_SIZE(mqr_test_bytes); j++) {
			if (!thorough &&
			    mqr_test_skip(mqr_test_k[i], mqr_test_bytes[j]))
				continue;
			mqr_test_layout(t, mqr_test_k[i], mqr_test_bytes[j]);
			step = thorough ? 1 + t->k / 16 : 1 + t->k / 3;
			err = mqr_test_shape(t, step);
			if (err)
				return err;
			cond_resched();
		}
	}
	return 0;
}

int mqr_calc_test(const char *name, bool thorough)
{
	struct mqr_test *t;
	int err = -ENOMEM;

	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	t->name = name;
	prandom_seed_state(&t->rnd, 0x6d7172);
	t->area =
		kvmalloc((2 * MQR_MAX_MEMBERS + 2) * MQR_TEST_SLOT, GFP_KERNEL);
	if (t->area)
		err = mqr_test_shapes(t, thorough);
	kvfree(t->area);
	kfree(t);
	return err;
}
