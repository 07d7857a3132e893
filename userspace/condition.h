/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How an array is, in words: what is wrong, what to do about it, and the
 * exit code that says so.
 */
#ifndef RAIDCTL_CONDITION_H
#define RAIDCTL_CONDITION_H

#include "core/geometry.h"
#include "ctl.h"
#include "output.h"

#define CONDITION_LINES 8

struct condition {
	/* RC_OK, RC_DEGRADED or RC_FAILED */
	enum rc rc;
	/* "well", "degraded", "inconsistent", "failed" */
	const char *state;
	unsigned int problems;
	char problem[CONDITION_LINES][256];
	/* command lines; the remark behind one may be empty */
	unsigned int steps;
	struct {
		char command[128];
		char remark[160];
	} step[CONDITION_LINES];
};

void condition_of(const struct mqr_ioc_status *s, struct condition *c);

/* Geometry of a running array.  0 or -EINVAL. */
int array_geometry(const struct mqr_ioc_status *s, struct mqr_geo *g);

/* Slots whose members are not in sync. */
u64 array_missing(const struct mqr_ioc_status *s);

/* "RAID 6, 6 devices, chunk 128 KiB, left-symmetric" */
char *array_layout(const struct mqr_ioc_status *s, char *buf, size_t size);

/* No action runs, but one is due: the module is about to start it. */
bool array_pending(const struct mqr_ioc_status *s);

#endif
