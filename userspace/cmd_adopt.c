// SPDX-License-Identifier: GPL-2.0
/*
 * adopt and release: an array changes hands between md and mqraid.
 *
 * All members are checked before the first is written.  Should the machine
 * stop between the members, each superblock is still whole, and either
 * driver refuses or leaves out those that the other one owns; running the
 * command again finishes the work, so members that have changed hands already
 * are accepted.
 */
#include <stdlib.h>
#include <time.h>

#include <linux/raid/md_p.h>

#include "assembly.h"
#include "commands.h"
#include "ctl.h"
#include "output.h"

/* What begins an md bitmap: a magic number, then the version. */
#define BITMAP_MAGIC_BYTES 8

enum direction {
	TO_MQRAID,
	TO_MD,
};

#define LEFT_OUT                                                              \
	"would keep an owner that knows nothing of what is written from now " \
	"on"

static const struct members_need need[] = {
	[TO_MQRAID] = {"adopt", LEFT_OUT, "assemble it with mdadm"},
	[TO_MD] = {"release", LEFT_OUT, "assemble it with raidctl"},
};

static bool is_ours(const struct device *d)
{
	return d->sb.feature_map & MQR_FEATURE_OWNER;
}

/* Of the members found, those of the array that the user means. */
static int pick(const struct device_list *l, const char *ref, const u8 *uuid,
		u8 *picked)
{
	const struct device *d = NULL, *found = NULL;

	while ((d = members_next(l, d))) {
		if (uuid ? memcmp(d->sb.set_uuid, uuid, 16)
			 : !members_named(&d->sb, ref))
			continue;
		if (found)
			return complain(RC_USAGE,
					"%s: several arrays have this name: "
					"give the UUID",
					ref);
		found = d;
	}
	if (!found)
		return complain(RC_SYSTEM,
				"no device carries a superblock of the array "
				"%s",
				ref ? ref : "with this UUID");
	memcpy(picked, found->sb.set_uuid, 16);
	return RC_OK;
}

/* Claim what the scan has found. */
static int claim_scanned(struct device_list *scan, const u8 *uuid,
			 struct device_list *l)
{
	const char *word[DEVICES_MAX];
	unsigned int i, n = 0;
	int rc;

	for (i = 0; i < scan->n; i++)
		if (!memcmp(scan->dev[i]->sb.set_uuid, uuid, 16))
			word[n++] = strdup(scan->dev[i]->path);
	rc = list_open(l, word, n, DEVICE_CLAIM);
	return rc ? rc : members_read(l);
}

/* The members, claimed and read, into @l. */
static int gather(const struct invocation *inv, struct device_list *l)
{
	const u8 *uuid = inv->opt.uuid.n ? inv->opt.uuid.uuid[0] : NULL;
	struct device_list scan = {.n = 0};
	const char *ref;
	u8 picked[16];
	int rc;

	if (!inv->args.n == !uuid)
		return complain(RC_USAGE,
				"%s: give all devices of the array, or its "
				"name, or --uuid",
				inv->command->name);
	rc = assembly_open(&inv->args, DEVICE_CLAIM, &scan, &ref);
	if (!rc && inv->args.n && !ref) {
		*l = scan;
		return assembly_one_array(l);
	}
	if (!rc)
		rc = pick(&scan, ref, uuid, picked);
	if (!rc && ref && inv->args.n > 1)
		rc = complain(RC_USAGE, "%s: %s: give either a name or devices",
			      inv->command->name, ref);
	if (!rc)
		rc = claim_scanned(&scan, picked, l);
	list_free(&scan);
	return rc;
}

static int check_running(const u8 *uuid)
{
	struct mqr_ioc_status s;

	if (!ctl_running(uuid, &s))
		return RC_OK;
	return complain(RC_USAGE,
			"%s runs as /dev/mqr%u: first 'raidctl stop mqr%u'",
			array_short_name(&s), s.array, s.array);
}

/* RC_USAGE if there is nothing to do on any of them. */
static int check_direction(const struct device_list *l, enum direction to)
{
	unsigned int i, ours = 0;

	for (i = 0; i < l->n; i++)
		ours += is_ours(l->dev[i]);
	if (to == TO_MQRAID && ours == l->n)
		return complain(RC_USAGE,
				"%s: the array is mqraid's already: raidctl "
				"assemble %s",
				l->dev[0]->given,
				mqr_sb_short_name(&l->dev[0]->sb));
	if (to == TO_MD && !ours)
		return complain(RC_USAGE, "%s: the array is md's already",
				l->dev[0]->given);
	return RC_OK;
}

static int check_bitmap(const struct device_list *l, bool remove)
{
	unsigned int i;

	for (i = 0; i < l->n; i++) {
		const struct device *d = l->dev[i];

		if (!(d->sb.feature_map & MD_FEATURE_BITMAP_OFFSET) || remove)
			continue;
		return complain(RC_USAGE,
				"%s: the array has a write-intent bitmap, "
				"which mqraid does not keep up; "
				"--remove-bitmap removes it (md can make a new "
				"one after a release)",
				d->given);
	}
	return RC_OK;
}

