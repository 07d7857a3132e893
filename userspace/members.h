/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of devices that carry superblocks: find them, sort them by array,
 * judge them, and show the judgement.
 */
#ifndef RAIDCTL_MEMBERS_H
#define RAIDCTL_MEMBERS_H

#include "device.h"

/* The devices of one array; they are owned by the list they come from. */
struct member_set {
	struct device_list devices;
	struct mqr_cand cand[DEVICES_MAX];
	struct mqr_choice choice;
	/* of mqr_sb_choose() */
	int err;
	struct mqr_why why;
};

/* All block devices of the machine with a sound superblock. */
int members_scan(struct device_list *l);

/* Read the superblocks of all of @l; RC_SYSTEM if one can't be read. */
int members_read(struct device_list *l);

/*
 * One device of each array in @l: the next one behind @after (NULL: the
 * first); NULL at the end.
 */
const struct device *members_next(const struct device_list *l,
				  const struct device *after);

/* Those devices of @l that have this array UUID. */
void members_select(const struct device_list *l, const u8 *uuid,
		    struct member_set *set);

/*
 * Let @set->devices be judged: fills in cand, choice, err and why.  @flags
 * of mqr_sb_choose().  All must have sb_state MQR_SB_OK.
 */
void members_judge(struct member_set *set, u32 flags);

/* The freshest superblock; NULL if there is none. */
const struct mqr_sb *members_truth(const struct member_set *set);

/* Slots that the freshest superblock lists as active. */
u64 members_listed(const struct member_set *set);

/* Slot, device, events, state, last update of each, on stderr. */
void members_explain(const struct member_set *set);

/* What a command that changes all members of an array says if it can't. */
struct members_need {
	/* "adopt" */
	const char *what;
	/* what happens to a member that isn't among them: "would ..." */
	const char *left_out;
	/* how an unclean array can be started to become clean */
	const char *start;
};

/* No superblock of @l is damaged or not supported. */
int members_check_supported(const struct device_list *l, const char *what);

/*
 * Judges @set, and refuses unless it is one whole array: each slot once, in
 * sync, and stopped cleanly.
 */
int members_check_whole(struct member_set *set,
			const struct members_need *need);

/* "0, 3" */
char *text_slots(char *buf, size_t size, u64 slots);

/* Does the user's word @ref name the array of this superblock? */
bool members_named(const struct mqr_sb *sb, const char *ref);

#endif
