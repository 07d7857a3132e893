// SPDX-License-Identifier: GPL-2.0
/* assemble and stop */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assembly.h"
#include "commands.h"
#include "condition.h"
#include "ctl.h"
#include "output.h"

#define NEW_UUID_HINT                                                        \
	"'raidctl new-uuid' with the devices of the copy makes it an array " \
	"of its own"

static u32 choose_flags(const struct options *o)
{
	return o->force ? MQR_CHOOSE_FORCE : 0;
}

static bool has_twins(const struct member_set *set)
{
	unsigned int i;

	for (i = 0; i < set->devices.n; i++)
		if (set->cand[i].verdict == MQR_DUPLICATE)
			return true;
	return false;
}

/* What mqr_sb_choose() refused, in the user's terms. */
static int explain_refusal(const struct member_set *set)
{
	const struct mqr_sb *sb = members_truth(set);
	char uuid[UUID_TEXT];
	bool force = set->err == -EUCLEAN ||
		     (set->err == -ENODEV && !set->choice.enough);

	members_explain(set);
	if (set->err == -EEXIST)
		return complain(RC_FAILED, "%s; nothing was started%s",
				set->why.text,
				has_twins(set) ? "; if all members were "
						 "copied: " NEW_UUID_HINT
					       : "");
	if (!sb || !force)
		return complain(RC_FAILED, "%s", set->why.text);
	return complain(RC_FAILED,
			"%s; to start it all the same: raidctl "
			"assemble --force %s",
			set->why.text, text_uuid(uuid, sb->set_uuid));
}

/* Members that the superblocks call active, but nobody has found. */
static int check_absent(const struct member_set *set, const struct options *o)
{
	u64 absent = members_listed(set) &
		     ~(set->choice.in_sync | set->choice.recovering);
	char slots[256], uuid[UUID_TEXT];

	if (!absent || o->degraded || o->force)
		return RC_OK;
	members_explain(set);
	return complain(
		RC_FAILED,
		"slot %s is active by the superblocks, but has no usable "
		"device; connect it, or start without: raidctl assemble "
		"--degraded %s",
		text_slots(slots, sizeof(slots), absent),
		text_uuid(uuid, members_truth(set)->set_uuid));
}

static int check_owner(const struct member_set *set)
{
	const struct device *d = set->devices.dev[0];
	char uuid[UUID_TEXT];
	unsigned int i;

	for (i = 0; i < set->devices.n; i++)
		if (set->devices.dev[i]->sb.feature_map & MQR_FEATURE_OWNER)
			return RC_OK;
	return complain(RC_USAGE,
			"%s: the array belongs to md; to take it over: raidctl "
			"adopt --uuid %s",
			d->given, text_uuid(uuid, d->sb.set_uuid));
}

static int check_supported(const struct member_set *set)
{
	unsigned int i;

	for (i = 0; i < set->devices.n; i++) {
		const struct device *d = set->devices.dev[i];

		if (d->sb_state != MQR_SB_OK)
			return complain(RC_FAILED, "%s: %s", d->given,
					d->sb_why.text);
	}
	return RC_OK;
}

static void report(const struct mqr_ioc_status *s)
{
	struct condition *c = allocate(sizeof(*c));
	char layout[128];
	unsigned int i;

	condition_of(s, c);
	out_str("array", NULL, "mqr%u", s->array);
	out_str("device", NULL, "/dev/mqr%u", s->array);
	out_str("name", NULL, "%s", array_short_name(s));
	out_str("state", NULL, "%s", c->state);
	out_line("/dev/mqr%u: %s, %s: %s", s->array, array_short_name(s),
		 array_layout(s, layout, sizeof(layout)), c->state);
	for (i = 0; i < c->problems; i++)
		out_line("  %s", c->problem[i]);
	free(c);
}

int assembly_start(struct member_set *set, u32 flags)
{
	struct mqr_ioc_assemble a = {.flags = flags};
	struct mqr_ioc_status s;
	struct mqr_why why;
	unsigned int i;
	int slot;

	memcpy(a.uuid, set->devices.dev[0]->sb.set_uuid, sizeof(a.uuid));
	for (slot = 0; slot < MQR_MAX_MEMBERS; slot++) {
		int k = set->choice.cand[slot];

		if (slot < (int)members_truth(set)->raid_disks && k >= 0)
			a.dev[a.members++] = device_ioc(set->devices.dev[k]);
	}
	for (i = 0; i < set->devices.n; i++)
		if (set->cand[i].verdict == MQR_SPARE &&
		    a.members < MQR_UAPI_MAX_MEMBERS)
			a.dev[a.members++] = device_ioc(set->devices.dev[i]);
	list_close(&set->devices);
	if (ctl_assemble(&a, &why))
		return complain(RC_SYSTEM, "assemble: %s", why.text);
	if (ctl_status(a.array, &s))
		return complain(RC_SYSTEM,
				"mqr%u: started, but it gives no "
				"status",
				a.array);
	report(&s);
	return RC_OK;
}