/* What only all members together tell: the zones of a RAID 0. */
static int check_geometry(const struct member_set *set)
{
	struct mqr_geo *g = allocate(sizeof(*g));
	struct mqr_geo_params p = {0};
	struct mqr_why why;
	u32 slot;
	int err;

	mqr_sb_geometry(members_truth(set), &p);
	for (slot = 0; slot < p.raid_disks; slot++) {
		int i = set->choice.cand[slot];

		if (i >= 0)
			p.slot_sectors[slot] =
				set->devices.dev[i]->sb.data_size;
	}
	err = mqr_geo_init(g, &p, &why);
	free(g);
	if (!err)
		return RC_OK;
	return complain(RC_FAILED, "adopt: %s", why.text);
}

static int check_all(struct member_set *set, const struct options *o,
		     enum direction to)
{
	int rc = check_running(set->devices.dev[0]->sb.set_uuid);

	if (!rc)
		rc = members_check_supported(&set->devices, need[to].what);
	if (!rc)
		rc = check_direction(&set->devices, to);
	if (!rc)
		rc = members_check_whole(set, &need[to]);
	if (!rc && to == TO_MQRAID)
		rc = check_geometry(set);
	if (!rc && to == TO_MQRAID)
		rc = check_bitmap(&set->devices, o->remove_bitmap);
	return rc;
}

/*
 * After the superblock has stopped referring to it: what is left must not
 * pass for a bitmap, should anybody look.
 */
static int void_bitmap(struct device *d, s32 offset)
{
	static const char zeros[BITMAP_MAGIC_BYTES];
	u64 at = (u64)((s64)MQR_SB_SECTOR + offset) * SECTOR_BYTES;
	int err = device_write(d, at, zeros, sizeof(zeros));

	return err ? err : device_sync(d);
}

static int change_one(struct device *d, enum direction to, u64 events)
{
	bool bitmap = d->sb.feature_map & MD_FEATURE_BITMAP_OFFSET;
	s32 bitmap_offset = d->sb.bitmap_offset;
	int err;

	if (to == TO_MQRAID)
		d->sb.feature_map |= MQR_FEATURE_OWNER;
	else
		d->sb.feature_map &= ~MQR_FEATURE_OWNER;
	if (bitmap && to == TO_MQRAID) {
		d->sb.feature_map &= ~(u32)MD_FEATURE_BITMAP_OFFSET;
		d->sb.bitmap_offset = 0;
	}
	d->sb.events = events;
	d->sb.utime = (u64)time(NULL);
	err = device_write_sb(d);
	if (!err && bitmap && to == TO_MQRAID)
		err = void_bitmap(d, bitmap_offset);
	if (!err)
		return RC_OK;
	return complain(RC_SYSTEM,
			"%s: can't write it: %s; the members before it have "
			"changed hands already: mend the cause and run the "
			"command again",
			d->given, strerror(-err));
}

static int change_all(struct member_set *set, enum direction to)
{
	u64 events = members_truth(set)->events + 1;
	unsigned int i;
	int rc = RC_OK;

	for (i = 0; i < set->devices.n && !rc; i++)
		rc = change_one(set->devices.dev[i], to, events);
	return rc;
}

static void report(const struct member_set *set, enum direction to)
{
	const struct mqr_sb *sb = &set->devices.dev[0]->sb;
	char uuid[UUID_TEXT];

	text_uuid(uuid, sb->set_uuid);
	out_str("uuid", NULL, "%s", uuid);
	out_str("name", NULL, "%s", mqr_sb_short_name(sb));
	out_str("owner", NULL, "%s", to == TO_MQRAID ? "mqraid" : "md");
	out_num("members", NULL, set->devices.n);
	out_line("%s: %u members now belong to %s", mqr_sb_short_name(sb),
		 set->devices.n, to == TO_MQRAID ? "mqraid" : "md");
	if (to == TO_MD)
		out_line("to start it: mdadm --assemble /dev/md/%s --uuid %s",
			 mqr_sb_short_name(sb), uuid);
	if (to == TO_MD && sb->logical_block_size)
		note("the superblocks record a logical block size of %u, which "
		     "md knows from kernel 6.19 on",
		     sb->logical_block_size);
}

static int change_hands(struct invocation *inv, enum direction to)
{
	struct member_set *set = allocate(sizeof(*set));
	struct device_list l = {.n = 0};
	char uuid[UUID_TEXT];
	int rc = gather(inv, &l);

	if (rc)
		goto out_free;
	set->devices = l;
	rc = check_all(set, &inv->opt, to);
	if (!rc)
		rc = change_all(set, to);
	if (rc)
		goto out_free;
	report(set, to);
	if (to == TO_MD)
		goto out_free;
	if (inv->opt.assemble) {
		members_judge(set, 0);
		rc = ctl_require();
		if (!rc)
			rc = assembly_start(set, 0);
	} else {
		out_line("to start it: raidctl assemble %s",
			 text_uuid(uuid, l.dev[0]->sb.set_uuid));
	}
out_free:
	free(set);
	list_free(&l);
	return rc;
}

int cmd_adopt(struct invocation *inv)
{
	return change_hands(inv, TO_MQRAID);
}

int cmd_release(struct invocation *inv)
{
	return change_hands(inv, TO_MD);
}
