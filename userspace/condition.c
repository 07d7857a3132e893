// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "condition.h"
#include "members.h"

int array_geometry(const struct mqr_ioc_status *s, struct mqr_geo *g)
{
	struct mqr_geo_params p = {
		.level = s->level,
		.layout = s->layout,
		.raid_disks = s->raid_disks,
		.chunk_sectors = s->chunk_sectors,
		.member_sectors = s->member_sectors,
	};
	struct mqr_why why;
	u32 i;

	for (i = 0; i < s->members; i++) {
		const struct mqr_member_info *m = &s->member[i];

		if (m->slot >= 0 && m->slot < MQR_MAX_MEMBERS)
			p.slot_sectors[m->slot] = m->data_size;
	}
	return mqr_geo_init(g, &p, &why);
}

u64 array_missing(const struct mqr_ioc_status *s)
{
	u64 slots = s->raid_disks < 64 ? BIT_ULL(s->raid_disks) - 1 : ~0ULL;
	u32 i;

	for (i = 0; i < s->members; i++) {
		const struct mqr_member_info *m = &s->member[i];

		if (m->state == MQR_MEMBER_IN_SYNC && m->slot >= 0 &&
		    m->slot < MQR_MAX_MEMBERS)
			slots &= ~BIT_ULL(m->slot);
	}
	return slots;
}

char *array_layout(const struct mqr_ioc_status *s, char *buf, size_t size)
{
	char chunk[32], name[32];
	const char *layout;
	int n;

	n = scnprintf(buf, size, "%s, %u devices", mqr_level_name(s->level),
		      s->raid_disks);
	if (s->chunk_sectors)
		n += scnprintf(buf + n, size - (size_t)n, ", chunk %s",
			       text_bytes(chunk, sizeof(chunk),
					  (u64)s->chunk_sectors << 9));
	layout = mqr_layout_name(s->level, s->layout, name, sizeof(name));
	if (*layout)
		scnprintf(buf + n, size - (size_t)n, ", %s", layout);
	return buf;
}

static u32 count_state(const struct mqr_ioc_status *s, u32 state)
{
	u32 i, n = 0;

	for (i = 0; i < s->members; i++)
		n += s->member[i].state == state;
	return n;
}

bool array_pending(const struct mqr_ioc_status *s)
{
	if (s->sync_action != MQR_SYNC_IDLE || s->state & MQR_ARRAY_FAILED)
		return false;
	if (s->state & MQR_ARRAY_DIRTY)
		return true;
	return s->state & MQR_ARRAY_DEGRADED &&
	       (count_state(s, MQR_MEMBER_SPARE) ||
		count_state(s, MQR_MEMBER_REBUILDING));
}

static void problem(struct condition *c, const char *fmt, ...) PRINTF(2, 3);
static void problem(struct condition *c, const char *fmt, ...)
{
	va_list ap;

	if (c->problems == CONDITION_LINES)
		return;
	va_start(ap, fmt);
	vsnprintf(c->problem[c->problems++], sizeof(c->problem[0]), fmt, ap);
	va_end(ap);
}

static void step(struct condition *c, const char *remark, const char *fmt, ...)
	PRINTF(3, 4);
static void step(struct condition *c, const char *remark, const char *fmt, ...)
{
	va_list ap;

	if (c->steps == CONDITION_LINES)
		return;
	va_start(ap, fmt);
	vsnprintf(c->step[c->steps].command, sizeof(c->step[0].command), fmt,
		  ap);
	va_end(ap);
	snprintf(c->step[c->steps].remark, sizeof(c->step[0].remark), "%s",
		 remark);
	c->steps++;
}

static void worsen(struct condition *c, enum rc rc, const char *state)
{
	if (rc <= c->rc)
		return;
	c->rc = rc;
	c->state = state;
}

static void judge_failed(const struct mqr_ioc_status *s, struct condition *c)
{
	char uuid[UUID_TEXT], slots[256];

	worsen(c, RC_FAILED, "failed");
	problem(c, "too few members are left: I/O fails (slot %s is missing)",
		text_slots(slots, sizeof(slots), array_missing(s)));
	step(c, "once the drives are back", "raidctl stop mqr%u", s->array);
	step(c, "", "raidctl assemble %s", text_uuid(uuid, s->uuid));
}

/* Is there a member whose loss, on top of what is missing, loses data? */
static bool at_the_edge(const struct mqr_ioc_status *s)
{
	u64 missing = array_missing(s);
	bool edge = false;
	struct mqr_geo *g = allocate(sizeof(*g));
	u32 i;

	if (!array_geometry(s, g))
		for (i = 0; i < s->raid_disks && !edge; i++)
			edge = !(missing & BIT_ULL(i)) &&
			       !mqr_geo_survives(g, missing | BIT_ULL(i));
	free(g);
	return edge;
}

static void judge_degraded(const struct mqr_ioc_status *s, struct condition *c)
{
	bool rebuilding =
		s->sync_action == MQR_SYNC_REBUILD || array_pending(s);
	char slots[256], size[32], remark[160];

	worsen(c, RC_DEGRADED, "degraded");
	problem(c, "slot %s has no member in sync%s%s",
		text_slots(slots, sizeof(slots), array_missing(s)),
		rebuilding ? "; it is being rebuilt" : "",
		at_the_edge(s) ? "; losing one more member loses data" : "");
	if (rebuilding) {
		step(c, "shows how far the rebuild is", "raidctl wait mqr%u",
		     s->array);
		return;
	}
	if (count_state(s, MQR_MEMBER_FAULTY))
		step(c, "then take the drive out",
		     "raidctl remove mqr%u failed", s->array);
	snprintf(remark, sizeof(remark),
		 "a drive of at least %s and some "
		 "MiB more",
		 text_bytes(size, sizeof(size), s->member_sectors << 9));
	step(c, remark, "raidctl add mqr%u DEVICE", s->array);
}

static void judge_contents(const struct mqr_ioc_status *s, struct condition *c)
{
	char size[32];

	if (s->lost_sectors) {
		worsen(c, RC_FAILED, "inconsistent");
		problem(c,
			"%s could not be reconstructed: restore them from a "
			"backup",
			text_bytes(size, sizeof(size), s->lost_sectors << 9));
	}
	if (s->unmended) {
		worsen(c, RC_FAILED, "inconsistent");
		problem(c,
			"data and redundancy disagreed in %s when they were "
			"last checked",
			text_bytes(size, sizeof(size), s->unmended << 9));
		/* It needs all members, and may be under way. */
		if (!array_missing(s) && s->sync_action != MQR_SYNC_REPAIR)
			step(c, "", "raidctl repair mqr%u", s->array);
	}
	if (s->last_result && s->sync_action == MQR_SYNC_IDLE &&
	    abs(s->last_result) != ECANCELED && abs(s->last_result) != EINTR)
		problem(c, "the last %s ended with an error: %s",
			sync_action_name(s->last_action),
			strerror(abs(s->last_result)));
}

void condition_of(const struct mqr_ioc_status *s, struct condition *c)
{
	memset(c, 0, sizeof(*c));
	c->rc = RC_OK;
	c->state = "well";
	if (s->state & MQR_ARRAY_FAILED)
		judge_failed(s, c);
	else if (s->state & MQR_ARRAY_DEGRADED || array_missing(s))
		judge_degraded(s, c);
	judge_contents(s, c);
}
