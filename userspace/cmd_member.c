// SPDX-License-Identifier: GPL-2.0
/* add, fail, remove */
#include <stdlib.h>
#include <time.h>
#include <sys/stat.h>

#include <linux/raid/md_p.h>

#include "commands.h"
#include "condition.h"
#include "ctl.h"
#include "members.h"
#include "newmember.h"
#include "output.h"

/* "nvme1n1" or, if the node is gone, "259:3" */
static void member_name(const struct mqr_member_info *m, char *buf, size_t size)
{
	if (device_path(ioc_number(m->dev), buf, size))
		return;
	if (m->dev.major)
		snprintf(buf, size, "%u:%u", m->dev.major, m->dev.minor);
	else
		snprintf(buf, size, "a device that is gone");
}

static bool has_device(const struct mqr_member_info *m)
{
	char path[PATH_MAX];

	return m->dev.major &&
	       device_path(ioc_number(m->dev), path, sizeof(path));
}

/* Former members stay listed until they are removed; empty slots don't count.
 */
static bool is_member(const struct mqr_member_info *m)
{
	return m->state != MQR_MEMBER_ABSENT || m->dev.major;
}

static bool has_number(const struct mqr_member_info *m, dev_t number)
{
	return m->dev.major && ioc_number(m->dev) == number;
}

/* The words that mean a member without naming a path. */
static bool is_meant(const struct mqr_member_info *m, const char *ref)
{
	unsigned int ma, mi;
	u8 uuid[16];
	char end;
	int slot;

	if (sscanf(ref, "slot:%d%c", &slot, &end) == 1)
		return m->slot >= 0 && m->slot == slot;
	if (sscanf(ref, "%u:%u%c", &ma, &mi, &end) == 2)
		return has_number(m, makedev(ma, mi));
	return parse_uuid(ref, uuid) && !memcmp(uuid, m->uuid, 16);
}

/*
 * What the device says of itself must be what the module knows: a kernel name
 * may belong to another drive by now.  A drive that can't be read is taken at
 * its number.
 */
static int check_identity(const struct mqr_ioc_status *s,
			  const struct mqr_member_info *m, const char *ref)
{
	struct device *d = device_open_quiet(ref, DEVICE_LOOK);
	char found[UUID_TEXT], wanted[UUID_TEXT];
	int rc = RC_OK;

	if (!d)
		return RC_OK;
	if (!device_read_sb(d) && d->sb_state == MQR_SB_OK &&
	    memcmp(d->sb.device_uuid, m->uuid, 16))
		rc = complain(RC_USAGE,
			      "%s: not the member of mqr%u that it was: its "
			      "device UUID is %s, the member's %s; name the "
			      "member by slot:N or UUID ('raidctl status')",
			      ref, s->array,
			      text_uuid(found, d->sb.device_uuid),
			      text_uuid(wanted, m->uuid));
	device_free(d);
	return rc;
}

static int find_member(const struct mqr_ioc_status *s, const char *ref,
		       const struct mqr_member_info **found)
{
	struct stat st;
	bool node = !stat(ref, &st) && S_ISBLK(st.st_mode);
	u32 i;

	for (i = 0; i < s->members; i++) {
		const struct mqr_member_info *m = &s->member[i];

		if (!is_member(m))
			continue;
		if (node ? !has_number(m, st.st_rdev) : !is_meant(m, ref))
			continue;
		*found = m;
		return node ? check_identity(s, m, ref) : RC_OK;
	}
	if (!node && strchr(ref, '/'))
		return complain(RC_USAGE,
				"%s: no such device; if it is gone, name it "
				"by slot:N, major:minor or UUID ('raidctl "
				"status mqr%u'), or remove 'detached'",
				ref, s->array);
	return complain(RC_USAGE,
			"%s: not a member of mqr%u; 'raidctl status mqr%u' "
			"lists them",
			ref, s->array, s->array);
}

static int call_member(enum ctl_member_call call,
		       const struct mqr_ioc_status *s,
		       const struct mqr_member_info *m, const char *done)
{
	char name[PATH_MAX];
	struct mqr_why why;

	member_name(m, name, sizeof(name));
	if (ctl_member(call, s->array, m->dev, m->uuid, &why))
		return complain(RC_SYSTEM, "mqr%u: %s: %s", s->array, name,
				why.text);
	if (m->slot >= 0)
		out_line("mqr%u: %s (slot %d) is %s", s->array, name, m->slot,
			 done);
	else
		out_line("mqr%u: %s is %s", s->array, name, done);
	out_str("", NULL, "%s", name);
	return RC_OK;
}

