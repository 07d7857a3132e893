// SPDX-License-Identifier: GPL-2.0
/* GF(2^8), recovery coefficients and the reference codes. */
#include "unit.h"

#include "core/gf.h"

#define BYTES 16

/* Multiplication from the definition: polynomials modulo 0x11d. */
static u8 slow_mul(u8 a, u8 b)
{
	unsigned int product = 0;
	int i;

	for (i = 0; i < 8; i++)
		if (b >> i & 1)
			product ^= (unsigned int)a << i;
	for (i = 14; i >= 8; i--)
		if (product >> i & 1)
			product ^= 0x11du << (i - 8);
	return (u8)product;
}

static void mul_is_polynomial_product(void **state)
{
	unsigned int a;
	unsigned int b;

	(void)state;
	for (a = 0; a < 256; a++)
		for (b = 0; b < 256; b++)
			assert_int_equal(mqr_gf_mul((u8)a, (u8)b),
					 slow_mul((u8)a, (u8)b));
}

static void exp_is_repeated_doubling(void **state)
{
	u8 power = 1;
	unsigned int n;

	(void)state;
	for (n = 0; n < 600; n++) {
		assert_int_equal(mqr_gf_exp(n), power);
		power = slow_mul(power, 2);
	}
}

static void inverses(void **state)
{
	unsigned int a;

	(void)state;
	assert_int_equal(mqr_gf_inv(0), 0);
	for (a = 1; a < 256; a++)
		assert_int_equal(slow_mul((u8)a, mqr_gf_inv((u8)a)), 1);
}

/* Values that can be found in descriptions of RAID 6. */
static void known_values(void **state)
{
	(void)state;
	assert_int_equal(mqr_gf_exp(7), 0x80);
	assert_int_equal(mqr_gf_exp(8), 0x1d);
	assert_int_equal(mqr_gf_exp(9), 0x3a);
	assert_int_equal(mqr_gf_exp(254), 0x8e);
	assert_int_equal(mqr_gf_inv(2), 0x8e);
	assert_int_equal(mqr_gf_mul(0x80, 2), 0x1d);
	assert_int_equal(mqr_gf_mul(0xff, 0xff), 0xe2);
}

struct row {
	u8 block[MQR_MAX_MEMBERS][BYTES];
	u8 *v[MQR_MAX_MEMBERS];
};

static void row_fill(struct row *r, unsigned int k, u64 seed)
{
	unsigned int i;
	unsigned int b;

	for (i = 0; i < MQR_MAX_MEMBERS; i++) {
		r->v[i] = r->block[i];
		for (b = 0; b < BYTES; b++)
			r->block[i][b] = (u8)unit_random(&seed);
	}
	mqr_ref_pq(k, BYTES, r->v);
}

static void codes_by_hand(void **state)
{
	u8 d[3][1] = {{0x01}, {0x02}, {0x80}};
	u8 p[1] = {0};
	u8 q[1] = {0};
	u8 *v[5] = {d[0], d[1], d[2], p, q};

	(void)state;
	mqr_ref_pq(3, 1, v);
	assert_int_equal(p[0], 0x83);
	/* 1 + 2 * 2 + 4 * 0x80 = 1 + 4 + 0x3a */
	assert_int_equal(q[0], 0x3f);

	v[3] = NULL;
	q[0] = 0;
	mqr_ref_pq(3, 1, v);
	assert_int_equal(q[0], 0x3f);
	v[4] = NULL;
	mqr_ref_pq(3, 1, v);
}

static void delta_equals_new_code(void **state)
{
	struct row a;
	struct row b;
	u8 delta[BYTES];
	unsigned int role;
	unsigned int i;

	(void)state;
	for (role = 0; role < 6; role++) {
		row_fill(&a, 6, 1);
		row_fill(&b, 6, 1);
		for (i = 0; i < BYTES; i++) {
			delta[i] = (u8)(37 * i + role + 1);
			b.block[role][i] ^= delta[i];
		}
		mqr_ref_pq(6, BYTES, b.v);
		mqr_ref_delta(role, BYTES, delta, a.v[6], NULL);
		mqr_ref_delta(role, BYTES, delta, NULL, a.v[7]);
		assert_memory_equal(a.v[6], b.v[6], BYTES);
		assert_memory_equal(a.v[7], b.v[7], BYTES);
	}
}

