// SPDX-License-Identifier: GPL-2.0
/* status, list, examine */
#include <stdlib.h>

#include <linux/raid/md_p.h>

#include "commands.h"
#include "condition.h"
#include "ctl.h"
#include "members.h"
#include "output.h"
#include "progress.h"
#include "signature.h"

static void show_member(const struct mqr_member_info *m)
{
	struct device_facts f = {"", "", ""};
	char path[PATH_MAX] = "", uuid[UUID_TEXT];

	if (m->dev.major) {
		device_facts(ioc_number(m->dev), &f);
		device_path(ioc_number(m->dev), path, sizeof(path));
	}
	out_row();
	if (m->slot >= 0)
		out_int("slot", "SLOT", m->slot);
	else
		out_null("slot", "SLOT");
	out_str("state", "STATE", "%s", member_state_name(m->state));
	if (m->dev.major && !*path)
		out_str("device", "DEVICE", "%u:%u (gone)", m->dev.major,
			m->dev.minor);
	else
		out_maybe("device", "DEVICE", path);
	if (m->dev.major)
		out_str("device_number", NULL, "%u:%u", m->dev.major,
			m->dev.minor);
	out_num("errors", "ERRORS", m->read_errors + m->write_errors);
	out_num("read_errors", NULL, m->read_errors);
	out_num("write_errors", NULL, m->write_errors);
	out_num("corrected_errors", "CORRECTED", m->corrected);
	out_maybe("model", "MODEL", f.model);
	out_maybe("serial", "SERIAL", f.serial);
	out_maybe("by_id", "BY-ID", f.by_id);
	out_str("uuid", NULL, "%s", text_uuid(uuid, m->uuid));
	out_num("data_offset_bytes", NULL, m->data_offset * SECTOR_BYTES);
	out_num("data_size_bytes", NULL, m->data_size * SECTOR_BYTES);
	if (m->recovery_offset == MQR_ALL_DONE)
		out_null("recovered_bytes", NULL);
	else
		out_num("recovered_bytes", NULL,
			m->recovery_offset * SECTOR_BYTES);
	out_num("reads", NULL, m->reads);
	out_num("writes", NULL, m->writes);
	out_num("read_bytes", NULL, m->read_sectors * SECTOR_BYTES);
	out_num("written_bytes", NULL, m->write_sectors * SECTOR_BYTES);
}

static void show_sync(const struct mqr_ioc_status *s)
{
	char text[96];

	out_object("sync");
	out_str("action", NULL, "%s", sync_action_name(s->sync_action));
	if (s->sync_action != MQR_SYNC_IDLE) {
		out_num("done_sectors", NULL, s->sync_done);
		out_num("total_sectors", NULL, s->sync_total);
		out_num("permille", NULL, sync_permille(s));
		out_num("speed_bytes", NULL, s->sync_speed * SECTOR_BYTES);
		out_num("seconds_left", NULL, sync_seconds_left(s));
		out_str(NULL, sync_action_name(s->sync_action), "%s",
			text_progress(s, text, sizeof(text)));
	}
	out_str("last_action", NULL, "%s", sync_action_name(s->last_action));
	out_int("last_result", NULL, s->last_result);
	out_num("mismatch_sectors", NULL, s->mismatches);
	out_num("unmended_sectors", NULL, s->unmended);
	out_num("lost_sectors", NULL, s->lost_sectors);
	out_close();
	if (s->last_action == MQR_SYNC_CHECK && !s->last_result &&
	    !s->unmended && !s->lost_sectors)
		out_str(NULL, "last check", "0 mismatches");
}

static void show_condition(const struct condition *c)
{
	unsigned int i;

	out_list("problems");
	for (i = 0; i < c->problems; i++)
		out_str("", i ? "" : "what is wrong", "%s", c->problem[i]);
	out_close();
	out_list("next");
	for (i = 0; i < c->steps; i++) {
		const char *remark = c->step[i].remark;
		const char *label = i ? "" : "what to do";

		if (*remark && !out_json())
			out_str(NULL, label, "%s    (%s)", c->step[i].command,
				remark);
		else
			out_str("", label, "%s", c->step[i].command);
	}
	out_close();
}

static void show_identity(const struct mqr_ioc_status *s)
{
	char uuid[UUID_TEXT], layout[128], name[32];

	out_bytes("size_bytes", "size", s->array_sectors * SECTOR_BYTES);
	out_str(NULL, "layout", "%s", array_layout(s, layout, sizeof(layout)));
	out_int("level", NULL, s->level);
	out_maybe("layout", NULL,
		  mqr_layout_name(s->level, s->layout, name, sizeof(name)));
	out_num("raid_disks", NULL, s->raid_disks);
	out_num("chunk_bytes", NULL, s->chunk_sectors * SECTOR_BYTES);
	out_num("member_size_bytes", NULL, s->member_sectors * SECTOR_BYTES);
	out_num("logical_block_size", NULL, s->logical_block_size);
	out_str("uuid", "UUID", "%s", text_uuid(uuid, s->uuid));
	out_time("created", NULL, s->ctime);
	out_time("updated", NULL, s->utime);
	out_num("events", NULL, s->events);
}

