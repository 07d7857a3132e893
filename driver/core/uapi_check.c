// SPDX-License-Identifier: GPL-2.0
/*
 * One table with a row for each call, by number.  A check sees the whole
 * argument; fields that are for output are not looked at.
 */
#include "uapi_check.h"

/* The interface is fixed, on 32 and 64 bits alike. */
_Static_assert(sizeof(struct mqr_ioc_version) == 80, "abi");
_Static_assert(sizeof(struct mqr_ioc_assemble) == 736, "abi");
_Static_assert(sizeof(struct mqr_ioc_array) == 208, "abi");
_Static_assert(sizeof(struct mqr_ioc_member) == 232, "abi");
_Static_assert(sizeof(struct mqr_ioc_sync) == 208, "abi");
_Static_assert(sizeof(struct mqr_member_info) == 120, "abi");
_Static_assert(sizeof(struct mqr_ioc_status) == 200 + 128 * 120, "abi");
_Static_assert(sizeof(struct mqr_why) == MQR_WHY_SIZE, "abi");
_Static_assert(sizeof(struct mqr_ioc_status) <= MQR_UAPI_MAX_SIZE, "abi");

#define MQR_NR_FIRST _IOC_NR(MQR_IOC_VERSION)
/* of major and minor numbers in the kernel */
#define MQR_MAX_MAJOR ((1u << 12) - 1)
#define MQR_MAX_MINOR ((1u << 20) - 1)

static int check_flags(u32 flags, u32 known, struct mqr_why *why)
{
	if (!(flags & ~known))
		return 0;
	mqr_because(why,
		    "unknown flags 0x%x: is raidctl newer than the module?",
		    flags & ~known);
	return -EINVAL;
}

static int check_pad(u32 pad, struct mqr_why *why)
{
	if (!pad)
		return 0;
	mqr_because(why, "reserved field is 0x%x instead of 0", pad);
	return -EINVAL;
}

static int check_dev(const struct mqr_dev *dev, struct mqr_why *why)
{
	if (dev->major <= MQR_MAX_MAJOR && dev->minor <= MQR_MAX_MINOR)
		return 0;
	mqr_because(why, "device number %u:%u is out of range: at most %u:%u",
		    dev->major, dev->minor, MQR_MAX_MAJOR, MQR_MAX_MINOR);
	return -EINVAL;
}

static int check_version(const void *p, struct mqr_why *why)
{
	const struct mqr_ioc_version *arg = p;
	int err = check_flags(arg->flags, 0, why);

	return err ? err : check_pad(arg->pad, why);
}

static int check_duplicates(const struct mqr_ioc_assemble *arg,
			    struct mqr_why *why)
{
	const struct mqr_dev *dev = arg->dev;
	u32 i, j;

	for (i = 1; i < arg->members; i++) {
		for (j = 0; j < i; j++) {
			if (dev[i].major != dev[j].major ||
			    dev[i].minor != dev[j].minor)
				continue;
			mqr_because(why, "device %u:%u is named twice",
				    dev[i].major, dev[i].minor);
			return -EINVAL;
		}
	}
	return 0;
}

static int check_assemble(const void *p, struct mqr_why *why)
{
	static const u8 zero[16];
	const struct mqr_ioc_assemble *arg = p;
	u32 i;
	int err;

	err = check_flags(arg->flags,
			  MQR_ASSEMBLE_FORCE | MQR_ASSEMBLE_DEGRADED, why);
	if (err)
		return err;
	if (arg->members < 1 || arg->members > MQR_UAPI_MAX_MEMBERS) {
		mqr_because(why, "%u devices given: must be 1 to %u",
			    arg->members, MQR_UAPI_MAX_MEMBERS);
		return -EINVAL;
	}
	if (!memcmp(arg->uuid, zero, sizeof(zero))) {
		mqr_because(why, "the array UUID is zero: no array has that");
		return -EINVAL;
	}
	for (i = 0; i < arg->members; i++) {
		err = check_dev(&arg->dev[i], why);
		if (err)
			return err;
	}
	return check_duplicates(arg, why);
}

