/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arguments of the control device's calls: how large they are, and
 * whether what they say can be meant.  Whether the array or the device that
 * they name exists is for others to find out.
 *
 * Pure: any context.
 */
#ifndef MQR_CORE_UAPI_CHECK_H
#define MQR_CORE_UAPI_CHECK_H

#include "platform.h"
#include "mqr_uapi.h"

/* size and flags: what every argument has */
#define MQR_UAPI_MIN_SIZE 8u
/* Nobody needs more, whatever may be appended one day. */
#define MQR_UAPI_MAX_SIZE 65536u

struct mqr_uapi_call {
	/* as raidctl calls it */
	const char *name;
	/* of the argument, as we know it */
	u32 size;
	/* offset of the argument's why[], 0: it has none */
	u32 why;
};

/* The call with number @nr (as in _IOC_NR), or NULL. */
const struct mqr_uapi_call *mqr_uapi_call(u32 nr);

/*
 * Check @arg, which has the size that mqr_uapi_call() states.  0, or -EINVAL
 * with @why.
 */
int mqr_uapi_check(u32 nr, const void *arg, struct mqr_why *why);

#endif
