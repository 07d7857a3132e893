// SPDX-License-Identifier: GPL-2.0
/* Any parameters, and any place in the array that they describe. */
#include "fuzz.h"

#include "core/geometry.h"

static struct mqr_geo geo;

/* Numbers that are likely to mean something, but may be anything. */
static void take_params(struct input *in, struct mqr_geo_params *p)
{
	static const int levels[] = {0, 1, 5, 6, 10};
	static const u32 layouts[] = {2, 0, 1, 3, 4, 5, 0x102, 0x103};
	u8 plain = (u8)input_take(in, 1);
	u32 unit;
	u32 i;

	memset(p, 0, sizeof(*p));
	p->level = levels[plain % ARRAY_SIZE(levels)];
	p->layout = layouts[(plain >> 3) % ARRAY_SIZE(layouts)];
	p->raid_disks = (u32)input_take(in, 1) % 80;
	p->chunk_sectors = 8u << input_take(in, 1) % 12;
	if (plain & 64) {
		p->level = (signed char)input_take(in, 1);
		p->layout = (u32)input_take(in, 4);
		p->chunk_sectors = (u32)input_take(in, 4);
	}
	p->member_sectors = input_take(in, 8);
	if (p->level == 1 && !(plain & 64))
		p->chunk_sectors = 0;
	unit = plain & 128 ? 1u << 31 : 1;
	for (i = 0; i < p->raid_disks && i < MQR_MAX_MEMBERS; i++)
		p->slot_sectors[i] = input_take(in, 2) * unit + i;
}

static void check_raid0(u64 sector)
{
	struct mqr_loc loc = mqr_geo_raid0(&geo, sector);
	struct mqr_loc next;

	claim(loc.slot < geo.raid_disks);
	claim(loc.sectors > 0);
	claim(loc.sector < geo.member_sectors);
	claim(loc.sectors <= geo.member_sectors - loc.sector);
	/* The next sector follows as long as the run says so. */
	if (sector + 1 == geo.array_sectors)
		return;
	next = mqr_geo_raid0(&geo, sector + 1);
	if (loc.sectors > 1) {
		claim(next.slot == loc.slot);
		claim(next.sector == loc.sector + 1);
	} else if (geo.zones == 1) {
		/* Across zones, it may happen to. */
		claim(next.slot != loc.slot || next.sector != loc.sector + 1);
	}
}

/* All roles of a row are on different slots, at the row's place. */
static void check_row(u64 row)
{
	u64 used = 0;
	u64 sector;
	u32 role;
	u32 slot;

	for (role = 0; role < geo.roles; role++) {
		slot = mqr_geo_slot(&geo, row, role);
		claim(slot < geo.raid_disks);
		claim(!(used >> slot & 1));
		used |= BIT_ULL(slot);
		claim(mqr_geo_role(&geo, row, slot) == (int)role);
		sector = mqr_geo_role_sector(&geo, row, role);
		claim(sector < geo.member_sectors);
		claim(mqr_geo_chunk_len(&geo, row) <=
		      geo.member_sectors - sector);
	}
	for (slot = 0; slot < geo.raid_disks; slot++)
		if (!(used >> slot & 1))
			claim(mqr_geo_role(&geo, row, slot) == -1);
	claim(!geo.row_sectors || geo.parities + geo.data_roles == geo.roles ||
	      geo.mirror);
}

static void check_position(u64 sector)
{
	struct mqr_pos pos = mqr_geo_pos(&geo, sector);

	claim(pos.row < geo.rows);
	claim(pos.role < geo.data_roles);
	claim(pos.offset < mqr_geo_chunk_len(&geo, pos.row));
	claim(mqr_geo_sector(&geo, pos) == sector);
	check_row(pos.row);
}

static void check_progress(u64 member, u64 row)
{
	u64 rows = mqr_geo_rows_before(&geo, member);

	claim(rows <= geo.rows);
	claim(mqr_geo_member_done(&geo, rows) <= member);
	row %= geo.rows + 1;
	claim(mqr_geo_member_done(&geo, row) <= geo.member_sectors);
	claim(mqr_geo_rows_before(&geo, mqr_geo_member_done(&geo, row)) <= row);
	claim(mqr_geo_rows_resynced(&geo, member) <= geo.rows);
	claim(mqr_geo_rows_resynced(&geo, mqr_geo_resync_done(&geo, row)) ==
	      row);
}

static void check_names(const struct mqr_geo_params *p)
{
	char buf[24];

	claim(mqr_level_name(p->level));
	claim(mqr_layout_name(p->level, p->layout, buf, sizeof(buf)));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = {data, size};
	struct mqr_geo_params p;
	struct mqr_why why = {""};
	u64 missing;
	u64 sector;
	int i;

	take_params(&in, &p);
	check_names(&p);
	if (mqr_geo_init(&geo, &p, &why)) {
		claim(why.text[0]);
		return 0;
	}
	claim(!mqr_geo_check(&p, &why));
	claim(geo.array_sectors && geo.array_sectors <= 1ULL << 54);
	claim(geo.raid_disks == p.raid_disks);
	missing = input_take(&in, 8);
	if (hweight64(missing) <= geo.tolerance)
		claim(mqr_geo_survives(&geo, missing));
	for (i = 0; i < 8; i++) {
		sector = input_take(&in, 8) % geo.array_sectors;
		if (i == 0)
			sector = geo.array_sectors - 1;
		if (geo.level == 0) {
			check_raid0(sector);
			continue;
		}
		check_position(sector);
		check_progress(sector, input_take(&in, 8));
	}
	return 0;
}
