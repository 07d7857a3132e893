// SPDX-License-Identifier: GPL-2.0
/* Which geometries are refused, with what words, and the names of things. */
#include "unit.h"

#include "core/geometry.h"

static void refusals(void **state)
{
	static const struct {
		struct mqr_geo_params p;
		const char *word;
	} rows[] = {
		{{4, 5, 3, 128, 1000, {}}, "RAID 4 (4)"},
		{{-1, 0, 3, 128, 1000, {}}, "linear (-1)"},
		{{7, 0, 3, 128, 1000, {}}, "unknown level (7)"},
		{{5, 2, 2, 128, 1000, {}}, "RAID 5 of 2 members"},
		{{6, 2, 3, 128, 1000, {}}, "it takes 4 to 64"},
		{{1, 0, 65, 0, 1000, {}}, "RAID 1 of 65 members"},
		{{1, 0, 0, 0, 1000, {}}, "RAID 1 of 0 members"},
		{{0, 0, 0, 128, 0, {}}, "RAID 0 of 0 members"},
		{{10, 0x102, 1, 128, 1000, {}}, "RAID 10 of 1 members"},
		{{5, 2, 3, 4, 1000, {}}, "chunk of 4 sectors"},
		{{5, 2, 3, 4096, 1000, {}}, "up"},
		{{5, 2, 3, 24, 1000, {}}, "power of two"},
		{{10, 0x102, 3, 24, 1000, {}}, "power of two"},
		{{0, 0, 3, 12, 1000, {}}, "multiple of 8"},
		{{0, 0, 3, 0, 1000, {}}, "chunk of 0 sectors"},
		{{1, 0, 2, 128, 1000, {}}, "must be 0"},
		{{1, 1, 2, 0, 1000, {}}, "layout"},
		{{5, 6, 3, 128, 1000, {}}, "0 to 5"},
		{{6, 0, 4, 128, 1000, {}}, "left-asymmetric (0)"},
		{{6, 1, 4, 128, 1000, {}}, "right-asymmetric (1)"},
		{{6, 8, 4, 128, 1000, {}}, "ddf-zero-restart (8)"},
		{{6, 18, 4, 128, 1000, {}}, "left-symmetric-6 (18)"},
		{{10, 0x201, 4, 128, 1000, {}}, "far=2"},
		{{10, 0x10201, 4, 128, 1000, {}}, "offset=2"},
		{{10, 0x202, 4, 128, 1000, {}}, "near=2, far=2"},
		{{10, 0x101, 4, 128, 1000, {}}, "near=1"},
		{{10, 0x105, 4, 128, 1000, {}}, "near=5"},
		{{10, 0x002, 4, 128, 1000, {}}, "layout"},
		{{0, 3, 4, 128, 1000, {}}, "layout 3"},
		{{5, 2, 3, 128, 127, {}}, "127 sectors"},
		{{10, 0x102, 3, 128, 127, {}}, "127 sectors"},
		{{1, 0, 3, 0, 0, {}}, "0 sectors"},
		{{1, 0, 3, 0, (1ULL << 54) + 1, {}}, "2^54"},
		{{5, 2, 3, 128, 1ULL << 54, {}}, "2^54"},
		{{5, 2, 3, 128, ~0ULL, {}}, "2^54"},
		{{10, 0x102, 64, 8, ~0ULL, {}}, "2^54"},
	};
	struct mqr_geo *g = malloc(sizeof(*g));
	struct mqr_why why;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		why.text[0] = 0;
		assert_that(mqr_geo_init(g, &rows[i].p, &why) == -EINVAL,
			    "row %zu (%s)", i, rows[i].word);
		/* The whole reason has room. */
		assert_true(strlen(why.text) + 1 < sizeof(why.text));
		assert_because(&why, strcmp(rows[i].word, "up")
					     ? rows[i].word
					     : "to 2048 (1 MiB)");
	}
	free(g);
}

static void names(void **state)
{
	char buf[40];

	(void)state;
	assert_string_equal(mqr_level_name(6), "RAID 6");
	assert_string_equal(mqr_level_name(10), "RAID 10");
	assert_string_equal(mqr_level_name(99), "unknown level");
	assert_string_equal(mqr_layout_name(5, 2, buf, sizeof(buf)),
			    "left-symmetric");
	assert_string_equal(mqr_layout_name(10, 0x102, buf, sizeof(buf)),
			    "near=2");
	assert_string_equal(mqr_layout_name(1, 0, buf, sizeof(buf)), "");
	assert_string_equal(mqr_layout_name(0, 2, buf, sizeof(buf)),
			    "alternate");
	assert_string_equal(mqr_layout_name(6, 12, buf, sizeof(buf)), "12");
	assert_string_equal(mqr_layout_name(5, 4000000000u, buf, sizeof(buf)),
			    "4000000000");
	assert_string_equal(mqr_layout_name(10, ~0u, buf, 8), "near=25");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(refusals),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests_name("geo_refused", tests, NULL, NULL);
}
