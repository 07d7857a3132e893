// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <sys/random.h>

#include "newmember.h"
#include "output.h"

struct layout_name {
	const char *name;
	u32 layout;
};

static const struct layout_name raid0_layouts[] = {
	{"alternate", MQR_RAID0_ALTERNATE},
	{"original", MQR_RAID0_ORIGINAL},
	{NULL, 0},
};

static const struct layout_name raid10_layouts[] = {
	{"near=2", 0x102}, {"near=3", 0x103}, {"near=4", 0x104},
	{"far=2", 0x201},  {"far=3", 0x301},  {"offset=2", 0x10201},
	{NULL, 0},
};

static const struct layout_name parity_layouts[] = {
	{"left-symmetric", MQR_LEFT_SYMMETRIC},
	{"right-symmetric", MQR_RIGHT_SYMMETRIC},
	{"left-asymmetric", MQR_LEFT_ASYMMETRIC},
	{"right-asymmetric", MQR_RIGHT_ASYMMETRIC},
	{"parity-first", MQR_PARITY_0},
	{"parity-last", MQR_PARITY_N},
	{NULL, 0},
};

/* The first of each list is the default. */
static const struct layout_name *layouts_of(int level)
{
	switch (level) {
	case 0:
		return raid0_layouts;
	case 10:
		return raid10_layouts;
	case 5:
	case 6:
		return parity_layouts;
	default:
		return NULL;
	}
}

int parse_layout(int level, const char *text, u32 *layout)
{
	const struct layout_name *l = layouts_of(level);
	const struct layout_name *first = l;
	char names[200] = "";
	int n = 0;

	*layout = 0;
	if (!l)
		return text ? complain(RC_USAGE,
				       "--layout %s: RAID %d has only one",
				       text, level)
			    : RC_OK;
	for (; l->name; l++) {
		if (text && strcmp(text, l->name))
			continue;
		*layout = l->layout;
		return RC_OK;
	}
	for (l = first; l->name; l++)
		n += scnprintf(names + n, sizeof(names) - (size_t)n, "%s%s",
			       n ? ", " : "", l->name);
	return complain(RC_USAGE, "--layout %s: RAID %d knows %s", text, level,
			names);
}

void random_uuid(u8 *uuid)
{
	if (getrandom(uuid, 16, 0) != 16)
		exit(complain(RC_SYSTEM, "no random numbers: %s",
			      strerror(errno)));
	/* version 4 of RFC 4122 */
	uuid[6] = (u8)((uuid[6] & 0x0f) | 0x40);
	uuid[8] = (u8)((uuid[8] & 0x3f) | 0x80);
}

u32 new_max_dev(u32 devices)
{
	u32 head = 256, sector = 512;
	u32 bytes = (head + 2 * devices + sector - 1) & ~(sector - 1);

	return min((bytes - head) / 2, MQR_SB_MAX_DEV);
}

/* Move the data of @s; the bad-block log goes if it has no place any more. */
static void move_data(struct mqr_sb_space *s, u64 dev_sectors, u64 offset)
{
	s64 log_end = (s64)MQR_SB_SECTOR + s->bblog_offset + s->bblog_size;

	s->data_offset = offset;
	s->data_size = dev_sectors - offset;
	if (log_end <= (s64)offset)
		return;
	s->bblog_size = 0;
	s->bblog_offset = 0;
}

int new_member_space(const struct device *d, u32 chunk_sectors, u64 data_offset,
		     struct mqr_sb_space *s)
{
	u64 sectors = data_offset >> MQR_SECTOR_SHIFT;
	struct mqr_why why;
	char size[32];

	if (mqr_sb_space(s, d->sectors, chunk_sectors, &why))
		return complain(RC_USAGE, "%s: %s", d->given, why.text);
	if (!sectors)
		return RC_OK;
	if (data_offset % MQR_BLOCK_SIZE)
		return complain(RC_USAGE,
				"--data-offset %llu: accepted are multiples of "
				"4K from 1M on",
				(unsigned long long)data_offset);
	if (sectors + MQR_BLOCK_SECTORS > d->sectors)
		return complain(RC_USAGE,
				"--data-offset: beyond the end of %s, which "
				"has %s",
				d->given,
				text_bytes(size, sizeof(size),
					   d->sectors << MQR_SECTOR_SHIFT));
	move_data(s, d->sectors, sectors);
	return RC_OK;
}

int new_member_fit(const struct device *d, u32 chunk_sectors, u64 sectors,
		   struct mqr_sb_space *s)
{
	u64 need = sectors + MEMBER_MIN_DATA_OFFSET, offset;
	struct mqr_why why;
	char has[32], wants[32];

	if (d->sectors < need)
		return complain(RC_USAGE,
				"%s: too small: it has %s, the array needs %s "
				"(%llu of at least %llu sectors)",
				d->given,
				text_bytes(has, sizeof(has),
					   d->sectors << MQR_SECTOR_SHIFT),
				text_bytes(wants, sizeof(wants),
					   need << MQR_SECTOR_SHIFT),
				(unsigned long long)d->sectors,
				(unsigned long long)need);
	if (mqr_sb_space(s, d->sectors, chunk_sectors, &why))
		return complain(RC_USAGE, "%s: %s", d->given, why.text);
	if (s->data_size >= sectors)
		return RC_OK;
	offset = d->sectors - sectors;
	offset -= offset % MEMBER_MIN_DATA_OFFSET;
	move_data(s, d->sectors, offset);
	return RC_OK;
}

void new_member_fill(struct device *d, const struct mqr_sb_space *s)
{
	struct mqr_sb *sb = &d->sb;

	memset(d->image, 0, MQR_SB_BYTES);
	random_uuid(sb->device_uuid);
	sb->super_offset = MQR_SB_SECTOR;
	sb->data_offset = s->data_offset;
	sb->data_size = s->data_size;
	sb->bblog_size = s->bblog_size;
	sb->bblog_offset = s->bblog_offset;
	sb->recovery_offset = MQR_ALL_DONE;
	sb->corrected_reads = 0;
	sb->devflags = 0;
	sb->bitmap_offset = 0;
}

/* An empty log is all ones to md. */
static int clear_log(struct device *d)
{
	u64 offset =
		(u64)((s64)MQR_SB_SECTOR + d->sb.bblog_offset) * SECTOR_BYTES;
	size_t len = d->sb.bblog_size * SECTOR_BYTES;
	char *ones;
	int err;

	if (!len)
		return 0;
	ones = allocate(len);
	memset(ones, 0xff, len);
	err = device_write(d, offset, ones, len);
	free(ones);
	return err;
}

/* What a bitmap of an earlier life began with must not be found. */
static int clear_bitmap(struct device *d)
{
	static const char zeros[MQR_SB_BYTES];

	return device_write(d, MQR_SB_SECTOR * SECTOR_BYTES + MQR_SB_BYTES,
			    zeros, sizeof(zeros));
}

int new_member_write(struct device *d)
{
	int err = signatures_wipe(d);

	if (!err)
		err = clear_bitmap(d);
	if (!err)
		err = clear_log(d);
	if (!err)
		err = device_sync(d);
	if (!err)
		err = device_write_sb(d);
	if (err)
		return complain(RC_SYSTEM, "%s: can't write it: %s", d->given,
				strerror(-err));
	return RC_OK;
}
