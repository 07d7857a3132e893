/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the driver share: the structures with their life cycles,
 * who owns which field when, and the functions by file.
 *
 * Tags on fields:
 *   [const]  set before the object is published, never changed
 *   [cfg]    changed under array->config_mutex only; read there, too
 *   [any]    atomic or single words, any context
 *   [op]     belongs to the current owner of the stripe operation
 */
#ifndef MQRAID_H
#define MQRAID_H

#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/percpu-refcount.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "core/gate_word.h"
#include "core/geometry.h"
#include "core/plan.h"
#include "core/superblock.h"
#include "mqr_uapi.h"

#define MQR_NAME "mqraid"

/*
 * struct mqr_member - one device of an array
 *
 * Life:   mqr_member_open() gives one reference, owned by array->members.
 *         Each epoch that names the member holds another.  The device is
 *         closed when the last one is dropped (task context, not under
 *         [cfg]); the memory stays while somebody waits for that.
 * Order:  MQR_MEMBER_FAILING is set before mqr_meta_kick(); the meta work
 *         then moves @state to FAULTY and publishes an epoch without it.
 */
struct mqr_member {
	/* [cfg] in array->members */
	struct list_head list;
	struct kref kref;
	/* [const] */
	struct mqr_array *array;
	struct mqr_bdev handle;
	struct block_device *bdev;
	/* [const] first sector of data, and sectors from there */
	u64 data_offset;
	u64 data_size;
	/* [cfg] what its superblock says, and the 4 KiB image it came from */
	struct mqr_sb sb;
	void *image;
	/* [cfg] -1: none */
	int slot;
	/* [cfg] enum mqr_member_state_uapi */
	int state;
	/* [any] bits below */
	unsigned long flags;
	/* [any] */
	atomic64_t read_errors;
	atomic64_t write_errors;
	atomic64_t corrected;
	struct mqr_member_stats __percpu *stats;
	/* [any] why it is failing, for the log: a literal */
	const char *failure;
	/* [any] read errors, halved every hour, and when they last were */
	atomic_t recent_errors;
	unsigned long recent_since;
	/* [cfg] writes the superblock: ready when there is no memory */
	struct bio meta_bio;
	struct bio_vec meta_vec;
	struct completion closed;
	refcount_t memory;
};

/* An error or the user wants the member out; the meta work will see to it. */
#define MQR_MEMBER_FAILING 0
/* The links between disk and member in sysfs exist: see mqr_member_link(). */
#define MQR_MEMBER_LINKED 1
/* Too many read errors: out with it, if the array survives without it. */
#define MQR_MEMBER_WORN 2

struct mqr_member_stats {
	u64 ios[2];
	u64 sectors[2];
};

/*
 * struct mqr_conf - one configuration epoch
 *
 * All that an I/O needs to know about the array's members.  Immutable but
 * for @stable.  Published by RCU in array->conf; an I/O takes a reference
 * and uses this epoch to its end.
 *
 * Life:   mqr_conf_alloc() -> mqr_conf_publish() -> (the next one is
 *         published: @ref is killed) -> last reference -> freed by a work.
 */
struct mqr_conf {
	struct percpu_ref ref;
	/* [cfg] in the reserve, array->next_conf */
	struct mqr_conf *next;
	struct mqr_array *array;
	struct work_struct free_work;
	struct rcu_head rcu;
	/* slots that are right everywhere */
	u64 in_sync;
	/* slots that are right in rows behind array->rebuild */
	u64 rebuilding;
	/* rows not yet behind array->resync have parity not to be trusted */
	bool resync;
	/* mirror writes pass the gate (something walks over the rows) */
	bool gated;
	/*
	 * [any] epochs before this one gate mirror writes and this one doesn't,
	 * or the other way, and some I/O of theirs still runs: mirror writes
	 * wait.  Cleared when they are gone (array->epochs is 1).
	 */
	bool settling;
	/* too few members: writes fail, reads do what they can */
	bool failed;
	/*
	 * [any] the superblocks on stable storage agree with this epoch:
	 * writes may be acknowledged.  Set once, by the meta work, with
	 * release; the I/O path reads it with acquire.
	 */
	bool stable;
	struct mqr_member *member[MQR_MAX_MEMBERS];
};

