// SPDX-License-Identifier: GPL-2.0
/*
 * new-uuid: a copy of all members of an array becomes an array of its own.
 *
 * All members are checked before the first is written.  Should the machine
 * stop between the members, some have the new array UUID and others the old
 * one, so that neither part is a whole array; the same command with --uuid
 * takes both as one set and finishes the work.
 */
#include <stdlib.h>

#include <linux/raid/md_p.h>

#include "assembly.h"
#include "commands.h"
#include "ctl.h"
#include "name.h"
#include "newmember.h"
#include "output.h"

struct change {
	const struct options *opt;
	struct member_set set;
	u8 old_uuid[16];
	u8 new_uuid[16];
	/* has the new UUID already; NULL if the work begins */
	const struct device *done;
};

static const struct members_need need = {
	.what = "give it a new UUID",
	.left_out = "would keep the UUIDs of the original",
	.start = "assemble it where the original is not connected",
};

static bool has_uuid(const struct device *d, const u8 *uuid)
{
	return !memcmp(d->sb.set_uuid, uuid, sizeof(d->sb.set_uuid));
}

static int refuse_mixture(const struct device *a, const struct device *b)
{
	char x[UUID_TEXT], y[UUID_TEXT];

	return complain(RC_USAGE,
			"%s and %s are of different arrays (UUID %s and %s): "
			"give the members of one copy only, or, if new-uuid "
			"was interrupted, --uuid with the UUID that it gave",
			a->given, b->given, text_uuid(x, a->sb.set_uuid),
			text_uuid(y, b->sb.set_uuid));
}

/* All are of one array, but for those that have the new UUID already. */
static int check_one_array(struct change *c)
{
	const struct device_list *l = &c->set.devices;
	const struct device *old = NULL;
	unsigned int i;

	for (i = 0; i < l->n; i++) {
		const struct device *d = l->dev[i];

		if (c->opt->uuid.n && has_uuid(d, c->new_uuid))
			c->done = d;
		else if (!old)
			old = d;
		else if (!has_uuid(d, old->sb.set_uuid))
			return refuse_mixture(old, d);
	}
	if (!old)
		return complain(RC_USAGE,
				"%s: the array has this UUID already: give "
				"another --uuid, or none for a random one",
				l->dev[0]->given);
	if (c->done && c->done->sb.ctime != old->sb.ctime)
		return complain(RC_USAGE,
				"%s has the UUID of --uuid, but is not of the "
				"array that %s is of: it was created at "
				"another time; give another --uuid",
				c->done->given, old->given);
	memcpy(c->old_uuid, old->sb.set_uuid, sizeof(c->old_uuid));
	return RC_OK;
}

static bool is_given(const struct change *c, dev_t number)
{
	const struct device_list *l = &c->set.devices;
	unsigned int i;

	for (i = 0; i < l->n; i++)
		if (l->dev[i]->number == number)
			return true;
	return false;
}

/* No other array has the UUID that the user wants. */
static int check_free(const struct change *c)
{
	struct device_list scan = {.n = 0};
	struct mqr_ioc_status s;
	char uuid[UUID_TEXT];
	unsigned int i;
	int rc;

	text_uuid(uuid, c->new_uuid);
	if (ctl_running(c->new_uuid, &s))
		return complain(RC_USAGE,
				"--uuid %s: %s has it, which runs as "
				"/dev/mqr%u; give another, or none for a "
				"random one",
				uuid, array_short_name(&s), s.array);
	rc = members_scan(&scan);
	for (i = 0; i < scan.n && !rc; i++) {
		const struct device *d = scan.dev[i];

		if (has_uuid(d, c->new_uuid) && !is_given(c, d->number))
			rc = complain(RC_USAGE,
				      "--uuid %s: the array %s on %s has it; "
				      "give another, or none for a random one",
				      uuid, mqr_sb_short_name(&d->sb),
				      d->given);
	}
	list_free(&scan);
	return rc;
}

static int check_owner(const struct device_list *l)
{
	unsigned int i;

	for (i = 1; i < l->n; i++) {
		u32 differ =
			l->dev[0]->sb.feature_map ^ l->dev[i]->sb.feature_map;

		if (differ & MQR_FEATURE_OWNER)
			return complain(RC_FAILED,
					"one of %s and %s belongs to mqraid, "
					"the other to md: 'raidctl adopt' was "
					"interrupted; finish that on the "
					"original, and copy it again",
					l->dev[0]->given, l->dev[i]->given);
	}
	return RC_OK;
}

