// SPDX-License-Identifier: GPL-2.0
/*
 * create: everything is checked on all devices before the first byte is
 * written to any.
 */
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include <linux/raid/md_p.h>

#include "commands.h"
#include "ctl.h"
#include "members.h"
#include "name.h"
#include "newmember.h"
#include "output.h"
#include "progress.h"

struct creation {
	const struct options *opt;
	/* without "host:" */
	const char *name;
	/* owns all devices: slots in order, then spares */
	struct device_list all;
	struct device *slot[MQR_MAX_MEMBERS];
	u32 raid_disks;
	u64 missing;
	struct mqr_sb_space space[DEVICES_MAX];
	u64 slot_sectors[MQR_MAX_MEMBERS];
	u64 member_sectors;
	u32 layout;
	u32 chunk_sectors;
	u32 logical_block_size;
	/* recorded in the superblocks, else 0 */
	u32 recorded_block_size;
	struct mqr_geo geo;
	struct mqr_sb sb;
};

struct level_rule {
	int level;
	u32 min, max;
};

static const struct level_rule rules[] = {
	{0, 2, MQR_MAX_MEMBERS},  {1, 2, 16},
	{10, 2, MQR_MAX_MEMBERS}, {5, 3, MQR_MAX_MEMBERS},
	{6, 4, MQR_MAX_MEMBERS},
};

static int check_count(const struct creation *c)
{
	u32 devices = c->raid_disks;
	unsigned int i;

	for (i = 0; rules[i].level != c->opt->level; i++)
		;
	if (devices >= rules[i].min && devices <= rules[i].max)
		return RC_OK;
	return complain(RC_USAGE,
			"create: %u devices: RAID %d takes from %u to %u",
			devices, c->opt->level, rules[i].min, rules[i].max);
}

/* Members in slot order, with the word "missing" for none. */
static int open_devices(struct creation *c, const struct words *args)
{
	unsigned int i;
	int rc;

	c->raid_disks = args->n - 1;
	rc = check_count(c);
	for (i = 1; i < args->n && !rc; i++) {
		if (!strcmp(args->word[i], "missing")) {
			c->missing |= BIT_ULL(i - 1);
			continue;
		}
		rc = list_open(&c->all, &args->word[i], 1, DEVICE_CLAIM);
		if (!rc)
			c->slot[i - 1] = c->all.dev[c->all.n - 1];
	}
	if (!rc)
		rc = list_open(&c->all, c->opt->spares.word, c->opt->spares.n,
			       DEVICE_CLAIM);
	if (!rc && c->opt->spares.n && !c->opt->level)
		rc = complain(RC_USAGE, "create: --spare: RAID 0 has no use "
					"for spares");
	return rc;
}

static int check_chunk(struct creation *c)
{
	u64 chunk = c->opt->chunk;

	if (c->opt->level == 1) {
		if (chunk)
			return complain(RC_USAGE,
					"create: --chunk: RAID 1 has no "
					"chunks");
		return RC_OK;
	}
	if (!chunk)
		chunk = 128 * 1024;
	if (chunk % MQR_BLOCK_SIZE)
		return complain(RC_USAGE,
				"create: --chunk %llu: accepted are powers of "
				"two from 4K to 1M (RAID 0: multiples of 4K)",
				(unsigned long long)chunk);
	c->chunk_sectors = (u32)(chunk >> MQR_SECTOR_SHIFT);
	return RC_OK;
}

static int check_layout(struct creation *c)
{
	return parse_layout(c->opt->level, c->opt->layout, &c->layout);
}

static int check_space(struct creation *c)
{
	unsigned int i;
	int rc;

	for (i = 0; i < c->all.n; i++) {
		rc = new_member_space(c->all.dev[i], c->chunk_sectors,
				      c->opt->data_offset, &c->space[i]);
		if (rc)
			return rc;
	}
	return RC_OK;
}

/* Index in @c->all of the device in @slot. */
static unsigned int index_of(const struct creation *c, unsigned int slot)
{
	return hweight64(~c->missing & (BIT_ULL(slot) - 1));
}

static int check_size(struct creation *c)
{
	u64 grain = c->chunk_sectors ? c->chunk_sectors : MQR_BLOCK_SECTORS;
	u64 least = ~0ULL, wanted = c->opt->size >> MQR_SECTOR_SHIFT;
	const struct device *least_dev = NULL;
	unsigned int i;
	char a[32];

	for (i = 0; i < c->all.n; i++) {
		if (c->space[i].data_size >= least)
			continue;
		least = c->space[i].data_size;
		least_dev = c->all.dev[i];
	}
	if (!least_dev)
		return complain(RC_USAGE, "create: no device but 'missing'");
	if (wanted > least)
		return complain(
			RC_USAGE, "create: --size: %s has room for %s only",
			least_dev->given,
			text_bytes(a, sizeof(a), least << MQR_SECTOR_SHIFT));
	c->member_sectors = wanted ? wanted : least;
	c->member_sectors -= c->member_sectors % grain;
	if (c->member_sectors)
		return RC_OK;
	return complain(RC_USAGE, "create: %s: too small: not one chunk fits",
			least_dev->given);
}