/*
 * struct mqr_walk - how far a pass over the rows has come
 *
 * Rows below @done are right; rows from @issued on aren't; of those between,
 * the ones whose bit (row % MQR_WALK_WINDOW) is set are.  One walker thread
 * moves @issued and @done; a row's bit is set by the operation that holds
 * the row's gate, before it leaves the gate.  Rows that nothing could make
 * right (unreadable elsewhere) lie in holes, behind which the walk goes on.
 * See walk.c for the order that makes the lock-free reader right.
 */
#define MQR_WALK_WINDOW 256
#define MQR_WALK_HOLES 32
struct mqr_hole {
	u64 first;
	u64 end;
};

struct mqr_walk {
	atomic64_t done;
	atomic64_t issued;
	unsigned long window[BITS_TO_LONGS(MQR_WALK_WINDOW)];
	unsigned int holes;
	struct mqr_hole hole[MQR_WALK_HOLES];
};

/*
 * Something that waits until the superblocks are on stable storage, or until
 * the array is marked active.  @resume runs in the meta work, without
 * [cfg]: it mustn't wait for memory or I/O, which may wait for the meta work,
 * but hand over to a worker.
 */
struct mqr_parked {
	struct llist_node node;
	void (*resume)(struct mqr_parked *parked);
};

/* Something for a worker to do (worker.c); @run may sleep shortly. */
struct mqr_task {
	struct llist_node node;
	void (*run)(struct mqr_task *task);
};

enum mqr_io_kind {
	MQR_IO_READ,
	MQR_IO_WRITE,
	/* one row of a walk: resync, rebuild, check or repair */
	MQR_IO_ROW,
};

/*
 * struct mqr_io - one request on its way through the gate
 *
 * A piece of a user's bio that lies in one row, or one row of a walk.
 * Life: mqr_io_alloc() in submit_bio, freed when @bio is ended.
 */
struct mqr_io {
	/*
	 * Gate list, then the operation's list; owned by whoever holds it.
	 * First, so that a link is the request and NULL is NULL.
	 */
	union {
		struct mqr_link link;
		struct mqr_io *next;
	};
	struct mqr_array *array;
	u64 row;
	enum mqr_io_kind kind;
	blk_status_t status;
	/* NULL for MQR_IO_ROW */
	struct bio *bio;
	unsigned long start_time;
	/* holds a reference of array->writers */
	bool writer;
	/* MQR_IO_ROW: enum mqr_sync_action, and its result */
	u8 action;
	u32 mismatches;
	u32 lost_sectors;
	/* MQR_IO_ROW: called once the gate has been left; task or irq */
	void (*done)(struct mqr_io *io);
	/* a read of it failed: find the bad block, and mend it */
	bool careful;
	/*
	 * The epoch of a read that goes straight to a member, and of a mirror
	 * write or repairing mirror read from its start to its end: epochs
	 * with and without gating never overlap (mqr_conf.settling).
	 */
	struct mqr_conf *conf;
	struct mqr_task task;
	/* in the queue for the reserve */
	struct mqr_io *starved_next;
	struct mqr_parked parked;
	/* user requests only: what goes to the member; also the allocation */
	struct bio clone;
};

/*
 * struct mqr_array - one array
 *
 * Life:   mqr_array_assemble() -> /dev/mqrN -> mqr_array_stop(); the struct
 *         itself is freed with the last reference (mqr_array_put()).
 * Locks:  @config_mutex (with memory allocation in NOIO mode, see
 *         mqr_config_lock()) serialises all changes: ioctls, the meta work,
 *         ends of walks.  The data path never takes it.
 */
struct mqr_array {
	/* in the list of arrays, under mqr_arrays_mutex */
	struct list_head list;
	/* found by mqr_array_get(): started, not stopped; mqr_arrays_mutex */
	bool live;
	/* refuses to be opened; disk->open_mutex */
	bool closing;
	/* the list's reference, and one for each call that uses the array */
	struct kref kref;
	int index;
	struct gendisk *disk;
	/* [const] */
	struct mqr_geo geo;
	u32 logical_block_size;

