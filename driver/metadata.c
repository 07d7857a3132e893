// SPDX-License-Identifier: GPL-2.0
/*
 * The meta work, the only writer of superblocks; and marking the array clean
 * and dirty.  What becomes of members that fail is in fail.c.
 *
 * A pass of the meta work:
 *
 *	1. take the list of parked I/O, and only then look which members fail:
 *	   a write that failed marks its member before it parks, so whatever
 *	   has been taken is covered by what is seen
 *	2. take failing members out: states, and an epoch without them
 *	3. decide between clean and dirty
 *	4. write superblocks, if anything is to be told; a member that can't
 *	   be written fails, and it begins again with the next event number
 *	5. mark the epoch stable; let go what has been taken in step 1, and
 *	   nothing that parked since: the next pass does that
 *
 * What must be on stable storage before what:
 *
 *	- a superblock without the failed member, before a write that the
 *	  member has missed is acknowledged: it would look current later
 *	- "dirty", before the first write to any member
 *	- everything written, on all members, before "clean", or a position of
 *	  the resync, on any of them: members are flushed before, as one that
 *	  says "clean" speaks for all
 *	- what a member holds below its recovery_offset, before the
 *	  superblock that says so: both are on that member, and PREFLUSH of
 *	  the write takes care of it
 *
 * None of this needs memory: bios and pages of superblocks belong to the
 * members, epochs come from a reserve, messages are sent by another work.
 *
 * Clean and dirty, for redundant arrays ([cfg] active, draining):
 *
 *	CLEAN    --write parks-->      ACTIVE    superblocks dirty, then
 *	                                         @writers live, writes resumed
 *	ACTIVE   --idle-->             DRAINING  @writers killed
 *	DRAINING --write parks-->      ACTIVE    @writers resurrected, resumed
 *	DRAINING --@writers is zero--> CLEAN     superblocks clean
 *
 * A write that finds @writers dead parks, then kicks; each pass looks at
 * the list after it has moved the machine, so no write is left behind.  The
 * release of @writers kicks, too; a late kick finds another state and does
 * no harm, as the state and the reference decide, not the kick.
 *
 * A broken array (too few members) keeps its superblocks as they are: all
 * that could be written would make it harder to force it together later.  It
 * counts as active, so that writes get in, and fail.
 */
#include <linux/ktime.h>
#include <linux/raid/md_p.h>

#include "mqraid.h"

/* How often to look if marking the array clean is disabled. */
#define MQR_NO_SAFE_DELAY_MS 1000
#define MQR_QUIESCE_TIMEOUT (10 * HZ)

/* Superblocks or flushes on their way to all members. */
struct mqr_meta_batch {
	atomic_t pending;
	struct completion done;
};

static void mqr_meta_wake(struct mqr_array *array)
{
	queue_work(mqr_meta_wq, &array->meta_work);
}

/* [any context] */
void mqr_meta_kick(struct mqr_array *array, int flag)
{
	set_bit(flag, &array->meta_flags);
	mqr_meta_wake(array);
}

void mqr_meta_park(struct mqr_array *array, struct mqr_parked *parked)
{
	llist_add(&parked->node, &array->parked);
	mqr_meta_wake(array);
}

static int mqr_meta_errno(enum mqr_sb_error error)
{
	switch (error) {
	case MQR_SB_OK:
		return 0;
	case MQR_SB_NONE:
		return -ENODATA;
	case MQR_SB_DAMAGED:
		return -EUCLEAN;
	default:
		return -EOPNOTSUPP;
	}
}

int mqr_meta_read(struct block_device *bdev, void *image, struct mqr_sb *sb,
		  struct mqr_why *why)
{
	struct mqr_why detail = {};
	struct bio_vec vec;
	struct bio bio;
	int err;

	bio_init(&bio, bdev, &vec, 1, REQ_OP_READ | REQ_META | REQ_SYNC);
	bio.bi_iter.bi_sector = MQR_SB_SECTOR;
	__bio_add_page(&bio, virt_to_page(image), MQR_SB_BYTES,
		       offset_in_page(image));
	err = submit_bio_wait(&bio);
	bio_uninit(&bio);
	if (err) {
		mqr_because(why, "%pg: its superblock can't be read (error %d)",
			    bdev, err);
		return err;
	}
	err = mqr_meta_errno(
		mqr_sb_decode(sb, image, bdev_nr_sectors(bdev), &detail));
	if (err)
		mqr_because(why, "%pg: %s", bdev, detail.text);
	return err;
}

static bool mqr_member_has_data(const struct mqr_member *member)
{
	return member->state == MQR_MEMBER_IN_SYNC ||
	       member->state == MQR_MEMBER_REBUILDING;
}