/* Refuse to break the array, unless that is asked for. */
static int check_survival(const struct mqr_ioc_status *s,
			  const struct mqr_member_info *m, bool force)
{
	struct mqr_geo *g = allocate(sizeof(*g));
	u64 missing = array_missing(s);
	bool fatal = false;

	if (!array_geometry(s, g) && m->slot >= 0 &&
	    m->state == MQR_MEMBER_IN_SYNC)
		fatal = mqr_geo_survives(g, missing) &&
			!mqr_geo_survives(g, missing | BIT_ULL(m->slot));
	free(g);
	if (!fatal || force)
		return RC_OK;
	return complain(RC_USAGE,
			"mqr%u: without slot %d its data are lost; --force "
			"fails it all the same",
			s->array, m->slot);
}

int cmd_fail(struct invocation *inv)
{
	const struct mqr_member_info *m;
	struct mqr_ioc_status s;
	unsigned int i;
	int rc = RC_OK;

	out_list("failed");
	for (i = 1; i < inv->args.n && !rc; i++) {
		rc = ctl_find(inv->args.word[0], &s);
		if (!rc)
			rc = find_member(&s, inv->args.word[i], &m);
		if (!rc)
			rc = check_survival(&s, m, inv->opt.force);
		if (!rc)
			rc = call_member(inv->opt.force ? CTL_FAIL_FORCE
							: CTL_FAIL,
					 &s, m, "marked as faulty");
	}
	out_close();
	return rc;
}

/* "failed" and "detached" */
static int remove_matching(const struct mqr_ioc_status *s, bool detached)
{
	unsigned int n = 0;
	int rc = RC_OK;
	u32 i;

	for (i = 0; i < s->members; i++) {
		const struct mqr_member_info *m = &s->member[i];
		bool match = detached ? !has_device(m)
				      : m->state == MQR_MEMBER_FAULTY;

		if (!is_member(m) || !match)
			continue;
		n++;
		rc = worst(rc, call_member(CTL_REMOVE, s, m, "removed"));
	}
	if (!n)
		out_line("mqr%u: no %s members", s->array,
			 detached ? "detached" : "failed");
	return rc;
}

static int remove_one(const struct mqr_ioc_status *s, const char *ref)
{
	const struct mqr_member_info *m;
	int rc;

	if (!strcmp(ref, "failed") || !strcmp(ref, "detached"))
		return remove_matching(s, *ref == 'd');
	rc = find_member(s, ref, &m);
	return rc ? rc : call_member(CTL_REMOVE, s, m, "removed");
}

int cmd_remove(struct invocation *inv)
{
	struct mqr_ioc_status s;
	unsigned int i;
	int rc = RC_OK;

	out_list("removed");
	for (i = 1; i < inv->args.n && !rc; i++) {
		rc = ctl_find(inv->args.word[0], &s);
		if (!rc)
			rc = remove_one(&s, inv->args.word[i]);
	}
	out_close();
	return rc;
}

/* The superblock of a member in sync: the array's part of a new one. */
static int read_array_sb(const struct mqr_ioc_status *s, struct mqr_sb *sb)
{
	char path[PATH_MAX];
	struct device *d;
	bool ok = false;
	u32 i;

	for (i = 0; i < s->members && !ok; i++) {
		const struct mqr_member_info *m = &s->member[i];

		if (m->state != MQR_MEMBER_IN_SYNC ||
		    !device_path(ioc_number(m->dev), path, sizeof(path)))
			continue;
		d = device_open_quiet(path, DEVICE_LOOK);
		if (!d)
			continue;
		ok = !device_read_sb(d) && d->sb_state == MQR_SB_OK &&
		     !memcmp(d->sb.set_uuid, s->uuid, 16);
		if (ok)
			*sb = d->sb;
		device_free(d);
	}
	if (ok)
		return RC_OK;
	return complain(RC_SYSTEM,
			"mqr%u: no superblock of its members can be "
			"read",
			s->array);
}