static u32 ioc_flags(const struct options *o)
{
	return (o->force ? MQR_ASSEMBLE_FORCE : 0) |
	       (o->degraded || o->force ? MQR_ASSEMBLE_DEGRADED : 0);
}

/* Devices that say that they are members, but are not used. */
static void note_left_out(const struct member_set *set)
{
	unsigned int i;

	for (i = 0; i < set->devices.n; i++) {
		enum mqr_verdict v = set->cand[i].verdict;
		int slot = set->cand[i].slot;
		bool used = v == MQR_IN_SYNC || v == MQR_RECOVERING ||
			    v == MQR_SPARE ||
			    (slot >= 0 && slot < MQR_MAX_MEMBERS &&
			     set->choice.cand[slot] == (int)i);

		if (!used)
			note("%s is not used: %s; once the array runs, "
			     "'raidctl add' takes it back",
			     set->devices.dev[i]->given, mqr_verdict_name(v));
	}
	if (set->choice.forced)
		note("members that missed writes are taken back by force: "
		     "some data may be old");
}

static int assemble_set(struct member_set *set, const struct options *o)
{
	int rc = check_supported(set);

	if (!rc)
		rc = check_owner(set);
	if (rc)
		return rc;
	members_judge(set, choose_flags(o));
	if (set->err)
		return explain_refusal(set);
	rc = check_absent(set, o);
	if (rc)
		return rc;
	rc = ctl_require();
	if (rc)
		return rc;
	note_left_out(set);
	return assembly_start(set, ioc_flags(o));
}

static bool has_member(const struct mqr_ioc_status *s, dev_t number)
{
	unsigned int i;

	for (i = 0; i < s->members; i++)
		if (ioc_number(s->member[i].dev) == number)
			return true;
	return false;
}

/* @given: devices that the user has named, or NULL */
static int already_running(const u8 *uuid, const struct device_list *given)
{
	struct mqr_ioc_status s;
	unsigned int i;

	if (!ctl_running(uuid, &s))
		return RC_OK;
	for (i = 0; given && i < given->n; i++)
		if (!has_member(&s, given->dev[i]->number))
			return complain(RC_USAGE,
					"%s: runs already as /dev/mqr%u, "
					"without %s; if that is of a "
					"copy: " NEW_UUID_HINT,
					array_short_name(&s), s.array,
					given->dev[i]->given);
	return complain(RC_USAGE, "%s: runs already as /dev/mqr%u",
			array_short_name(&s), s.array);
}

/* assemble --scan */
static int assemble_all(const struct device_list *l, const struct options *o)
{
	struct member_set *set = allocate(sizeof(*set));
	const struct device *d = NULL;
	struct mqr_ioc_status running;
	unsigned int found = 0;
	int rc = RC_OK;

	out_list("arrays");
	while ((d = members_next(l, d))) {
		if (!(d->sb.feature_map & MQR_FEATURE_OWNER))
			continue;
		found++;
		if (ctl_running(d->sb.set_uuid, &running))
			continue;
		members_select(l, d->sb.set_uuid, set);
		out_object(NULL);
		rc = worst(rc, assemble_set(set, o));
		out_close();
	}
	out_close();
	if (!found)
		out_line("no members of mqraid arrays found");
	free(set);
	return rc;
}

static int assemble_named(const struct device_list *l, const char *ref,
			  const struct options *o)
{
	struct member_set *set = allocate(sizeof(*set));
	const struct device *d = NULL, *found = NULL;
	int rc;

	while ((d = members_next(l, d))) {
		if (!members_named(&d->sb, ref))
			continue;
		if (found) {
			rc = complain(RC_USAGE,
				      "%s: several arrays have this name (on "
				      "%s and %s, for example): give the UUID",
				      ref, found->path, d->path);
			goto out_free;
		}
		found = d;
	}
	if (!found) {
		rc = complain(RC_SYSTEM,
			      "%s: no device carries a superblock of an array "
			      "with this name or UUID",
			      ref);
		goto out_free;
	}
	rc = already_running(found->sb.set_uuid, NULL);
	members_select(l, found->sb.set_uuid, set);
	if (!rc)
		rc = assemble_set(set, o);
out_free:
	free(set);
	return rc;
}