static bool mqr_member_has_super(const struct mqr_member *member)
{
	return mqr_member_has_data(member) || member->state == MQR_MEMBER_SPARE;
}

static u16 mqr_member_role(const struct mqr_member *member)
{
	if (mqr_member_has_data(member))
		return member->slot;
	return member->state == MQR_MEMBER_SPARE ? MQR_ROLE_SPARE
						 : MQR_ROLE_FAULTY;
}

/*
 * A number for a device that shares its own with another one.  Numbers that
 * a former member may still bear are taken when nothing else is left.
 */
static u32 mqr_free_number(struct mqr_sb *sb, const unsigned long *used)
{
	u32 i, reused = MQR_SB_MAX_DEV;

	for (i = 0; i < MQR_SB_MAX_DEV; i++) {
		if (test_bit(i, used))
			continue;
		if (i >= sb->max_dev || sb->role[i] == MQR_ROLE_SPARE)
			break;
		reused = min(reused, i);
	}
	if (i == MQR_SB_MAX_DEV)
		i = reused;
	for (; sb->max_dev <= i; sb->max_dev++)
		sb->role[sb->max_dev] = MQR_ROLE_SPARE;
	return i;
}

/*
 * Two devices of one number would both take the role of the last one, so
 * that a spare might claim a slot: members keep theirs, others give way.
 */
static void mqr_meta_number(struct mqr_array *array, unsigned long *used,
			    bool slots)
{
	struct mqr_member *member;

	list_for_each_entry(member, &array->members, list) {
		struct mqr_sb *sb = &member->sb;

		bool has_slot = member->slot >= 0;

		if (has_slot != slots)
			continue;
		if (sb->dev_number >= array->sb.max_dev ||
		    test_bit(sb->dev_number, used))
			sb->dev_number = mqr_free_number(&array->sb, used);
		__set_bit(sb->dev_number, used);
	}
}

/* The table of roles: who isn't there any more has left its slot. */
static void mqr_meta_roles(struct mqr_array *array)
{
	DECLARE_BITMAP(used, MQR_SB_MAX_DEV) = {};
	struct mqr_sb *sb = &array->sb;
	struct mqr_member *member;
	u32 i;

	mqr_meta_number(array, used, true);
	mqr_meta_number(array, used, false);
	for (i = 0; i < sb->max_dev; i++)
		if (sb->role[i] < sb->raid_disks)
			sb->role[i] = MQR_ROLE_FAULTY;
	list_for_each_entry(member, &array->members, list)
		sb->role[member->sb.dev_number] = mqr_member_role(member);
}

/* Make the image of @member's superblock. */
static void mqr_meta_fill(struct mqr_member *member)
{
	const struct mqr_array *array = member->array;
	const struct mqr_sb *from = &array->sb;
	struct mqr_sb *to = &member->sb;

	memcpy(to->set_name, from->set_name, sizeof(to->set_name));
	to->ctime = from->ctime;
	to->utime = from->utime;
	to->level = from->level;
	to->layout = from->layout;
	to->size = from->size;
	to->chunk_sectors = from->chunk_sectors;
	to->raid_disks = from->raid_disks;
	to->events = from->events;
	to->logical_block_size = from->logical_block_size;
	to->max_dev = from->max_dev;
	memcpy(to->role, from->role, sizeof(to->role));
	/* As md does: while writes may run, nothing is said to be right. */
	to->resync_offset = array->active ? 0 : from->resync_offset;

	to->feature_map |= MQR_FEATURE_OWNER;
	to->feature_map &= ~MD_FEATURE_RECOVERY_OFFSET;
	if (member->state == MQR_MEMBER_REBUILDING)
		to->feature_map |= MD_FEATURE_RECOVERY_OFFSET;
	else
		to->recovery_offset = MQR_ALL_DONE;
	to->corrected_reads =
		min_t(u64, atomic64_read(&member->corrected), U32_MAX);
	mqr_sb_encode(to, member->image);
}

static void mqr_meta_endio(struct bio *bio)
{
	struct mqr_meta_batch *batch = bio->bi_private;

	if (atomic_dec_and_test(&batch->pending))
		complete(&batch->done);
}

/* Write the image, or only flush. */
static void mqr_meta_submit(struct mqr_member *member, bool flush,
			    struct mqr_meta_batch *batch)
{
	struct bio *bio = &member->meta_bio;

	bio_init(bio, member->bdev, &member->meta_vec, 1,
		 REQ_OP_WRITE | REQ_PREFLUSH | REQ_SYNC |
			 (flush ? 0 : REQ_FUA | REQ_META | REQ_PRIO));
	if (!flush) {
		bio->bi_iter.bi_sector = MQR_SB_SECTOR;
		__bio_add_page(bio, virt_to_page(member->image), MQR_SB_BYTES,
			       offset_in_page(member->image));
	}
	bio->bi_private = batch;
	bio->bi_end_io = mqr_meta_endio;
	atomic_inc(&batch->pending);
	submit_bio(bio);
}

