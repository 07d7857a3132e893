// SPDX-License-Identifier: GPL-2.0
/*
 * The pure parts of the load generator, tests/bench/mqrgen: its options, its
 * histogram, and the text of its figures.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* They know neither of the core nor of its platform.h. */
#include "../bench/mqrgen_hist.c"
#include "../bench/mqrgen_options.c"
#include "../bench/mqrgen_report.c"

static struct mqrgen_options opt;
static struct mqrgen_refusal why;
static char text[4096];

static int parse(const char *words)
{
	snprintf(text, sizeof(text), "%s", words);
	return mqrgen_options_parse(text, &opt, &why);
}

static void options_have_presets(void **state)
{
	(void)state;
	assert_int_equal(parse("dev=/dev/a"), 0);
	assert_int_equal(opt.nr_devs, 1);
	assert_string_equal(opt.dev[0], "/dev/a");
	assert_int_equal(opt.op, MQRGEN_READ);
	assert_int_equal(opt.pattern, MQRGEN_SEQ);
	assert_int_equal(opt.rwmix, 70);
	assert_int_equal(opt.bs, 4096);
	assert_int_equal(opt.qd, 64);
	assert_int_equal(opt.threads, 2);
	assert_int_equal(opt.ms, 1000);
	assert_int_equal(opt.plug, 1);
	assert_int_equal(opt.lat, 0);
	assert_int_equal(opt.fua, 0);
	assert_int_equal(opt.span_mb, 0);
	assert_int_equal(opt.seed, 1);
}

static void options_are_read(void **state)
{
	(void)state;
	assert_int_equal(parse(" op=mix\tdev=/dev/a,/dev/b  rwmix=30 "
			       "pattern=rand bs=128K qd=1 threads=3 ms=0 "
			       "plug=0 lat=1 fua=1 span_mb=64 "
			       "seed=18446744073709551615\n"),
			 0);
	assert_int_equal(opt.nr_devs, 2);
	assert_string_equal(opt.dev[0], "/dev/a");
	assert_string_equal(opt.dev[1], "/dev/b");
	assert_int_equal(opt.op, MQRGEN_MIX);
	assert_int_equal(opt.pattern, MQRGEN_RAND);
	assert_int_equal(opt.rwmix, 30);
	assert_int_equal(opt.bs, 128 << 10);
	assert_int_equal(opt.qd, 1);
	assert_int_equal(opt.threads, 3);
	assert_int_equal(opt.ms, 0);
	assert_int_equal(opt.plug, 0);
	assert_int_equal(opt.lat, 1);
	assert_int_equal(opt.fua, 1);
	assert_int_equal(opt.span_mb, 64);
	assert_true(opt.seed == U64_MAX);
}