/* All devices given must be of one array. */
static int assemble_given(const struct device_list *l, const struct options *o)
{
	struct member_set *set;
	unsigned int i;
	int rc = assembly_one_array(l);

	if (rc)
		return rc;
	for (i = 0; i < l->n; i++)
		if (l->dev[i]->regular_file)
			return complain(RC_USAGE, "%s: not a block device",
					l->dev[i]->given);
	rc = already_running(l->dev[0]->sb.set_uuid, l);
	if (rc)
		return rc;
	set = allocate(sizeof(*set));
	members_select(l, l->dev[0]->sb.set_uuid, set);
	rc = assemble_set(set, o);
	free(set);
	return rc;
}

int assembly_one_array(const struct device_list *l)
{
	unsigned int i;

	for (i = 0; i < l->n; i++) {
		const struct device *d = l->dev[i];

		if (d->sb_state != MQR_SB_OK &&
		    d->sb_state != MQR_SB_UNSUPPORTED)
			return complain(RC_FAILED, "%s: %s", d->given,
					d->sb_why.text);
		if (memcmp(d->sb.set_uuid, l->dev[0]->sb.set_uuid, 16))
			return complain(RC_USAGE,
					"%s and %s are of different arrays (%s "
					"and %s)",
					l->dev[0]->given, d->given,
					l->dev[0]->sb.set_name, d->sb.set_name);
	}
	return RC_OK;
}

static bool is_device(const char *word)
{
	struct stat st;

	return strchr(word, '/') && !stat(word, &st) && !S_ISDIR(st.st_mode);
}

int assembly_open(const struct words *args, enum device_use use,
		  struct device_list *l, const char **ref)
{
	unsigned int first = 0;
	int rc;

	*ref = NULL;
	if (args->n && !is_device(args->word[0]))
		*ref = args->word[first++];
	if (args->n == first)
		return members_scan(l);
	rc = list_open(l, args->word + first, args->n - first, use);
	return rc ? rc : members_read(l);
}

int cmd_assemble(struct invocation *inv)
{
	const struct options *o = &inv->opt;
	struct device_list l = {.n = 0};
	const char *ref;
	int rc;

	if (o->scan == (inv->args.n != 0))
		return complain(RC_USAGE,
				"assemble: give a name, a UUID, devices, or "
				"--scan for all arrays");
	rc = assembly_open(&inv->args, DEVICE_LOOK, &l, &ref);
	if (rc)
		goto out_free;
	if (o->scan)
		rc = assemble_all(&l, o);
	else if (ref)
		rc = assemble_named(&l, ref, o);
	else
		rc = assemble_given(&l, o);
out_free:
	list_free(&l);
	return rc;
}

/*
 * udev looks into a device for a moment after it was closed, that is after
 * the umount that usually comes before.  Nothing tells when it is through.
 */
#define STOP_TRIES 20
#define STOP_PAUSE_US 100000

static int stop_patiently(u32 array, struct mqr_why *why)
{
	int err = ctl_stop(array, why);
	int i;

	for (i = 1; err == -EBUSY && i < STOP_TRIES; i++) {
		usleep(STOP_PAUSE_US);
		err = ctl_stop(array, why);
	}
	return err;
}

static int stop_one(const struct mqr_ioc_status *s)
{
	char path[32], user[256];
	struct mqr_why why;
	int err = stop_patiently(s->array, &why);

	snprintf(path, sizeof(path), "mqr%u", s->array);
	if (!err) {
		out_str("", NULL, "%s", path);
		out_line("%s: stopped", path);
		return RC_OK;
	}
	if (err != -EBUSY)
		return complain(RC_SYSTEM, "%s: %s", path, why.text);
	device_user(ioc_number(s->dev), user, sizeof(user));
	return complain(RC_SYSTEM, "%s: in use%s%s; nothing was stopped", path,
			*user ? ": " : "", user);
}

static int stop_all(void)
{
	struct array_list l;
	unsigned int i;
	int rc = ctl_require();

	if (rc)
		return rc;
	if (ctl_list(&l))
		return complain(RC_SYSTEM, "can't list the arrays");
	/* Downwards: a later array may stand on an earlier one. */
	for (i = l.n; i-- > 0;)
		rc = worst(rc, stop_one(&l.array[i]));
	array_list_free(&l);
	return rc;
}

int cmd_stop(struct invocation *inv)
{
	struct mqr_ioc_status s;
	unsigned int i;
	int one, rc = RC_OK;

	if (inv->opt.all == (inv->args.n != 0))
		return complain(RC_USAGE, "stop: give an array, or --all");
	out_list("stopped");
	if (inv->opt.all)
		rc = stop_all();
	for (i = 0; i < inv->args.n; i++) {
		one = ctl_find(inv->args.word[i], &s);
		rc = worst(rc, one ? one : stop_one(&s));
	}
	out_close();
	return rc;
}