/* True: all of them have done it.  Those that haven't are failing now. */
static bool mqr_meta_send(struct mqr_array *array, bool flush)
{
	struct mqr_meta_batch batch = {
		.pending = ATOMIC_INIT(1),
		.done = COMPLETION_INITIALIZER_ONSTACK(batch.done),
	};
	struct mqr_member *member;
	bool all = true;

	list_for_each_entry(member, &array->members, list)
		if (flush ? mqr_member_has_data(member)
			  : mqr_member_has_super(member))
			mqr_meta_submit(member, flush, &batch);
	if (!atomic_dec_and_test(&batch.pending))
		wait_for_completion(&batch.done);

	/* States don't change under our lock: these are the same. */
	list_for_each_entry(member, &array->members, list) {
		struct bio *bio = &member->meta_bio;

		if (flush ? !mqr_member_has_data(member)
			  : !mqr_member_has_super(member))
			continue;
		bio_uninit(bio);
		if (!bio->bi_status ||
		    (flush && bio->bi_status == BLK_STS_NOTSUPP))
			continue;
		mqr_member_fail(member, flush ? "could not be flushed"
					      : "its superblock could not be "
						"written");
		all = false;
	}
	return all;
}

/* One event.  False: members failed, and the superblocks are wrong again. */
static bool mqr_meta_write_once(struct mqr_array *array)
{
	struct mqr_member *member;

	/* Positions first: what lies below them is covered by the flush. */
	mqr_sync_record(array);
	if (mqr_array_redundant(array) && !array->active &&
	    !mqr_meta_send(array, true))
		return false;
	array->sb.events++;
	array->sb.utime = ktime_get_real_seconds();
	mqr_meta_roles(array);
	list_for_each_entry(member, &array->members, list)
		if (mqr_member_has_super(member))
			mqr_meta_fill(member);
	return mqr_meta_send(array, false);
}

int mqr_meta_write(struct mqr_array *array)
{
	lockdep_assert_held(&array->config_mutex);
	/* Ends: each turn but the last takes a member out. */
	do {
		mqr_meta_expel(array);
	} while (!array->broken && !mqr_meta_write_once(array));

	/* Of a broken array there is nothing to wait for. */
	smp_store_release(&mqr_conf_current(array)->stable, true);
	return array->broken ? -EIO : 0;
}

bool mqr_write_begin(struct mqr_array *array, struct mqr_parked *parked)
{
	if (!mqr_array_redundant(array))
		return true;
	if (likely(percpu_ref_tryget_live(&array->writers))) {
		/* Mostly a load of a line that nobody writes. */
		if (!READ_ONCE(array->wrote))
			WRITE_ONCE(array->wrote, true);
		return true;
	}
	llist_add(&parked->node, &array->parked_writers);
	mqr_meta_kick(array, MQR_META_ACTIVATE);
	return false;
}

void mqr_write_end(struct mqr_array *array)
{
	if (mqr_array_redundant(array))
		percpu_ref_put(&array->writers);
}

/* [any context] */
void mqr_writers_release(struct percpu_ref *ref)
{
	mqr_meta_kick(container_of(ref, struct mqr_array, writers),
		      MQR_META_DRAINED);
}

static void mqr_idle_later(struct mqr_array *array)
{
	unsigned int ms = READ_ONCE(array->safe_delay_ms);

	/* Stop cancels the work once; nothing may start it again. */
	if (READ_ONCE(array->stopping))
		return;
	if (!ms)
		ms = MQR_NO_SAFE_DELAY_MS;
	queue_delayed_work(mqr_meta_wq, &array->idle_work,
			   msecs_to_jiffies(ms));
}

/* Runs while the array is ACTIVE; what it finds is for the meta work. */
void mqr_idle_work(struct work_struct *work)
{
	struct mqr_array *array = container_of(to_delayed_work(work),
					       struct mqr_array, idle_work);

	if (READ_ONCE(array->wrote) || !READ_ONCE(array->safe_delay_ms)) {
		WRITE_ONCE(array->wrote, false);
		mqr_idle_later(array);
	} else {
		mqr_meta_kick(array, MQR_META_IDLE);
	}
}

/* CLEAN or DRAINING -> ACTIVE; superblocks say "dirty" already. */
static void mqr_writers_open(struct mqr_array *array)
{
	/* Dead in both states, and zero or not: resurrecting takes either. */
	percpu_ref_resurrect(&array->writers);
	array->draining = false;
	WRITE_ONCE(array->wrote, true);
	mqr_idle_later(array);
}

