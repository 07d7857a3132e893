// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of members that fail.
 *
 * The data path only marks them.  Here, under the configuration lock, it is
 * decided for all that are marked at once whether the array can do without
 * them: if so, they become FAULTY, and an epoch without them is published,
 * which the superblocks then follow (metadata.c).  If not, the array is
 * broken: they stay, for what can still be read, and nothing is written any
 * more, superblocks included.
 *
 * No memory is needed: writes that free some may wait for this.
 */
#include "mqraid.h"

static u64 mqr_meta_in_sync(const struct mqr_array *array)
{
	struct mqr_member *member;
	u64 in_sync = 0;

	list_for_each_entry(member, &array->members, list)
		if (member->state == MQR_MEMBER_IN_SYNC)
			in_sync |= BIT_ULL(member->slot);
	return in_sync;
}

static bool mqr_meta_survives(const struct mqr_array *array, u64 in_sync)
{
	return mqr_geo_survives(&array->geo, mqr_slots(array) & ~in_sync);
}

/*
 * Too many read errors: what can be read of the member is still worth more
 * than nothing, so it goes only while all others are there.
 */
static void mqr_meta_judge_worn(struct mqr_member *member, u64 *in_sync)
{
	struct mqr_array *array = member->array;
	u64 without = *in_sync;

	if (!test_and_clear_bit(MQR_MEMBER_WORN, &member->flags) ||
	    member->state == MQR_MEMBER_FAULTY ||
	    test_bit(MQR_MEMBER_FAILING, &member->flags))
		return;
	if (member->state == MQR_MEMBER_IN_SYNC)
		without &= ~BIT_ULL(member->slot);
	if (*in_sync == mqr_slots(array) && mqr_meta_survives(array, without)) {
		*in_sync = without;
		mqr_member_fail(member, "too many read errors");
		return;
	}
	mqr_warn(array,
		 "member %d (%pg): too many read errors, but it is needed: it "
		 "stays",
		 member->slot, member->bdev);
}

/* Which members are to go?  True: any; *@in_sync is what remains. */
static bool mqr_meta_failing(struct mqr_array *array, u64 *in_sync)
{
	struct mqr_member *member;
	bool any = false;

	*in_sync = mqr_meta_in_sync(array);
	list_for_each_entry(member, &array->members, list) {
		if (member->state == MQR_MEMBER_FAULTY ||
		    !test_bit(MQR_MEMBER_FAILING, &member->flags))
			continue;
		any = true;
		if (member->state == MQR_MEMBER_IN_SYNC)
			*in_sync &= ~BIT_ULL(member->slot);
	}
	/* In the light of those: each that goes leaves less room. */
	list_for_each_entry(member, &array->members, list) {
		mqr_meta_judge_worn(member, in_sync);
		any |= member->state != MQR_MEMBER_FAULTY &&
		       test_bit(MQR_MEMBER_FAILING, &member->flags);
	}
	return any;
}

static void mqr_meta_log(const struct mqr_member *member, u64 in_sync)
{
	struct mqr_array *array = member->array;
	const char *what = READ_ONCE(member->failure);

	if (!what)
		what = "failed";
	if (member->state == MQR_MEMBER_SPARE)
		mqr_warn(array, "spare %pg: %s; it can't replace anything",
			 member->bdev, what);
	else if (member->state == MQR_MEMBER_REBUILDING)
		mqr_warn(array, "member %d (%pg): %s; its rebuild is given up",
			 member->slot, member->bdev, what);
	else if (array->broken)
		mqr_warn(array,
			 "member %d (%pg): %s; too few are left (%u of %u): "
			 "the array has failed, its superblocks stay as they "
			 "are",
			 member->slot, member->bdev, what,
			 (unsigned int)hweight64(in_sync),
			 array->geo.raid_disks);
	else
		mqr_warn(array,
			 "member %d (%pg): %s; array continues degraded, %u of "
			 "%u members",
			 member->slot, member->bdev, what,
			 (unsigned int)hweight64(in_sync),
			 array->geo.raid_disks);
}

static void mqr_meta_faulty(struct mqr_member *member, u64 in_sync)
{
	mqr_meta_log(member, in_sync);
	if (member->state == MQR_MEMBER_IN_SYNC)
		mqr_event_later(member->array, MQR_EVENT_DEGRADED);
	else
		mqr_event_later(member->array, MQR_EVENT_SPARE_FAILED);
	member->state = MQR_MEMBER_FAULTY;
	member->slot = -1;
}

/*
 * The array can't do without this one.  It stays, for what can still be read
 * from it; nothing is written any more.
 */
static void mqr_meta_keep(struct mqr_member *member, u64 in_sync, bool broke)
{
	if (broke) {
		mqr_meta_log(member, in_sync);
		mqr_event_later(member->array, MQR_EVENT_FAILED);
	}
	clear_bit(MQR_MEMBER_FAILING, &member->flags);
}

bool mqr_meta_expel(struct mqr_array *array)
{
	struct mqr_member *member;
	bool broke;
	u64 in_sync;

	lockdep_assert_held(&array->config_mutex);
	if (!mqr_meta_failing(array, &in_sync))
		return false;
	/* Members that fail together go together: it's all of them or none. */
	broke = !array->broken && !mqr_meta_survives(array, in_sync);
	if (broke)
		WRITE_ONCE(array->broken, true);
	list_for_each_entry(member, &array->members, list) {
		if (member->state == MQR_MEMBER_FAULTY ||
		    !test_bit(MQR_MEMBER_FAILING, &member->flags))
			continue;
		if (array->broken && member->state == MQR_MEMBER_IN_SYNC)
			mqr_meta_keep(member, in_sync, broke);
		else
			mqr_meta_faulty(member, in_sync);
	}
	if (array->broken && !broke)
		return false;
	mqr_sync_trust_parity(array);
	mqr_conf_publish(array);
	mqr_sync_update(array);
	return true;
}
