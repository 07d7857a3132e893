// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdlib.h>

#include "members.h"
#include "output.h"

static int by_path(const void *a, const void *b)
{
	const struct device *const *x = a, *const *y = b;

	return strverscmp((*x)->path, (*y)->path);
}

/*
 * A path of a multipath drive, say: the same bytes appear on the device
 * mapper's device, and only that one may be used.
 */
static bool held_by_mapper(const char *name)
{
	char path[300];
	const struct dirent *e;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/class/block/%s/holders", name);
	dir = opendir(path);
	while (dir && !found && (e = readdir(dir)))
		found = !strncmp(e->d_name, "dm-", 3);
	if (dir)
		closedir(dir);
	return found;
}

static void scan_one(const char *name, struct device_list *l)
{
	char path[300], *c;
	struct device *d;

	snprintf(path, sizeof(path), "/dev/%s", name);
	for (c = path; *c; c++)
		if (*c == '!')
			*c = '/';
	d = held_by_mapper(name) ? NULL : device_open_quiet(path, DEVICE_LOOK);
	if (!d)
		return;
	d->given = d->path;
	if (device_read_sb(d) ||
	    (d->sb_state != MQR_SB_OK && d->sb_state != MQR_SB_UNSUPPORTED) ||
	    !list_add(l, d))
		device_free(d);
	else
		/* a scan may find more than descriptors allow */
		device_close(d);
}

int members_scan(struct device_list *l)
{
	DIR *dir = opendir("/sys/class/block");
	const struct dirent *e;

	if (!dir)
		return complain(RC_SYSTEM, "/sys/class/block: %s",
				strerror(errno));
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.')
			scan_one(e->d_name, l);
	closedir(dir);
	qsort(l->dev, l->n, sizeof(*l->dev), by_path);
	return RC_OK;
}

int members_read(struct device_list *l)
{
	unsigned int i;
	int err;

	for (i = 0; i < l->n; i++) {
		err = device_read_sb(l->dev[i]);
		if (err)
			return complain(RC_SYSTEM, "%s: can't read it: %s",
					l->dev[i]->given, strerror(-err));
	}
	return RC_OK;
}

static bool seen_before(const struct device_list *l, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < i; k++)
		if (!memcmp(l->dev[k]->sb.set_uuid, l->dev[i]->sb.set_uuid, 16))
			return true;
	return false;
}

const struct device *members_next(const struct device_list *l,
				  const struct device *after)
{
	unsigned int i = 0;

	while (after && i < l->n && l->dev[i++] != after)
		;
	for (; i < l->n; i++)
		if (!seen_before(l, i))
			return l->dev[i];
	return NULL;
}

void members_select(const struct device_list *l, const u8 *uuid,
		    struct member_set *set)
{
	unsigned int i;

	memset(set, 0, sizeof(*set));
	for (i = 0; i < l->n; i++)
		if (!memcmp(l->dev[i]->sb.set_uuid, uuid, 16))
			list_add(&set->devices, l->dev[i]);
}

void members_judge(struct member_set *set, u32 flags)
{
	unsigned int i;

	memset(&set->choice, 0, sizeof(set->choice));
	memset(&set->why, 0, sizeof(set->why));
	for (i = 0; i < set->devices.n; i++)
		set->cand[i] =
			(struct mqr_cand){.sb = &set->devices.dev[i]->sb};
	set->err = mqr_sb_choose(&set->choice, set->cand, set->devices.n, flags,
				 &set->why);
}

const struct mqr_sb *members_truth(const struct member_set *set)
{
	int i = set->choice.freshest;

	if (i < 0 || (unsigned int)i >= set->devices.n)
		return NULL;
	return &set->devices.dev[i]->sb;
}

u64 members_listed(const struct member_set *set)
{
	const struct mqr_sb *sb = members_truth(set);
	u64 slots = 0;
	u32 i;

	for (i = 0; sb && i < sb->max_dev && i < MQR_SB_MAX_DEV; i++)
		if (sb->role[i] < MQR_MAX_MEMBERS)
			slots |= BIT_ULL(sb->role[i]);
	return slots;
}

static void explain_row(struct table *t, const struct device *d,
			const struct mqr_cand *c)
{
	const struct mqr_sb *sb = &d->sb;
	u16 role = mqr_sb_own_role(sb);
	struct device_facts facts;
	char uuid[UUID_TEXT], time[40], size[32];

	device_facts(d->number, &facts);
	table_row(t);
	if (role < MQR_ROLE_MAX)
		table_cell(t, "SLOT", "%u", role);
	else
		table_cell(t, "SLOT", "-");
	table_cell(t, "DEVICE", "%s", d->path);
	table_cell(t, "STATE", "%s", mqr_verdict_name(c->verdict));
	table_cell(t, "SIZE", "%s",
		   text_bytes(size, sizeof(size), d->sectors * SECTOR_BYTES));
	table_cell(t, "EVENTS", "%llu", (unsigned long long)sb->events);
	table_cell(t, "LAST UPDATE", "%s",
		   text_time(time, sizeof(time), sb->utime));
	table_cell(t, "SERIAL", "%s", *facts.serial ? facts.serial : "-");
	table_cell(t, "DEVICE UUID", "%s", text_uuid(uuid, sb->device_uuid));
}