static void mqr_meta_idle(struct mqr_array *array)
{
	if (READ_ONCE(array->wrote)) {
		mqr_idle_later(array);
		return;
	}
	array->draining = true;
	percpu_ref_kill(&array->writers);
}

/*
 * Move the machine of clean and dirty.  True: superblocks are due, before
 * array->active has any effect.
 */
static bool mqr_meta_activity(struct mqr_array *array, unsigned long flags)
{
	bool waiting = !llist_empty(&array->parked_writers);

	if (!mqr_array_redundant(array))
		return false;
	if (array->draining) {
		if (waiting || array->broken) {
			mqr_writers_open(array);
		} else if (percpu_ref_is_zero(&array->writers)) {
			array->draining = false;
			array->active = false;
			/* What had to be mended is; the next one gates anew. */
			WRITE_ONCE(array->gate_mirrors, false);
			mqr_conf_regate(array);
			return true;
		}
	} else if (!array->active) {
		array->active = waiting;
		return waiting;
	} else if (flags & BIT(MQR_META_IDLE) && !array->broken) {
		mqr_meta_idle(array);
	}
	return false;
}

/* What a pass lets go when it has left the lock. */
struct mqr_meta_let_go {
	struct llist_node *parked;
	struct llist_node *writers;
	struct llist_node *settled;
};

/* The current epoch is the only one: mirror writes may begin. */
static struct llist_node *mqr_meta_settle(struct mqr_array *array)
{
	if (atomic_read(&array->epochs) != 1)
		return NULL;
	WRITE_ONCE(mqr_conf_current(array)->settling, false);
	/* A full barrier: who missed this is in the next list, and kicks. */
	return llist_del_all(&array->settle_waiters);
}

static void mqr_meta_pass(struct mqr_array *array, struct mqr_meta_let_go *go)
{
	unsigned long flags;
	bool was_active = array->active, due;

	/* Full barriers both: nothing below is looked at before. */
	go->parked = llist_del_all(&array->parked);
	flags = xchg(&array->meta_flags, 0);

	due = mqr_meta_expel(array) || flags & BIT(MQR_META_WRITE);
	if (flags & BIT(MQR_META_GATING))
		mqr_conf_regate(array);
	due |= mqr_meta_activity(array, flags);
	if (due || !mqr_conf_current(array)->stable)
		mqr_meta_write(array);
	if (array->active && !was_active)
		mqr_writers_open(array);
	if (flags & BIT(MQR_META_WRITE))
		mqr_event_later(array, MQR_EVENT_PROGRESS);
	if (flags & BIT(MQR_META_SYNC))
		mqr_sync_update(array);

	if (array->active && !array->draining)
		go->writers = llist_del_all(&array->parked_writers);
	go->settled = mqr_meta_settle(array);
	/* For those who wait for a state: see mqr_meta_quiesce(). */
	wake_up_all(&array->epoch_wait);
}

/* Oldest first.  Each may be gone as soon as it is told. */
static void mqr_resume(struct llist_node *list)
{
	struct mqr_parked *parked, *next;

	list = llist_reverse_order(list);
	llist_for_each_entry_safe(parked, next, list, node)
		parked->resume(parked);
}

void mqr_meta_work(struct work_struct *work)
{
	struct mqr_array *array =
		container_of(work, struct mqr_array, meta_work);
	struct mqr_meta_let_go go = {};

	mqr_config_lock(array);
	/* Without an epoch (stopped) there is no I/O, and nothing to write. */
	if (mqr_conf_current(array))
		mqr_meta_pass(array, &go);
	mqr_config_unlock(array);

	mqr_resume(go.parked);
	mqr_resume(go.writers);
	mqr_resume(go.settled);

	mqr_config_lock(array);
	if (mqr_conf_current(array))
		mqr_conf_refill(array);
	mqr_config_unlock(array);
}

static bool mqr_meta_is_quiet(struct mqr_array *array)
{
	return !READ_ONCE(array->active) || READ_ONCE(array->wrote) ||
	       READ_ONCE(array->broken);
}

void mqr_meta_quiesce(struct mqr_array *array)
{
	/* Pretend that time has passed. */
	WRITE_ONCE(array->wrote, false);
	set_bit(MQR_META_IDLE, &array->meta_flags);
	mqr_meta_kick(array, MQR_META_WRITE);
	flush_work(&array->meta_work);
	/* DRAINING takes a grace period, and as long as writes still run. */
	if (!wait_event_timeout(array->epoch_wait, mqr_meta_is_quiet(array),
				MQR_QUIESCE_TIMEOUT))
		mqr_warn(array, "writes don't end: not marked clean");
	flush_work(&array->meta_work);
	if (!READ_ONCE(array->stopping))
		return;
	/* The release of @writers may not yet have left the array alone. */
	rcu_barrier();
	synchronize_rcu();
}