static void options_refused(void **state)
{
	/* words, the one that is named, what is said about it */
	static const char *const rows[][3] = {
		{"op=read", "dev=", "dev is PATH"},
		{"", "dev=", "dev is PATH"},
		{"dev=", "dev=", "dev is PATH"},
		{"dev=/dev/a,", "dev=/dev/a,", "dev is PATH"},
		{"dev=/dev/a op=erase", "op=erase",
		 "op is read or write or mix"},
		{"dev=/dev/a op=", "op=", "op is read"},
		{"dev=/dev/a pattern=zip", "pattern=zip",
		 "pattern is seq or rand"},
		{"dev=/dev/a size=4096", "size=4096", "the keys are dev op"},
		{"dev=/dev/a =1", "=1", "the keys are dev"},
		{"dev=/dev/a fast", "fast", " seed"},
		{"dev=/dev/a bs=1000", "bs=1000",
		 "512 to 16777216, a multiple of 512"},
		{"dev=/dev/a bs=0", "bs=0", "512 to"},
		{"dev=/dev/a bs=17M", "bs=17M", "512 to"},
		{"dev=/dev/a bs=K", "bs=K", "512 to"},
		{"dev=/dev/a bs=4Kb", "bs=4Kb", "512 to"},
		{"dev=/dev/a bs=4KK", "bs=4KK", "512 to"},
		{"dev=/dev/a qd=0", "qd=0", "qd is a number from 1 to 4096"},
		{"dev=/dev/a qd=-1", "qd=-1", "1 to 4096"},
		{"dev=/dev/a threads=257", "threads=257", "1 to 256"},
		{"dev=/dev/a rwmix=101", "rwmix=101", "0 to 100"},
		{"dev=/dev/a plug=yes", "plug=yes", "0 to 1"},
		{"dev=/dev/a seed=18446744073709551616",
		 "seed=18446744073709551616", "0 to 18446744073709551615"},
		{"dev=/dev/a seed=18014398509481984M",
		 "seed=18014398509481984M", "seed is"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_int_equal(parse(rows[i][0]), -EINVAL);
		assert_string_equal(why.word, rows[i][1]);
		if (!strstr(why.accepted, rows[i][2]))
			fail_msg("'%s': '%s'", rows[i][0], why.accepted);
	}
}

static void options_have_so_many_devices(void **state)
{
	char words[1024] = "dev=a";
	int i;

	(void)state;
	for (i = 1; i < MQRGEN_MAX_DEVS; i++)
		strcat(words, ",a");
	assert_int_equal(parse(words), 0);
	assert_int_equal(opt.nr_devs, MQRGEN_MAX_DEVS);
	strcat(words, ",a");
	assert_int_equal(parse(words), -EINVAL);
	assert_int_equal(strlen(why.word), sizeof(why.word) - 1);
}

/* ------------------------------------------------------------------------ */

static struct mqrgen_hist hist, before;

static void hist_buckets_follow_each_other(void **state)
{
	u64 width, low, next = 0;
	u32 i;

	(void)state;
	for (i = 0; i < MQRGEN_HIST_BUCKETS; i++) {
		low = mqrgen_hist_low(i, &width);
		assert_true(low == next);
		assert_int_equal(mqrgen_hist_index(low), i);
		assert_int_equal(mqrgen_hist_index(low + width - 1), i);
		/* 3 % or exact */
		assert_true(width == 1 || width * 32 <= low);
		next = low + width;
	}
	assert_true(next == 1ULL << MQRGEN_HIST_BITS);
	assert_int_equal(mqrgen_hist_index(U64_MAX), MQRGEN_HIST_BUCKETS - 1);
}

static void hist_of_nothing(void **state)
{
	(void)state;
	memset(&hist, 0, sizeof(hist));
	assert_int_equal(mqrgen_hist_mean(&hist), 0);
	assert_int_equal(mqrgen_hist_percentile(&hist, 500), 0);
	assert_int_equal(mqrgen_hist_percentile(&hist, 999), 0);
}

static void hist_percentiles(void **state)
{
	u64 ns, p;

	(void)state;
	memset(&hist, 0, sizeof(hist));
	for (ns = 1; ns <= 10000; ns++)
		mqrgen_hist_add(&hist, ns);
	assert_int_equal(mqrgen_hist_count(&hist), 10000);
	assert_int_equal(mqrgen_hist_mean(&hist), 5000);
	p = mqrgen_hist_percentile(&hist, 500);
	assert_in_range(p, 4850, 5150);
	p = mqrgen_hist_percentile(&hist, 990);
	assert_in_range(p, 9600, 10000);
	p = mqrgen_hist_percentile(&hist, 999);
	assert_in_range(p, 9690, 10000);
	assert_int_equal(hist.max, 10000);
}

static void hist_of_one_value(void **state)
{
	(void)state;
	memset(&hist, 0, sizeof(hist));
	mqrgen_hist_add(&hist, 1000001);
	/* The middle of a bucket isn't more than what there was. */
	assert_true(mqrgen_hist_percentile(&hist, 1) <= 1000001);
	assert_true(mqrgen_hist_percentile(&hist, 999) <= 1000001);
	memset(&hist, 0, sizeof(hist));
	mqrgen_hist_add(&hist, U64_MAX >> 1);
	assert_true(mqrgen_hist_percentile(&hist, 500) == U64_MAX >> 1);
}

static void hist_merges_and_subtracts(void **state)
{
	struct mqrgen_hist *other = &before;

	(void)state;
	memset(&hist, 0, sizeof(hist));
	memset(other, 0, sizeof(*other));
	mqrgen_hist_add(other, 5000000);
	mqrgen_hist_merge(&hist, other);
	mqrgen_hist_add(&hist, 10);
	mqrgen_hist_add(&hist, 20);
	assert_int_equal(mqrgen_hist_count(&hist), 3);
	assert_int_equal(hist.max, 5000000);
	mqrgen_hist_since(&hist, other);
	assert_int_equal(mqrgen_hist_count(&hist), 2);
	assert_int_equal(hist.sum, 30);
	assert_int_equal(hist.max, 20);
}

/* ------------------------------------------------------------------------ */

static struct mqrgen_totals now, then;

static void totals_are_printed(void **state)
{
	(void)state;
	memset(&now, 0, sizeof(now));
	now.running = true;
	now.ns = 5;
	now.read_ios = 3;
	now.write_ios = 4;
	now.bytes = 6 * 4096;
	now.errors = 1;
	mqrgen_totals_print(&now, text, sizeof(text));
	assert_string_equal(text, "running=1\nns=5\nios=7\nbytes=24576\n"
				  "read_ios=3\nwrite_ios=4\nerrors=1\n");
	now.lat = true;
	mqrgen_hist_add(&now.hist, 10);
	mqrgen_totals_print(&now, text, sizeof(text));
	assert_non_null(strstr(text, "errors=1\nlat_mean_ns=10\nlat_p50_ns=10\n"
				     "lat_p99_ns=10\nlat_p999_ns=10\n"
				     "lat_max_ns=10\n"));
	/* Too long is seen, and not written. */
	text[20] = '!';
	assert_true(mqrgen_totals_print(&now, text, 20) >= 20);
	assert_int_equal(text[20], '!');
}

static void totals_of_an_interval(void **state)
{
	(void)state;
	memset(&now, 0, sizeof(now));
	now.ns = 10;
	now.read_ios = 20;
	now.bytes = 30;
	then = now;
	now.ns = 15;
	now.write_ios = 7;
	now.bytes = 37;
	now.errors = 1;
	mqrgen_totals_since(&now, &then);
	assert_int_equal(now.ns, 5);
	assert_int_equal(now.read_ios, 0);
	assert_int_equal(now.write_ios, 7);
	assert_int_equal(now.bytes, 7);
	assert_int_equal(now.errors, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_have_presets),
		cmocka_unit_test(options_are_read),
		cmocka_unit_test(options_refused),
		cmocka_unit_test(options_have_so_many_devices),
		cmocka_unit_test(hist_buckets_follow_each_other),
		cmocka_unit_test(hist_of_nothing),
		cmocka_unit_test(hist_percentiles),
		cmocka_unit_test(hist_of_one_value),
		cmocka_unit_test(hist_merges_and_subtracts),
		cmocka_unit_test(totals_are_printed),
		cmocka_unit_test(totals_of_an_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