static bool number_used(const struct mqr_ioc_status *s, const struct mqr_sb *sb,
			u32 number)
{
	u32 i;

	if (number < sb->max_dev && sb->role[number] < MQR_ROLE_MAX)
		return true;
	for (i = 0; i < s->members; i++)
		if (is_member(&s->member[i]) &&
		    s->member[i].dev_number == number)
			return true;
	return false;
}

static int fill_spare(const struct mqr_ioc_status *s, struct mqr_sb *sb,
		      u32 block_size)
{
	u32 number = 0, limit = MQR_SB_MAX_DEV;

	while (number < limit && number_used(s, sb, number))
		number++;
	if (number == limit)
		return complain(RC_USAGE, "mqr%u: has %u members already",
				s->array, limit);
	while (sb->max_dev <= number)
		sb->role[sb->max_dev++] = MQR_ROLE_SPARE;
	sb->dev_number = number;
	sb->role[number] = MQR_ROLE_SPARE;
	sb->feature_map &= MD_FEATURE_RAID0_LAYOUT | MQR_FEATURE_OWNER;
	sb->events = s->events;
	sb->utime = (u64)time(NULL);
	/* The array's block size must stay, whoever is left one day. */
	if (block_size < s->logical_block_size)
		sb->logical_block_size = s->logical_block_size;
	return RC_OK;
}

static int check_new(const struct mqr_ioc_status *s, struct device *d,
		     const struct options *o)
{
	if (d->logical_block_size > s->logical_block_size)
		return complain(RC_USAGE,
				"%s: logical blocks of %u bytes; mqr%u has "
				"blocks of %u, and members can't be coarser",
				d->given, d->logical_block_size, s->array,
				s->logical_block_size);
	return signatures_refuse(d, o->force, &o->destroy);
}

static int write_spare(const struct mqr_ioc_status *s, struct device *d,
		       const struct options *o)
{
	struct mqr_sb_space space;
	struct mqr_sb sb;
	int rc = check_new(s, d, o);

	if (!rc)
		rc = new_member_fit(d, s->chunk_sectors, s->member_sectors,
				    &space);
	if (!rc)
		rc = read_array_sb(s, &sb);
	if (!rc)
		rc = fill_spare(s, &sb, d->logical_block_size);
	if (rc)
		return rc;
	d->sb = sb;
	new_member_fill(d, &space);
	return new_member_write(d);
}

/*
 * Carries a superblock of this array, and isn't to lose it: the module
 * decides what it is worth.
 */
static bool returns(const struct mqr_ioc_status *s, const struct device *d,
		    const struct options *o)
{
	return !o->destroy.n && d->sb_state == MQR_SB_OK &&
	       d->sb.feature_map & MQR_FEATURE_OWNER &&
	       !memcmp(d->sb.set_uuid, s->uuid, 16);
}

static int add_one(const struct mqr_ioc_status *s, const char *path,
		   const struct options *o)
{
	struct mqr_member_info m = {.slot = -1};
	struct device *d;
	bool back;
	int rc = device_open(path, DEVICE_CLAIM, &d);

	if (rc)
		return rc;
	if (device_read_sb(d)) {
		rc = complain(RC_SYSTEM, "%s: can't read it", d->given);
		goto out_free;
	}
	back = returns(s, d, o);
	rc = back ? RC_OK : write_spare(s, d, o);
	if (rc)
		goto out_free;
	m.dev = device_ioc(d);
	memcpy(m.uuid, d->sb.device_uuid, sizeof(m.uuid));
	device_close(d);
	rc = call_member(CTL_ADD, s, &m, back ? "back" : "added");
	if (rc && back)
		note("to use it as a new drive: raidctl add --force --destroy "
		     "with the array's UUID");
out_free:
	device_free(d);
	return rc;
}

int cmd_add(struct invocation *inv)
{
	struct mqr_ioc_status s;
	unsigned int i;
	int rc = RC_OK;

	out_list("added");
	for (i = 1; i < inv->args.n && !rc; i++) {
		/* anew for each: device numbers and events move on */
		rc = ctl_find(inv->args.word[0], &s);
		if (!rc && !s.level)
			rc = complain(RC_USAGE,
				      "mqr%u: RAID 0 has no use for more "
				      "members",
				      s.array);
		if (!rc)
			rc = add_one(&s, inv->args.word[i], &inv->opt);
	}
	out_close();
	return rc;
}