/* JSON: what is the same for status and list. */
static void show_head(const struct mqr_ioc_status *s, const struct condition *c)
{
	out_str("array", NULL, "mqr%u", s->array);
	out_str("device", NULL, "/dev/mqr%u", s->array);
	out_str("name", NULL, "%s", array_short_name(s));
	out_str("full_name", NULL, "%s", s->name);
	out_str("state", NULL, "%s", c->state);
	out_bool("degraded", NULL, s->state & MQR_ARRAY_DEGRADED);
	out_bool("failed", NULL, s->state & MQR_ARRAY_FAILED);
	out_bool("active", NULL, s->state & MQR_ARRAY_ACTIVE);
	out_bool("open", NULL, s->state & MQR_ARRAY_OPEN);
	out_bool("resync_due", NULL, s->state & MQR_ARRAY_DIRTY);
}

static enum rc show_array(const struct mqr_ioc_status *s)
{
	struct condition *c = allocate(sizeof(*c));
	enum rc rc;
	u32 i;

	condition_of(s, c);
	out_object(NULL);
	show_head(s, c);
	out_line("/dev/mqr%u: %s, %s", s->array, array_short_name(s), c->state);
	show_condition(c);
	show_sync(s);
	show_identity(s);
	out_table("members");
	for (i = 0; i < s->members; i++)
		show_member(&s->member[i]);
	out_table_end();
	out_close();
	rc = c->rc;
	free(c);
	return rc;
}

static u32 in_sync(const struct mqr_ioc_status *s)
{
	return s->raid_disks - hweight64(array_missing(s));
}

static enum rc list_array(const struct mqr_ioc_status *s)
{
	struct condition *c = allocate(sizeof(*c));
	enum rc rc;

	condition_of(s, c);
	out_row();
	out_str("array", "ARRAY", "mqr%u", s->array);
	out_str("name", "NAME", "%s", array_short_name(s));
	out_str("level", "LEVEL", "%s", mqr_level_name(s->level));
	out_bytes("size_bytes", "SIZE", s->array_sectors * SECTOR_BYTES);
	out_str("members", "MEMBERS", "%u/%u", in_sync(s), s->raid_disks);
	out_str("state", "STATE", "%s", c->state);
	out_str("action", "ACTION", "%s", sync_action_name(s->sync_action));
	rc = c->rc;
	free(c);
	return rc;
}

static int list_arrays(const struct array_list *l, bool brief)
{
	int rc = RC_OK;
	unsigned int i;

	if (!l->n)
		out_line("no arrays");
	if (brief)
		out_table("arrays");
	else
		out_list("arrays");
	for (i = 0; i < l->n; i++) {
		if (i && !brief)
			out_line("%s", "");
		rc = worst(rc, brief ? list_array(&l->array[i])
				     : show_array(&l->array[i]));
	}
	if (brief)
		out_table_end();
	else
		out_close();
	return rc;
}

/* All arrays, or those that are named. */
static int show(const struct invocation *inv, bool brief)
{
	struct array_list l = {NULL, 0};
	unsigned int i;
	int rc = ctl_require();

	if (!rc && !inv->args.n && ctl_list(&l))
		rc = complain(RC_SYSTEM, "can't list the arrays");
	if (inv->args.n)
		l.array = allocate(inv->args.n * sizeof(*l.array));
	for (i = 0; i < inv->args.n && !rc; i++)
		rc = ctl_find(inv->args.word[i], &l.array[l.n++]);
	if (!rc)
		rc = list_arrays(&l, brief);
	array_list_free(&l);
	return rc;
}

int cmd_status(struct invocation *inv)
{
	return show(inv, false);
}

int cmd_list(struct invocation *inv)
{
	return show(inv, true);
}

/* examine */

static const char *role_text(u16 role, char *buf, size_t size)
{
	switch (role) {
	case MQR_ROLE_SPARE:
		return "spare";
	case MQR_ROLE_FAULTY:
		return "faulty";
	case MQR_ROLE_JOURNAL:
		return "journal";
	}
	snprintf(buf, size, "slot %u", role);
	return buf;
}

static void examine_array(const struct mqr_sb *sb)
{
	char uuid[UUID_TEXT], name[64];

	out_str("array_uuid", "array UUID", "%s",
		text_uuid(uuid, sb->set_uuid));
	out_str("name", "name", "%s", sb->set_name);
	out_str("owner", "owner", "%s",
		sb->feature_map & MQR_FEATURE_OWNER ? "mqraid" : "md");
	out_str("features", "features", "0x%x", sb->feature_map);
	out_int("level", NULL, sb->level);
	out_str(NULL, "level", "%s", mqr_level_name(sb->level));
	out_maybe("layout", "layout",
		  mqr_layout_name(sb->level, sb->layout, name, sizeof(name)));
	out_num("raid_disks", "devices", sb->raid_disks);
	out_bytes("chunk_bytes", "chunk", sb->chunk_sectors * SECTOR_BYTES);
	out_bytes("member_size_bytes", "size used", sb->size * SECTOR_BYTES);
	if (sb->logical_block_size)
		out_num("logical_block_size", "block size",
			sb->logical_block_size);
	else
		out_null("logical_block_size", NULL);
	out_time("created", "created", sb->ctime);
	out_time("updated", "last update", sb->utime);
	out_num("events", "events", sb->events);
	out_bool("clean", "clean", mqr_sb_clean(sb));
	if (!mqr_sb_clean(sb))
		out_num("resync_offset", "resync from", sb->resync_offset);
	out_bool("bitmap", "bitmap",
		 sb->feature_map & MD_FEATURE_BITMAP_OFFSET);
}

