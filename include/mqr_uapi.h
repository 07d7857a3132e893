/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The control interface: ioctls on /dev/mqraid-control (CAP_SYS_ADMIN).
 *
 * Every argument begins with @size, the size of the struct that the caller
 * was compiled with.  A shorter one is extended with zeros, and zero always
 * means the behaviour before the field existed; a longer one is refused with
 * E2BIG unless its tail is zero.  Unknown flags are refused with EINVAL.
 *
 * On failure, @why holds one line for the user (empty: see errno).
 *
 * Superblocks are written by raidctl before a device is handed over; the
 * module takes everything that it knows about an array from the members.
 */
#ifndef MQR_UAPI_H
#define MQR_UAPI_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define MQR_CONTROL_NAME "mqraid-control"
#define MQR_ABI_VERSION 2
#define MQR_UAPI_MAX_MEMBERS 64
#define MQR_WHY_SIZE 192

/* A block device, as in st_rdev. */
struct mqr_dev {
	__u32 major;
	__u32 minor;
};

struct mqr_ioc_version {
	__u32 size;
	__u32 flags;
	/* out */
	__u32 abi;
	__u32 pad;
	char module[32];
	/* parity kernels in use, "isal-avx2" */
	char calc[32];
};

/* Take stale members if there are too few, accept a dirty degraded array. */
#define MQR_ASSEMBLE_FORCE 1u
/* Start though members are missing that the superblocks list as active. */
#define MQR_ASSEMBLE_DEGRADED 2u

struct mqr_ioc_assemble {
	__u32 size;
	__u32 flags;
	/* the devices must have this array UUID */
	__u8 uuid[16];
	__u32 members;
	/* out: N of /dev/mqrN */
	__u32 array;
	struct mqr_dev dev[MQR_UAPI_MAX_MEMBERS];
	char why[MQR_WHY_SIZE];
};

/* Argument of the calls that name an array only. */
struct mqr_ioc_array {
	__u32 size;
	__u32 flags;
	__u32 array;
	__u32 pad;
	char why[MQR_WHY_SIZE];
};

/* Of fail: though the array does not survive it, and stops to take writes. */
#define MQR_FAIL_FORCE 1u

/* Argument of add, fail and remove. */
struct mqr_ioc_member {
	__u32 size;
	__u32 flags;
	__u32 array;
	__u32 pad;
	struct mqr_dev dev;
	/*
	 * The member's device UUID: fail and remove refuse if the device
	 * with this number isn't (or no longer is) that member.
	 */
	__u8 uuid[16];
	char why[MQR_WHY_SIZE];
};

enum mqr_sync_action {
	MQR_SYNC_IDLE = 0,
	/* full resynchronisation after an unclean stop */
	MQR_SYNC_RESYNC = 1,
	/* rebuild of members */
	MQR_SYNC_REBUILD = 2,
	/* count mismatches */
	MQR_SYNC_CHECK = 3,
	/* count and mend mismatches */
	MQR_SYNC_REPAIR = 4,
};

/* Start MQR_SYNC_CHECK or _REPAIR; _IDLE ends the one that runs or waits. */
struct mqr_ioc_sync {
	__u32 size;
	__u32 flags;
	__u32 array;
	__u32 action;
	char why[MQR_WHY_SIZE];
};

enum mqr_member_state_uapi {
	MQR_MEMBER_ABSENT = 0,
	MQR_MEMBER_SPARE = 1,
	MQR_MEMBER_REBUILDING = 2,
	MQR_MEMBER_IN_SYNC = 3,
	MQR_MEMBER_FAULTY = 4,
};

struct mqr_member_info {
	/* no device any more: 0:0 */
	struct mqr_dev dev;
	/* slot, or -1 for spares and former members */
	__s32 slot;
	/* enum mqr_member_state_uapi */
	__u32 state;
	__u8 uuid[16];
	__u64 data_offset;
	__u64 data_size;
	/* member sectors that are right; ~0 = all */
	__u64 recovery_offset;
	__u32 dev_number;
	__u32 flags;
	__u64 read_errors;
	__u64 write_errors;
	__u64 corrected;
	__u64 reads;
	__u64 writes;
	__u64 read_sectors;
	__u64 write_sectors;
};

/* The array serves I/O though not all slots are in sync. */
#define MQR_ARRAY_DEGRADED 1u
/* Too few members: I/O fails. */
#define MQR_ARRAY_FAILED 2u
/* On the members: not marked clean at this moment. */
#define MQR_ARRAY_ACTIVE 4u
/* Somebody has the block device open. */
#define MQR_ARRAY_OPEN 8u
/* A resync is due or running. */
#define MQR_ARRAY_DIRTY 16u

struct mqr_ioc_status {
	__u32 size;
	__u32 flags;
	/* in: N, or with MQR_STATUS_NEXT the lowest array >= N is taken */
	__u32 array;
	/* out: enum mqr_sync_action */
	__u32 sync_action;
	/* out, from here on */
	__u32 state;
	__u32 raid_disks;
	__s32 level;
	__u32 layout;
	__u32 chunk_sectors;
	__u32 logical_block_size;
	__u64 array_sectors;
	/* sectors used of each member */
	__u64 member_sectors;
	__u8 uuid[16];
	/* as in the superblock, "host:name" */
	char name[36];
	__u32 members;
	__u64 events;
	__u64 ctime;
	__u64 utime;
	/* the running action: member sectors (RAID 10: see sync_total) */
	__u64 sync_done;
	__u64 sync_total;
	/* sectors a second, averaged over the last seconds */
	__u64 sync_speed;
	/* rows that did not fit in the last check or repair, in sectors */
	__u64 mismatches;
	/*
	 * Sectors that a check found and no repair has mended since; known
	 * until the array is stopped.
	 */
	__u64 unmended;
	/* sectors that no redundancy could bring back, until none are found */
	__u64 lost_sectors;
	/* how the last action ended: enum mqr_sync_action and 0 or errno */
	__u32 last_action;
	__s32 last_result;
	/* block device number of /dev/mqrN */
	struct mqr_dev dev;
	/* members with a slot first, in slot order, ABSENT ones included */
	struct mqr_member_info member[2 * MQR_UAPI_MAX_MEMBERS];
};

#define MQR_STATUS_NEXT 1u

#define MQR_IOC_TYPE 'q'
#define MQR_IOC_VERSION _IOWR(MQR_IOC_TYPE, 0x80, struct mqr_ioc_version)
#define MQR_IOC_ASSEMBLE _IOWR(MQR_IOC_TYPE, 0x81, struct mqr_ioc_assemble)
#define MQR_IOC_STOP _IOWR(MQR_IOC_TYPE, 0x82, struct mqr_ioc_array)
#define MQR_IOC_ADD _IOWR(MQR_IOC_TYPE, 0x83, struct mqr_ioc_member)
#define MQR_IOC_FAIL _IOWR(MQR_IOC_TYPE, 0x84, struct mqr_ioc_member)
#define MQR_IOC_REMOVE _IOWR(MQR_IOC_TYPE, 0x85, struct mqr_ioc_member)
#define MQR_IOC_SYNC _IOWR(MQR_IOC_TYPE, 0x86, struct mqr_ioc_sync)
#define MQR_IOC_STATUS _IOWR(MQR_IOC_TYPE, 0x87, struct mqr_ioc_status)

#endif