static int check_array(const void *p, struct mqr_why *why)
{
	const struct mqr_ioc_array *arg = p;
	int err = check_flags(arg->flags, 0, why);

	return err ? err : check_pad(arg->pad, why);
}

static int check_member_flags(const struct mqr_ioc_member *arg, u32 known,
			      struct mqr_why *why)
{
	int err = check_flags(arg->flags, known, why);

	if (!err)
		err = check_pad(arg->pad, why);
	return err ? err : check_dev(&arg->dev, why);
}

static int check_member(const void *p, struct mqr_why *why)
{
	return check_member_flags(p, 0, why);
}

static int check_fail(const void *p, struct mqr_why *why)
{
	return check_member_flags(p, MQR_FAIL_FORCE, why);
}

static int check_sync(const void *p, struct mqr_why *why)
{
	const struct mqr_ioc_sync *arg = p;

	switch (arg->action) {
	case MQR_SYNC_IDLE:
	case MQR_SYNC_CHECK:
	case MQR_SYNC_REPAIR:
		return check_flags(arg->flags, 0, why);
	case MQR_SYNC_RESYNC:
	case MQR_SYNC_REBUILD:
		mqr_because(why,
			    "resync and rebuild start by themselves: "
			    "only idle, check and repair can be asked for");
		return -EINVAL;
	default:
		mqr_because(why,
			    "sync action %u is unknown: idle (0), "
			    "check (3) or repair (4)",
			    arg->action);
		return -EINVAL;
	}
}

static int check_status(const void *p, struct mqr_why *why)
{
	const struct mqr_ioc_status *arg = p;

	return check_flags(arg->flags, MQR_STATUS_NEXT, why);
}

struct call {
	struct mqr_uapi_call call;
	int (*check)(const void *arg, struct mqr_why *why);
};

#define ROW(cmd, type, why, fn, text) \
	[_IOC_NR(cmd) - MQR_NR_FIRST] = {{text, sizeof(struct type), why}, fn}
#define WHY(type) offsetof(struct type, why)

/* clang-format off */
static const struct call calls[] = {
	ROW(MQR_IOC_VERSION, mqr_ioc_version, 0, check_version, "version"),
	ROW(MQR_IOC_ASSEMBLE, mqr_ioc_assemble, WHY(mqr_ioc_assemble),
	    check_assemble, "assemble"),
	ROW(MQR_IOC_STOP, mqr_ioc_array, WHY(mqr_ioc_array),
	    check_array, "stop"),
	ROW(MQR_IOC_ADD, mqr_ioc_member, WHY(mqr_ioc_member),
	    check_member, "add"),
	ROW(MQR_IOC_FAIL, mqr_ioc_member, WHY(mqr_ioc_member),
	    check_fail, "fail"),
	ROW(MQR_IOC_REMOVE, mqr_ioc_member, WHY(mqr_ioc_member),
	    check_member, "remove"),
	ROW(MQR_IOC_SYNC, mqr_ioc_sync, WHY(mqr_ioc_sync),
	    check_sync, "sync"),
	ROW(MQR_IOC_STATUS, mqr_ioc_status, 0, check_status, "status"),
};
/* clang-format on */

static const struct call *find_call(u32 nr)
{
	/* Wraps around for small numbers, and is too large then. */
	u32 i = nr - MQR_NR_FIRST;

	return i < ARRAY_SIZE(calls) ? &calls[i] : NULL;
}

const struct mqr_uapi_call *mqr_uapi_call(u32 nr)
{
	const struct call *c = find_call(nr);

	return c ? &c->call : NULL;
}

int mqr_uapi_check(u32 nr, const void *arg, struct mqr_why *why)
{
	const struct call *c = find_call(nr);

	if (c)
		return c->check(arg, why);
	mqr_because(why, "there is no call with number 0x%x", nr);
	return -EINVAL;
}