static int check_bitmap(const struct device_list *l)
{
	unsigned int i;

	for (i = 0; i < l->n; i++)
		if (l->dev[i]->sb.feature_map & MD_FEATURE_BITMAP_OFFSET)
			return complain(
				RC_USAGE,
				"%s: the array has a write-intent bitmap, "
				"which holds the array UUID as well, and which "
				"raidctl does not change: where the original "
				"is not connected, 'mdadm --assemble "
				"--update=uuid' changes both",
				l->dev[i]->given);
	return RC_OK;
}

static int check_all(struct change *c)
{
	struct device_list *l = &c->set.devices;
	unsigned int i;
	int rc = members_check_supported(l, need.what);

	if (!rc)
		rc = check_one_array(c);
	if (rc)
		return rc;
	/* From now on one array; nothing is written yet. */
	for (i = 0; i < l->n; i++)
		memcpy(l->dev[i]->sb.set_uuid, c->new_uuid, 16);
	rc = members_check_whole(&c->set, &need);
	if (!rc)
		rc = check_owner(l);
	if (!rc)
		rc = check_bitmap(l);
	return rc || !c->opt->uuid.n ? rc : check_free(c);
}

static int change_all(struct change *c)
{
	struct device_list *l = &c->set.devices;
	char uuid[UUID_TEXT];
	unsigned int i;
	int err;

	for (i = 0; i < l->n; i++) {
		struct device *d = l->dev[i];

		random_uuid(d->sb.device_uuid);
		if (c->opt->name)
			name_store(&d->sb, c->opt->name);
		else if (c->done && d != c->done)
			strcpy(d->sb.set_name, c->done->sb.set_name);
		err = device_write_sb(d);
		if (!err)
			continue;
		return complain(RC_SYSTEM,
				"%s: can't write it: %s; the %u devices before "
				"it have the new UUID already: mend the cause "
				"and run the command again with --uuid %s",
				d->given, strerror(-err), i,
				text_uuid(uuid, c->new_uuid));
	}
	return RC_OK;
}

static void report(const struct change *c)
{
	const struct mqr_sb *sb = &c->set.devices.dev[0]->sb;
	const char *name = mqr_sb_short_name(sb);
	bool ours = sb->feature_map & MQR_FEATURE_OWNER;
	char old[UUID_TEXT], new[UUID_TEXT];

	text_uuid(old, c->old_uuid);
	text_uuid(new, c->new_uuid);
	out_str("uuid", NULL, "%s", new);
	out_str("old_uuid", NULL, "%s", old);
	out_str("name", NULL, "%s", name);
	out_str("owner", NULL, "%s", ours ? "mqraid" : "md");
	out_num("members", NULL, c->set.devices.n);
	out_line("%s: %u members now have array UUID %s instead of %s", name,
		 c->set.devices.n, new, old);
	if (ours)
		out_line("to start it: raidctl assemble %s", new);
	else
		out_line("to start it: mdadm --assemble /dev/md/%s --uuid %s",
			 name, new);
	if (!c->opt->name)
		note("the name %s has not changed: where the original is "
		     "connected too, it can mean either; use UUIDs, or give "
		     "--name",
		     name);
}

int cmd_new_uuid(struct invocation *inv)
{
	struct change *c = allocate(sizeof(*c));
	struct device_list *l = &c->set.devices;
	int rc = RC_OK;

	c->opt = &inv->opt;
	if (c->opt->uuid.n)
		memcpy(c->new_uuid, c->opt->uuid.uuid[0], sizeof(c->new_uuid));
	else
		random_uuid(c->new_uuid);
	if (c->opt->name)
		rc = name_check(inv->command->name, c->opt->name);
	if (!rc)
		rc = list_open(l, inv->args.word, inv->args.n, DEVICE_CLAIM);
	if (!rc)
		rc = members_read(l);
	if (!rc)
		rc = check_all(c);
	if (!rc)
		rc = change_all(c);
	if (!rc)
		report(c);
	list_free(l);
	free(c);
	return rc;
}