static void examine_member(const struct mqr_sb *sb)
{
	u16 role = mqr_sb_own_role(sb);
	char uuid[UUID_TEXT], text[32];

	out_str("device_uuid", "device UUID", "%s",
		text_uuid(uuid, sb->device_uuid));
	out_num("device_number", "device number", sb->dev_number);
	out_str("role", "role", "%s", role_text(role, text, sizeof(text)));
	if (role < MQR_ROLE_MAX)
		out_num("slot", NULL, role);
	else
		out_null("slot", NULL);
	if (sb->recovery_offset != MQR_ALL_DONE)
		out_bytes("recovered_bytes", "rebuilt up to",
			  sb->recovery_offset * SECTOR_BYTES);
	else
		out_null("recovered_bytes", NULL);
	out_bytes("data_offset_bytes", "data offset",
		  sb->data_offset * SECTOR_BYTES);
	out_bytes("data_size_bytes", "data size", sb->data_size * SECTOR_BYTES);
	out_num("corrected_reads", "corrected", sb->corrected_reads);
}

/* "0 1 - 3": which slots the superblock calls active. */
static void examine_slots(const struct mqr_sb *sb)
{
	char text[4 * MQR_MAX_MEMBERS + 1];
	u64 active = 0;
	u32 i;
	int n = 0;

	for (i = 0; i < sb->max_dev && i < MQR_SB_MAX_DEV; i++)
		if (sb->role[i] < MQR_MAX_MEMBERS)
			active |= BIT_ULL(sb->role[i]);
	for (i = 0; i < sb->raid_disks && i < MQR_MAX_MEMBERS; i++)
		n += active & BIT_ULL(i)
			     ? scnprintf(text + n, sizeof(text) - (size_t)n,
					 "%u ", i)
			     : scnprintf(text + n, sizeof(text) - (size_t)n,
					 "- ");
	text[n ? n - 1 : 0] = 0;
	out_str("active_slots", "active slots", "%s", text);
}

/* No superblock that we understand: say what else there is. */
static int examine_other(const struct device *d)
{
	static const char *const state[] = {
		[MQR_SB_OK] = "ok",
		[MQR_SB_NONE] = "none",
		[MQR_SB_DAMAGED] = "damaged",
		[MQR_SB_UNSUPPORTED] = "unsupported",
	};
	struct signatures s = {.n = 0};
	char uuid[UUID_TEXT];

	signatures_find(d, &s);
	out_str("superblock", NULL, "%s", state[d->sb_state]);
	out_str("reason", NULL, "%s", d->sb_why.text);
	if (s.raid && d->sb_state == MQR_SB_NONE)
		out_str(NULL, "unsupported",
			"md superblock of version %s: "
			"only 1.2 is supported",
			s.raid_version);
	else
		out_str(NULL, state[d->sb_state], "%s", d->sb_why.text);
	if (s.raid_uuid_known)
		out_str("array_uuid", "array UUID", "%s",
			text_uuid(uuid, s.raid_uuid));
	out_maybe("contents", "contents", s.text);
	return RC_FAILED;
}

static int examine_one(struct device *d)
{
	int err = device_read_sb(d), rc = RC_OK;

	if (err)
		return complain(RC_SYSTEM, "%s: can't read it: %s", d->given,
				strerror(-err));
	out_object(NULL);
	out_str("device", NULL, "%s", d->path);
	out_line("%s:", d->path);
	if (d->sb_state == MQR_SB_OK || d->sb_state == MQR_SB_UNSUPPORTED) {
		bool ok = d->sb_state == MQR_SB_OK;

		out_str("superblock", NULL, "%s", ok ? "ok" : "unsupported");
		if (!ok)
			out_str("reason", "unsupported", "%s", d->sb_why.text);
		examine_array(&d->sb);
		examine_slots(&d->sb);
		examine_member(&d->sb);
	} else {
		rc = examine_other(d);
	}
	out_close();
	return rc;
}

int cmd_examine(struct invocation *inv)
{
	unsigned int i;
	int rc = RC_OK;

	out_list("devices");
	for (i = 0; i < inv->args.n; i++) {
		struct device *d;
		int one = device_open(inv->args.word[i], DEVICE_LOOK, &d);

		if (i)
			out_line("%s", "");
		rc = worst(rc, one ? one : examine_one(d));
		device_free(d);
	}
	out_close();
	return rc;
}