	struct mqr_conf __rcu *conf;
	/*
	 * [cfg] allocated ahead, several of them: a failing member must not
	 * need memory, nor the next one that fails meanwhile
	 */
	struct mqr_conf *next_conf;
	unsigned int spare_confs;
	/* mirror writes that wait for the current epoch to settle */
	struct llist_head settle_waiters;
	/* [any] a mirror's block is to be mended: gate its writes */
	bool gate_mirrors;
	/* [any] published epochs that are not freed yet, the current included
	 */
	atomic_t epochs;
	wait_queue_head_t epoch_wait;

	/*
	 * Serialises the user's assemble, add, remove and stop with what they
	 * do outside of @config_mutex (disk, links, devices).  Taken first;
	 * nothing that I/O depends on takes it.
	 */
	struct mutex admin_mutex;
	/*
	 * Held from looking at what the queue should announce to announcing it;
	 * after admin_mutex and disk->open_mutex, before @config_mutex.
	 */
	struct mutex limits_mutex;
	/* see mqr_config_lock() */
	struct mutex config_mutex;
	unsigned int noio_flags;
	/* [cfg] all members, failed and spare ones included */
	struct list_head members;
	/* [cfg] what is common to all superblocks; own fields are unused */
	struct mqr_sb sb;
	/* [cfg] no superblock is written any more: too few members */
	bool broken;
	/* [cfg] being stopped: no new walk, no ioctl */
	bool stopping;

	/*
	 * The meta work is the only writer of superblocks.  It runs when
	 * kicked and does whatever the flags and @parked ask for.
	 */
	struct work_struct meta_work;
	unsigned long meta_flags;
	/* waits for the superblocks to name the current epoch */
	struct llist_head parked;
	/* writes that wait for the array to be marked active */
	struct llist_head parked_writers;
	/* [cfg] superblocks say "dirty": writes may run */
	bool active;
	/* [cfg] and are to say "clean" as soon as @writers has drained */
	bool draining;
	/* [any] there were writes since idle_work looked last */
	bool wrote;
	/*
	 * Held by each write of a redundant array from before its first
	 * member I/O to its end.  Killed while the array is marked clean.
	 */
	struct percpu_ref writers;
	/* notices idleness; marks the array clean */
	struct delayed_work idle_work;
	/* [any] ms without writes until the array is marked clean */
	unsigned int safe_delay_ms;

	/* the gates, by hash of the row (gate.c) */
	unsigned long *gates;
	/* bytes of a struct mqr_stripe of this array; [const] */
	size_t stripe_bytes;
	/* [any] an idle operation of each CPU */
	struct mqr_stripe *__percpu *stripe_cache;
	/* requests that found no memory (starve.c) */
	struct llist_head starved;
	struct mqr_io *starved_queue;
	struct work_struct starved_work;
	bool starving;
	/* one operation with all its pages, for those requests */
	struct mqr_stripe *reserve;
	unsigned long reserve_busy;
	/* [any] some member refused to zero by itself */
	bool no_zero_row;

	/* [const] struct mqr_io (clone), member bios of stripes, mirror writes
	 */
	struct bio_set bios;
	struct bio_set split_bios;
	struct bio_set stripe_bios;
	mempool_t mirror_pool;
	mempool_t flush_pool;

	/* walks */
	struct mqr_walk resync;
	struct mqr_walk rebuild;
	struct mqr_sync *sync;
	/* [cfg] enum mqr_sync_action: what walks, or is about to */
	u32 sync_action;
	/* [cfg] walks that have ended; read without it after epoch_wait */
	u32 sync_ended;

	/* [any] bits of enum mqr_event_id that event_work is to send */
	unsigned long events_due;
	struct work_struct event_work;

	/* [any] tunables, in sysfs */
	bool mirror_stable;
	bool zero_copy;
	unsigned int sync_speed_max_kb;
	unsigned int sync_rows;
	unsigned int max_read_errors;
};

/* meta_flags */
/* superblocks must be written (a transition, a checkpoint) */
#define MQR_META_WRITE 0
/* a write found the array marked clean */
#define MQR_META_ACTIVATE 1
/* no writes for safe_delay_ms: mark clean */
#define MQR_META_IDLE 2
/* array->writers has drained */
#define MQR_META_DRAINED 3
/* only one epoch is left, or somebody waits for that (epoch.c) */
#define MQR_META_SETTLED 5
/* the reasons to gate mirror writes have changed: publish an epoch */
#define MQR_META_GATING 6
/* a walk has ended, or should begin */
#define MQR_META_SYNC 4