static void fill_slot_sectors(struct creation *c)
{
	unsigned int i;

	for (i = 0; i < c->raid_disks; i++)
		if (c->slot[i]) {
			u64 size = c->space[index_of(c, i)].data_size;

			if (c->opt->size)
				size = c->member_sectors;
			c->slot_sectors[i] = size;
		}
}

static int check_geometry(struct creation *c)
{
	struct mqr_geo_params p = {
		.level = c->opt->level,
		.layout = c->layout,
		.raid_disks = c->raid_disks,
		.chunk_sectors = c->chunk_sectors,
		.member_sectors = c->member_sectors,
	};
	struct mqr_why why;

	if (!c->opt->level && c->missing)
		return complain(RC_USAGE, "create: missing: RAID 0 needs all "
					  "of its devices");
	fill_slot_sectors(c);
	memcpy(p.slot_sectors, c->slot_sectors, sizeof(p.slot_sectors));
	if (mqr_geo_init(&c->geo, &p, &why))
		return complain(RC_USAGE, "create: %s", why.text);
	if (c->missing && !mqr_geo_survives(&c->geo, c->missing))
		return complain(RC_USAGE,
				"create: %u of the devices are 'missing': "
				"this array can't work without them",
				hweight64(c->missing));
	return RC_OK;
}

/*
 * A parity array whose redundancy is incomplete but not used up can't be
 * made consistent without the missing member.
 */
static int check_missing(const struct creation *c)
{
	unsigned int lost = hweight64(c->missing);

	if (!lost || !c->geo.parities || lost == c->geo.parities ||
	    c->opt->assume_clean)
		return RC_OK;
	return complain(RC_USAGE,
			"create: RAID %d with %u device missing: the parity of "
			"what is there can't be initialised; give all devices, "
			"or %u as missing, or (on devices that read zeros) "
			"--assume-clean",
			c->opt->level, lost, c->geo.parities);
}

static int check_block_size(struct creation *c)
{
	u32 wanted = (u32)c->opt->logical_block_size;
	u32 least = ~0u, most = 0;
	const struct device *coarse = NULL;
	unsigned int i;

	if (wanted && wanted != 512 && wanted != 4096)
		return complain(RC_USAGE,
				"create: --logical-block-size %u: accepted are "
				"512 and 4096",
				wanted);
	for (i = 0; i < c->all.n; i++) {
		u32 size = c->all.dev[i]->logical_block_size;

		least = min(least, size);
		if (size <= most)
			continue;
		most = size;
		coarse = c->all.dev[i];
	}
	if (most > MQR_BLOCK_SIZE)
		return complain(RC_USAGE,
				"create: %s: logical blocks of %u bytes; "
				"accepted are up to %u",
				coarse->given, most, MQR_BLOCK_SIZE);
	if (wanted && wanted < most)
		return complain(RC_USAGE,
				"create: --logical-block-size %u: %s has "
				"blocks of %u bytes, and the array's can't be "
				"smaller",
				wanted, coarse->given, most);
	c->logical_block_size = wanted ? wanted : most;
	if (least != c->logical_block_size)
		c->recorded_block_size = c->logical_block_size;
	return RC_OK;
}

static int check_contents(struct creation *c)
{
	unsigned int i;
	int one, rc = RC_OK;

	/* All of them, so that the user sees the whole of it at once. */
	for (i = 0; i < c->all.n; i++) {
		one = signatures_refuse(c->all.dev[i], c->opt->force,
					&c->opt->destroy);
		rc = worst(rc, one);
	}
	return rc;
}

static int check_everything(struct creation *c, const struct words *args)
{
	int rc;

	c->name = args->word[0];
	if (c->opt->level < 0)
		return complain(RC_USAGE, "create: --level is needed: 0, 1, "
					  "10, 5 or 6");
	if (c->opt->wait && c->opt->no_wait)
		return complain(RC_USAGE, "create: --wait and --no-wait "
					  "exclude each other");
	rc = name_check("create", c->name);
	if (!rc)
		rc = check_chunk(c);
	if (!rc)
		rc = check_layout(c);
	if (!rc)
		rc = open_devices(c, args);
	if (!rc)
		rc = check_space(c);
	if (!rc)
		rc = check_size(c);
	if (!rc)
		rc = check_geometry(c);
	if (!rc)
		rc = check_missing(c);
	if (!rc)
		rc = check_block_size(c);
	if (!rc)
		rc = check_contents(c);
	return rc ? rc : ctl_require();
}

static bool starts_clean(const struct creation *c)
{
	unsigned int lost = hweight64(c->missing);

	if (c->opt->assume_clean || !c->opt->level)
		return true;
	/* with nothing redundant left there is nothing to synchronise */
	return lost && (c->geo.parities == lost ||
			(c->opt->level == 1 && lost == c->raid_disks - 1));
}