static void check_decode(unsigned int k, u64 missing, u64 using)
{
	struct row r;
	struct mqr_decode d;
	u8 out[2][BYTES];
	u8 *dst[2] = {out[0], out[1]};
	u8 *src[MQR_MAX_MEMBERS];
	u64 readable = (unit_mask(k) & ~missing) | using;
	u64 seen = 0;
	unsigned int i;

	row_fill(&r, k, k * 1000 + missing);
	assert_int_equal(mqr_decode_init(&d, k, missing, using), 0);
	assert_int_equal(d.targets, hweight64(missing));
	assert_int_equal(d.sources, k);
	for (i = 0; i < d.sources; i++) {
		assert_true(!i || d.source[i] > d.source[i - 1]);
		seen |= BIT_ULL(d.source[i]);
		src[i] = r.v[d.source[i]];
	}
	assert_true(seen == readable);
	mqr_ref_decode(&d, BYTES, src, dst);
	for (i = 0; i < d.targets; i++)
		assert_memory_equal(out[i], r.v[d.target[i]], BYTES);
}

static void decode_recovers_everything(void **state)
{
	static const unsigned int ks[] = {1, 2, 3, 4, 5, 8, 13, 61, 62};
	unsigned int n;
	unsigned int k;
	unsigned int x;
	unsigned int y;

	(void)state;
	for (n = 0; n < ARRAY_SIZE(ks); n++) {
		k = ks[n];
		for (x = 0; x < k; x++) {
			check_decode(k, BIT_ULL(x), BIT_ULL(k));
			check_decode(k, BIT_ULL(x), BIT_ULL(k + 1));
			for (y = 0; y < x; y++)
				check_decode(k, BIT_ULL(x) | BIT_ULL(y),
					     3ULL << k);
		}
	}
}

static void decode_refuses_nonsense(void **state)
{
	struct mqr_decode d;

	(void)state;
	assert_int_equal(mqr_decode_init(&d, 4, 0, 0), -EINVAL);
	assert_int_equal(mqr_decode_init(&d, 4, 0x7, 0x30), -EINVAL);
	assert_int_equal(mqr_decode_init(&d, 4, 0x1, 0x30), -EINVAL);
	assert_int_equal(mqr_decode_init(&d, 4, 0x3, 0x10), -EINVAL);
	assert_int_equal(mqr_decode_init(&d, 4, 0x1, 0x40), -EINVAL);
	assert_int_equal(mqr_decode_init(&d, 4, 0x1, 0x02), -EINVAL);
	assert_int_equal(mqr_decode_init(&d, 4, 0x10, 0x20), -EINVAL);
	assert_int_equal(mqr_decode_init(&d, 0, 0x1, 0x1), -EINVAL);
	/* 63 data roles leave room for P alone. */
	assert_int_equal(mqr_decode_init(&d, 63, 0x1, 1ULL << 63), 0);
	assert_int_equal(d.sources, 63);
	assert_int_equal(mqr_decode_init(&d, 63, 0x3, 3ULL << 62), -EINVAL);
	assert_int_equal(mqr_decode_init(&d, 64, 0x1, 1ULL << 63), -EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(mul_is_polynomial_product),
		cmocka_unit_test(exp_is_repeated_doubling),
		cmocka_unit_test(inverses),
		cmocka_unit_test(known_values),
		cmocka_unit_test(codes_by_hand),
		cmocka_unit_test(delta_equals_new_code),
		cmocka_unit_test(decode_recovers_everything),
		cmocka_unit_test(decode_refuses_nonsense),
	};

	return cmocka_run_group_tests_name("gf", tests, NULL, NULL);
}
