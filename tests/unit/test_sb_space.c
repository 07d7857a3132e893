// SPDX-License-Identifier: GPL-2.0
/* Where mdadm puts data, bitmap and bad-block log. */
#include <inttypes.h>

#include "unit.h"

#include "core/superblock.h"

/* golden/space.txt was made with the real mdadm. */
static void as_mdadm(void **state)
{
	FILE *f = fopen(GOLDEN "/space.txt", "r");
	struct mqr_sb_space s;
	struct mqr_why why;
	char line[200];
	u64 sectors;
	u64 offset;
	u64 size;
	s32 bblog;
	u32 chunk;
	int lines = 0;
	int err;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#')
			continue;
		assert_int_equal(
			sscanf(line, "%" SCNu64 "%u%" SCNu64 "%" SCNu64 "%d",
			       &sectors, &chunk, &offset, &size, &bblog),
			5);
		err = mqr_sb_space(&s, sectors, chunk * 2, &why);
		assert_that(err == (offset ? 0 : -ENOSPC), "%s", line);
		lines++;
		if (err)
			continue;
		assert_that(s.data_offset == offset, "%s", line);
		assert_that(s.data_size == size, "%s", line);
		assert_int_equal(s.bblog_size, 8);
		assert_that(s.bblog_offset == bblog, "%s", line);
	}
	fclose(f);
	assert_true(lines >= 100);
}

/* For any size, everything is where the header says, or it is refused. */
static void any_size(void **state)
{
	static const u32 chunks[] = {0, 8, 24, 128, 1024, 2048};
	struct mqr_sb_space s;
	struct mqr_why why;
	u64 sectors;
	size_t c;

	(void)state;
	for (c = 0; c < ARRAY_SIZE(chunks); c++) {
		for (sectors = 0; sectors < 1ULL << 54;
		     sectors += sectors / 7 + 1) {
			why.text[0] = 0;
			if (mqr_sb_space(&s, sectors, chunks[c], &why)) {
				assert_because(&why, "too small");
				assert_true(sectors < 8192);
				continue;
			}
			assert_true(s.data_offset % 2048 == 0);
			assert_true(s.data_offset + s.data_size == sectors);
			assert_true(s.data_size >= chunks[c]);
			/* The bad-block log is behind the bitmap. */
			assert_true(s.bblog_offset ==
				    8 + (s32)s.bitmap_sectors);
			assert_true(MQR_SB_SECTOR + (u32)s.bblog_offset +
					    s.bblog_size <=
				    s.data_offset);
			assert_int_equal(s.bitmap_sectors % 8, 0);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_mdadm),
		cmocka_unit_test(any_size),
	};

	return cmocka_run_group_tests_name("sb_space", tests, NULL, NULL);
}