/* What is the same on all members. */
static void fill_array(struct creation *c)
{
	struct mqr_sb *sb = &c->sb;
	unsigned int i, slot;

	sb->feature_map = MQR_FEATURE_OWNER;
	if (!c->opt->level)
		sb->feature_map |= MD_FEATURE_RAID0_LAYOUT;
	if (c->opt->uuid.n)
		memcpy(sb->set_uuid, c->opt->uuid.uuid[0], 16);
	else
		random_uuid(sb->set_uuid);
	name_store(sb, c->name);
	sb->ctime = (u64)time(NULL);
	sb->utime = sb->ctime;
	sb->level = c->opt->level;
	sb->layout = c->layout;
	sb->size = c->opt->level ? c->member_sectors : 0;
	sb->chunk_sectors = c->chunk_sectors;
	sb->raid_disks = c->raid_disks;
	sb->events = 1;
	sb->resync_offset = starts_clean(c) ? MQR_ALL_DONE : 0;
	sb->max_dev = new_max_dev(c->raid_disks + c->opt->spares.n);
	sb->logical_block_size = c->recorded_block_size;
	for (i = 0; i < MQR_SB_MAX_DEV; i++)
		sb->role[i] = MQR_ROLE_SPARE;
	for (slot = 0; slot < c->raid_disks; slot++)
		if (c->slot[slot])
			sb->role[slot] = (u16)slot;
}

static void fill_members(struct creation *c)
{
	u32 spare = c->raid_disks;
	unsigned int i, slot = 0;

	for (i = 0; i < c->all.n; i++) {
		struct device *d = c->all.dev[i];

		while (slot < c->raid_disks && !c->slot[slot])
			slot++;
		d->sb = c->sb;
		d->sb.dev_number = slot < c->raid_disks ? slot++ : spare++;
		new_member_fill(d, &c->space[i]);
		if (!c->opt->level && c->opt->size)
			d->sb.data_size = c->member_sectors;
	}
}

static int write_everything(struct creation *c)
{
	unsigned int i;
	int rc;

	for (i = 0; i < c->all.n; i++) {
		rc = new_member_write(c->all.dev[i]);
		if (!rc)
			continue;
		if (i)
			note("new superblocks are on %u of the devices "
			     "already; to try again, add --force --destroy "
			     "with the UUID that create then prints",
			     i);
		return rc;
	}
	return RC_OK;
}

static int start(struct creation *c, struct mqr_ioc_status *s)
{
	struct mqr_ioc_assemble a = {.members = c->all.n};
	char uuid[UUID_TEXT];
	struct mqr_why why;
	unsigned int i;

	for (i = 0; i < c->all.n; i++)
		a.dev[i] = device_ioc(c->all.dev[i]);
	memcpy(a.uuid, c->sb.set_uuid, sizeof(a.uuid));
	list_close(&c->all);
	if (ctl_assemble(&a, &why))
		return complain(RC_SYSTEM,
				"create: the superblocks are written, but the "
				"array did not start: %s; then 'raidctl "
				"assemble %s'",
				why.text, text_uuid(uuid, c->sb.set_uuid));
	if (ctl_status(a.array, s))
		return complain(RC_SYSTEM,
				"mqr%u: started, but it gives no "
				"status",
				a.array);
	return RC_OK;
}

static void report(const struct mqr_ioc_status *s)
{
	char uuid[UUID_TEXT], size[32];

	text_uuid(uuid, s->uuid);
	out_str("array", NULL, "mqr%u", s->array);
	out_str("device", NULL, "/dev/mqr%u", s->array);
	out_str("name", NULL, "%s", array_short_name(s));
	out_str("uuid", NULL, "%s", uuid);
	out_num("size_bytes", NULL, s->array_sectors << MQR_SECTOR_SHIFT);
	out_line("/dev/mqr%u: %s, RAID %d over %u devices, %s, UUID %s",
		 s->array, array_short_name(s), s->level, s->raid_disks,
		 text_bytes(size, sizeof(size),
			    s->array_sectors << MQR_SECTOR_SHIFT),
		 uuid);
	if (s->sync_action == MQR_SYNC_RESYNC)
		out_line("It can be used now; meanwhile its redundancy is "
			 "initialised: raidctl wait mqr%u",
			 s->array);
}

int cmd_create(struct invocation *inv)
{
	struct creation *c = allocate(sizeof(*c));
	struct mqr_ioc_status s;
	int rc;

	c->opt = &inv->opt;
	rc = check_everything(c, &inv->args);
	if (rc) {
		goto out_free;
	}
	fill_array(c);
	fill_members(c);
	rc = write_everything(c);
	if (!rc)
		rc = start(c, &s);
	if (!rc)
		report(&s);
	if (!rc && inv->opt.wait)
		rc = progress_wait(s.array, &s);
out_free:
	list_free(&c->all);
	free(c);
	return rc;
}