static inline u64 mqr_slots(const struct mqr_array *array)
{
	return array->geo.raid_disks == 64
		       ? ~0ULL
		       : (1ULL << array->geo.raid_disks) - 1;
}

static inline bool mqr_array_redundant(const struct mqr_array *array)
{
	return array->geo.level != 0;
}

/* "mqraid: mqr7: ..." */
#define mqr_info(array, fmt, ...) \
	pr_info("mqraid: mqr%d: " fmt "\n", (array)->index, ##__VA_ARGS__)
#define mqr_warn(array, fmt, ...) \
	pr_warn("mqraid: mqr%d: " fmt "\n", (array)->index, ##__VA_ARGS__)

/* main.c */
/* continues user I/O that may wait for memory; workers must not */
extern struct workqueue_struct *mqr_submit_wq;
#define MQR_VERSION "0.1.0"
extern struct workqueue_struct *mqr_meta_wq;

/* assemble.c: from devices to a running array */
int mqr_array_assemble(struct mqr_ioc_assemble *arg, struct mqr_why *why);
void mqr_engine_destroy(struct mqr_array *array);
/* Can the array work on this device?  Size, blocks, alignment. */
int mqr_check_member(struct mqr_array *array, const struct mqr_member *member,
		     struct mqr_why *why);

/* limits.c: what the queue announces */
void mqr_array_limits(struct mqr_array *array, struct mqr_limits *lim);
/* Announce anew after a change of members or tunables.  Not under [cfg] */
int mqr_array_update_limits(struct mqr_array *array);
/* The tunable.  -EBUSY: switched on while the disk is open.  Not under [cfg] */
int mqr_array_zero_copy(struct mqr_array *array, bool on);

/* array.c: array list, life and end; members as the user changes them */
struct mqr_array *mqr_array_new(const u8 *uuid, struct mqr_why *why);
void mqr_array_delist(struct mqr_array *array);
void mqr_array_set_live(struct mqr_array *array, bool live);
void mqr_array_shut_down(struct mqr_array *array);
void mqr_array_put_members(struct mqr_array *array);
void mqr_array_each_member(struct mqr_array *array,
			   void (*fn)(struct mqr_member *member));
int mqr_array_add_member(struct mqr_array *array,
			 const struct mqr_ioc_member *arg, struct mqr_why *why);
int mqr_array_stop(struct mqr_array *array, struct mqr_why *why);
/* Reboot: best effort to leave clean superblocks behind. */
void mqr_arrays_quiesce(void);
struct mqr_array *mqr_array_get(u32 index, bool next);
void mqr_array_put(struct mqr_array *array);
/* ->open of the disk: refuses while the array is being stopped. */
int mqr_array_open(struct gendisk *disk);
/*
 * /sys/block/mqrN/slaves/DEV and DEV/holders/mqrN.  Not under [cfg] (6.1
 * takes disk->open_mutex, whose holder may wait for the meta work).  Members
 * are linked in array.c; whoever closes one unlinks it before.
 */
void mqr_member_link(struct mqr_member *member);
void mqr_member_unlink(struct mqr_member *member);
void mqr_config_lock(struct mqr_array *array);
void mqr_config_unlock(struct mqr_array *array);

/* status.c: 0, or -ENODEV if the array is being stopped */
int mqr_array_status(struct mqr_array *array, struct mqr_ioc_status *st);

/* member.c: devices and their errors */
struct mqr_member *mqr_member_open(dev_t dev, struct mqr_why *why);
void mqr_member_put(struct mqr_member *member);
/* [any context] the member is to be taken out of the array because of @what */
void mqr_member_fail(struct mqr_member *member, const char *what);
int mqr_member_add(struct mqr_array *array, const struct mqr_ioc_member *arg,
		   struct mqr_why *why);
int mqr_member_remove(struct mqr_array *array, const struct mqr_ioc_member *arg,
		      struct mqr_why *why);
int mqr_member_fail_user(struct mqr_array *array,
			 const struct mqr_ioc_member *arg, struct mqr_why *why);
/* A write failed with @status: the member has missed it.  [any] */
void mqr_member_write_error(struct mqr_member *member, blk_status_t status);
/*
 * A read of @sectors failed and was (or could not be) mended; fails the
 * member when it happens too often.  [any]
 */
void mqr_member_read_error(struct mqr_member *member, unsigned int sectors,
			   bool corrected);
/* Submit to the member: bi_sector counts from data_offset.  [task] */
void mqr_member_submit(struct mqr_member *member, struct bio *bio);

/*
 * Do superblocks on stable storage name this epoch, so that writes may be
 * acknowledged?  [any]
 */
static inline bool mqr_conf_stable(const struct mqr_conf *conf)
{
	/* Pairs with the release in mqr_meta_write(). */
	return smp_load_acquire(&conf->stable);
}

/* epoch.c */
struct mqr_conf *mqr_conf_get(struct mqr_array *array);
void mqr_conf_put(struct mqr_conf *conf);
struct mqr_conf *mqr_conf_alloc(struct mqr_array *array, gfp_t gfp);
void mqr_conf_free(struct mqr_conf *conf);
/* Make the next epoch from the members' states and publish it.  [cfg] */
void mqr_conf_publish(struct mqr_array *array);
/* The current epoch.  [cfg] */
struct mqr_conf *mqr_conf_current(struct mqr_array *array);
/* Publish an epoch if the reasons to gate mirror writes have changed. [cfg] */
void mqr_conf_regate(struct mqr_array *array);
/* Refill array->next_conf, if there is memory.  [cfg] */
void mqr_conf_refill(struct mqr_array *array);
/*
 * Resume @parked when the current epoch has settled.  [any]  Whoever makes
 * epochs == 1 kicks MQR_META_SETTLED; the meta work clears conf->settling and
 * resumes all waiters.
 */
void mqr_conf_wait_settled(struct mqr_array *array, struct mqr_parked *parked);
/* Retire the last epoch and wait until all are freed (stop). */
void mqr_conf_retire(struct mqr_array *array);

/* metadata.c: the only writer of superblocks */
void mqr_meta_kick(struct mqr_array *array, int flag);
/*
 * Write what is due, and mark the array clean unless writes run; returns
 * when that is done.  Stop (when no I/O runs), reboot.  Not under [cfg]
 */
void mqr_meta_quiesce(struct mqr_array *array);
void mqr_meta_work(struct work_struct *work);
/* Write all superblocks now: events + 1.  0, or -EIO if too few are left. */
int mqr_meta_write(struct mqr_array *array);
/* Read and decode one superblock.  @image: MQR_SB_BYTES, page aligned. */
int mqr_meta_read(struct block_device *bdev, void *image, struct mqr_sb *sb,
		  struct mqr_why *why);
/* Wait (as a callback) until the current epoch is stable.  [any] */
void mqr_meta_park(struct mqr_array *array, struct mqr_parked *parked);
/* True, and a reference of array->writers; or false and parked.  [task] */
bool mqr_write_begin(struct mqr_array *array, struct mqr_parked *parked);
void mqr_write_end(struct mqr_array *array);
/* Of array->writers, which begins dead: the array is assembled clean. */
void mqr_writers_release(struct percpu_ref *ref);
void mqr_idle_work(struct work_struct *work);

/*
 * fail.c: take failing members out: states, a new epoch, broken.  True: there
 * were any, superblocks are due.  [cfg]
 */
bool mqr_meta_expel(struct mqr_array *array);

/*
 * events.c: uevents and pollers are told by a work of its own: they need
 * memory, and the meta work must not.
 */
enum mqr_event_id {
	MQR_EVENT_DEGRADED,
	MQR_EVENT_FAILED,
	MQR_EVENT_SPARE_FAILED,
	MQR_EVENT_SPARE_ADDED,
	MQR_EVENT_MEMBER_REMOVED,
	MQR_EVENT_SYNC_STARTED,
	MQR_EVENT_SYNC_FINISHED,
	MQR_EVENT_SYNC_FAILED,
	/* no uevent, only pollers: a checkpoint was written */
	MQR_EVENT_PROGRESS,
};
/* [cfg] */
void mqr_event_later(struct mqr_array *array, enum mqr_event_id id);
void mqr_event_work(struct work_struct *work);

/* walk.c: how far a walk has come */
bool mqr_walk_row_done(const struct mqr_walk *walk, u64 row);
void mqr_walk_set_row(struct mqr_walk *walk, u64 row);
void mqr_walk_init(struct mqr_walk *walk, u64 done);

/* recovery.c: resync, rebuild, check, repair */
struct mqr_sync *mqr_sync_create(struct mqr_array *array);
void mqr_sync_destroy(struct mqr_array *array);
/* Start what the members' states call for, take over what has ended. [cfg] */
void mqr_sync_update(struct mqr_array *array);
/* Give up a resync that missing members have made pointless.  [cfg] */
void mqr_sync_trust_parity(struct mqr_array *array);
/* The user's check, repair (start) or idle (stop these).  Not under [cfg] */
int mqr_sync_request(struct mqr_array *array, u32 action, struct mqr_why *why);
void mqr_sync_status(struct mqr_array *array, struct mqr_ioc_status *st);
/* Copy the positions of a running walk to the superblocks' fields.  [cfg] */
void mqr_sync_record(struct mqr_array *array);

/* control.c, sysfs.c */
int mqr_control_init(void);
void mqr_control_exit(void);
/* Added together with the disk, so that they exist when its uevent comes. */
extern const struct attribute_group *mqr_sysfs_groups[];
/* Tell pollers of the file @name.  [task] */
void mqr_sysfs_notify(struct mqr_array *array, const char *name);
/* uevent CHANGE with MQRAID_EVENT=@event.  [task] */
void mqr_event(struct mqr_array *array, const char *event);

/* gate.c: who may change a row */
int mqr_gates_create(struct mqr_array *array);
void mqr_gates_destroy(struct mqr_array *array);
/* Queue @list, all of one row, for it; run it now if the row is free. [task] */
void mqr_gate_enter(struct mqr_io *list);
/* True: the gate is idle.  False: *list is the next batch, oldest first */
bool mqr_gate_leave(unsigned long *gate, struct mqr_io **list);
unsigned long *mqr_gate_of(struct mqr_array *array, u64 row);

/* plug.c: merging under a task's plug */
bool mqr_plug_add(struct mqr_io *io);

/* worker.c: per-CPU continuation */
int mqr_workers_create(void);
void mqr_workers_destroy(void);
/* Run @task soon, in the worker of this CPU.  [any] */
void mqr_worker_push(struct mqr_task *task);
/* The same on @cpu (of many rows, each elsewhere). */
void mqr_worker_push_on(struct mqr_task *task, int cpu);
/* Does a worker of ours run this?  [task] */
bool mqr_in_worker(void);

/* bio.c: entry of user I/O, and its end */
extern const struct block_device_operations mqr_fops;
void mqr_io_end(struct mqr_io *io);
int mqr_pools_create(struct mqr_array *array);
void mqr_pools_destroy(struct mqr_array *array);
void mqr_submit_bio(struct bio *bio);
/* Begin a write (again), in a worker.  [any] */
void mqr_write_resume(struct mqr_parked *parked);

/* flush.c */
void mqr_flush(struct mqr_array *array, struct bio *bio);
size_t mqr_flush_bytes(const struct mqr_array *array);

/* mirror.c: RAID 1/10 without the gate */
bool mqr_mirror_start(struct mqr_io *io);
void mqr_gate_mirrors(struct mqr_array *array);
size_t mqr_mirror_bytes(const struct mqr_array *array);
int mqr_mirror_pick(struct mqr_conf *conf, u64 row, const struct bio *bio);

/* inject.c: only in kernels that have fault injection */
#ifdef CONFIG_FAULT_INJECTION_DEBUG_FS
bool mqr_inject_no_memory(void);
void mqr_inject_init(void);
void mqr_inject_exit(void);
#else
static inline bool mqr_inject_no_memory(void)
{
	return false;
}

static inline void mqr_inject_init(void)
{
}

static inline void mqr_inject_exit(void)
{
}
#endif

/* stripe.c, stripe_io.c, stripe_calc.c: one batch of one row */
int mqr_stripes_create(struct mqr_array *array);
void mqr_stripes_destroy(struct mqr_array *array);
/* @list: the owner of the gate runs these, all of one gate.  [task] */
void mqr_stripe_run(struct mqr_array *array, unsigned long *gate,
		    struct mqr_io *list);

#endif
