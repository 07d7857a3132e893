// SPDX-License-Identifier: GPL-2.0
/* Column plans against the brute-force model of the unit tests. */
#include "fuzz.h"

#include "plan_model.h"

/* Level and members of all geometries that the model can do. */
static const struct {
	int level;
	u32 disks;
} shapes[] = {
	{5, 3}, {5, 4}, {5, 5}, {5, 6}, {5, 7}, {5, 8}, {6, 4}, {6, 5},
	{6, 6}, {6, 7}, {6, 8}, {1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 8},
};

static const struct mqr_geo *shape(unsigned int which)
{
	static struct mqr_geo geo;
	static unsigned int now = ~0u;
	struct mqr_geo_params p = {
		.level = shapes[which].level,
		.layout = shapes[which].level == 1 ? 0 : MQR_LEFT_SYMMETRIC,
		.raid_disks = shapes[which].disks,
		.chunk_sectors = shapes[which].level == 1 ? 0 : 8,
		.member_sectors = 1024,
	};
	struct mqr_why why;

	if (which != now) {
		claim(!mqr_geo_init(&geo, &p, &why));
		plan_model_init(&geo);
		now = which;
	}
	return &geo;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input input = {data, size};
	const struct mqr_geo *g =
		shape((unsigned int)input_take(&input, 1) % ARRAY_SIZE(shapes));
	u64 blocks = BIT_ULL(g->data_roles) - 1;
	u64 roles = BIT_ULL(g->roles) - 1;
	struct mqr_col_plan plan;
	struct mqr_col_in in;
	const char *wrong;

	/* Several columns of one geometry. */
	do {
		in.full = input_take(&input, 1) & blocks;
		in.part = input_take(&input, 1) & blocks & ~in.full;
		in.want = input_take(&input, 1) & blocks;
		in.missing = input_take(&input, 1) & roles;
		in.heal = input_take(&input, 1) & in.missing;
		in.trusted = input_take(&input, 1) & 1;
		plan = mqr_plan_column(g, &in);
		wrong = plan_model_check(g, &in, &plan);
		if (wrong) {
			plan_model_print(&in, &plan);
			fprintf(stderr, "RAID %d of %u: %s\n", g->level,
				g->raid_disks, wrong);
			abort();
		}
	} while (input.size);
	return 0;
}
