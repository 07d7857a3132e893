/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The client of /dev/mqraid-control.  Functions that return an exit code
 * have complained already; others return -errno and say nothing.
 */
#ifndef RAIDCTL_CTL_H
#define RAIDCTL_CTL_H

#include <stdbool.h>
#include <sys/sysmacros.h>
#include <sys/types.h>

#include "core/platform.h"
#include "mqr_uapi.h"

struct array_list {
	struct mqr_ioc_status *array;
	unsigned int n;
};

/* RC_OK if the module is there and speaks our version of the interface. */
int ctl_require(void);

/* All running arrays.  0 or -errno; -ENOENT: no module. */
int ctl_list(struct array_list *l);
void array_list_free(struct array_list *l);

/* The array that the user calls @ref: mqr0, /dev/mqr0, name or UUID. */
int ctl_find(const char *ref, struct mqr_ioc_status *s);
/* Refresh @s; 0 or -errno (-ENODEV: it is gone). */
int ctl_status(u32 array, struct mqr_ioc_status *s);
/* The running array with this UUID, or none (no module counts as none). */
bool ctl_running(const u8 *uuid, struct mqr_ioc_status *s);

int ctl_version(struct mqr_ioc_version *v);

/*
 * The calls.  On failure -errno, and @why says why in the words of the
 * module or, if it has none, of ours.
 */
int ctl_assemble(struct mqr_ioc_assemble *a, struct mqr_why *why);
int ctl_stop(u32 array, struct mqr_why *why);
int ctl_sync(u32 array, enum mqr_sync_action action, struct mqr_why *why);

enum ctl_member_call {
	CTL_ADD,
	CTL_FAIL,
	/* though the array does not survive it */
	CTL_FAIL_FORCE,
	CTL_REMOVE,
};
int ctl_member(enum ctl_member_call call, u32 array, struct mqr_dev dev,
	       const u8 *uuid, struct mqr_why *why);

static inline dev_t ioc_number(struct mqr_dev dev)
{
	return makedev(dev.major, dev.minor);
}

/* "resync", "rebuild", "check", "repair", "idle" */
const char *sync_action_name(u32 action);
/* "in_sync", "rebuilding", "spare", "faulty", "absent" */
const char *member_state_name(u32 state);
/* The name without "host:"; lives in @s. */
const char *array_short_name(const struct mqr_ioc_status *s);

#endif