void members_explain(const struct member_set *set)
{
	const struct mqr_sb *sb = members_truth(set);
	struct table t = {0};
	char slots[256];
	unsigned int i;
	u64 missing;

	for (i = 0; i < set->devices.n; i++)
		explain_row(&t, set->devices.dev[i], &set->cand[i]);
	table_print(&t, stderr);
	if (!sb || sb->raid_disks > MQR_MAX_MEMBERS)
		return;
	missing = ~(set->choice.in_sync | set->choice.recovering);
	if (sb->raid_disks < 64)
		missing &= BIT_ULL(sb->raid_disks) - 1;
	if (missing)
		say(stderr, "  no usable device for slot %s of %u\n",
		    text_slots(slots, sizeof(slots), missing), sb->raid_disks);
}

int members_check_supported(const struct device_list *l, const char *what)
{
	unsigned int i;

	for (i = 0; i < l->n; i++) {
		const struct device *d = l->dev[i];

		if (d->sb_state != MQR_SB_OK)
			return complain(RC_FAILED, "%s: can't %s: %s", d->given,
					what, d->sb_why.text);
	}
	return RC_OK;
}

static bool same_slot(const struct mqr_sb *a, const struct mqr_sb *b)
{
	u16 role = mqr_sb_own_role(a);

	return role < MQR_ROLE_MAX && role == mqr_sb_own_role(b);
}

/* An earlier device of @l that claims to be what its device @i is. */
static const struct device *find_twin(const struct device_list *l,
				      unsigned int i)
{
	const struct mqr_sb *a = &l->dev[i]->sb, *b;
	unsigned int k;

	for (k = 0; k < i; k++) {
		b = &l->dev[k]->sb;
		if (same_slot(a, b) || !memcmp(a->device_uuid, b->device_uuid,
					       sizeof(a->device_uuid)))
			return l->dev[k];
	}
	return NULL;
}

static const char *set_name(const struct member_set *set)
{
	return mqr_sb_short_name(&set->devices.dev[0]->sb);
}

static int check_twins(const struct member_set *set,
		       const struct members_need *need)
{
	const struct device_list *l = &set->devices;
	const struct device *twin;
	char claim[64];
	unsigned int i;

	for (i = 0; i < l->n; i++) {
		const struct device *d = l->dev[i];

		twin = find_twin(l, i);
		if (!twin)
			continue;
		strcpy(claim, "have the same device UUID");
		if (same_slot(&d->sb, &twin->sb))
			snprintf(claim, sizeof(claim),
				 "say that they are slot %u",
				 mqr_sb_own_role(&d->sb));
		members_explain(set);
		return complain(
			RC_FAILED,
			"%s: can't %s: %s and %s both %s: give the members of "
			"one copy only",
			set_name(set), need->what, twin->given, d->given,
			claim);
	}
	return RC_OK;
}

static int refuse_incomplete(const struct member_set *set,
			     const struct members_need *need)
{
	const struct mqr_sb *sb = members_truth(set);

	members_explain(set);
	return complain(
		RC_FAILED,
		"%s: can't %s: all %u members are needed, and in sync: one "
		"that is left out %s; give them all, or rebuild the array "
		"first",
		set_name(set), need->what, sb ? sb->raid_disks : 0,
		need->left_out);
}

int members_check_whole(struct member_set *set, const struct members_need *need)
{
	unsigned int i;
	int rc;

	members_judge(set, 0);
	rc = check_twins(set, need);
	if (rc)
		return rc;
	if (set->err && set->err != -ENODEV && set->err != -EUCLEAN) {
		members_explain(set);
		return complain(RC_FAILED, "%s: can't %s: %s", set_name(set),
				need->what, set->why.text);
	}
	if (set->err || !set->choice.complete || set->choice.recovering)
		return refuse_incomplete(set, need);
	if (set->choice.dirty)
		return complain(RC_FAILED,
				"%s: can't %s: the array was not stopped "
				"cleanly, or its first resync has not ended: "
				"%s, let the resync end, stop it, and try "
				"again",
				set_name(set), need->what, need->start);
	for (i = 0; i < set->devices.n; i++)
		if (set->cand[i].verdict != MQR_IN_SYNC &&
		    set->cand[i].verdict != MQR_SPARE)
			return refuse_incomplete(set, need);
	return RC_OK;
}

char *text_slots(char *buf, size_t size, u64 slots)
{
	int n = 0;

	*buf = 0;
	for (; slots; slots &= slots - 1)
		n += scnprintf(buf + n, size - (size_t)n, "%s%u", n ? ", " : "",
			       __ffs64(slots));
	return buf;
}

bool members_named(const struct mqr_sb *sb, const char *ref)
{
	u8 uuid[16];

	if (parse_uuid(ref, uuid) && !memcmp(uuid, sb->set_uuid, sizeof(uuid)))
		return true;
	return !strcmp(ref, sb->set_name) ||
	       !strcmp(ref, mqr_sb_short_name(sb));
}
