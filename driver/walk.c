// SPDX-License-Identifier: GPL-2.0
/*
 * Walking over the rows of an array: how far a walk has come, as everybody
 * sees it without a lock, and the loop that keeps rows in flight.
 *
 * A row is right if it lies below @done and in no hole, or its bit is set.
 * The bit of a row is shared with the rows that are a window away.
 *
 * Who does what, in this order:
 *
 *	walker  begin row r    r < done + WINDOW; store-release issued = r + 1;
 *	                       then hand r to a worker
 *	engine  row r is right smp_mb; set the bit of r (owning the gate of r)
 *	walker  rows below n are over
 *	                       add the holes among them; store-release
 *	                       done = n; smp_mb; clear their bits
 *	reader  D1 = done, acquire; right if r < D1 and in no hole
 *	        I = issued, acquire; not right if r >= I
 *	        B = the bit, acquire
 *	        D2 = done, acquire; right if r < D2 and in no hole
 *	        right if B
 *
 * "Right" is never said too early: with r < done, the walker has seen r end.
 * Else B was read as set.  Not by row r - WINDOW: its bit was cleared before
 * r was issued, and the reader has seen r issued.  If by row r + WINDOW, then
 * done had passed r before that was issued; its setter knew so, and with it
 * the reader, whose D2 then is above r.  So it was set by r.
 *
 * "Right" is never said too late to the owner of the row's gate: r can't be
 * finished meanwhile.  If it had been before, the bit was set before the gate
 * was left.  If B wasn't set any more, the walker cleared it, after done had
 * passed r, and D2 shows that.  (Others may be told late; they then use the
 * gate, or another member.)
 *
 * A litmus test of this needs two threads, with WINDOW = 1: the walker that
 * advances, clears, issues; the reader; "exists" B from r + 1 and D2 <= r.
 */
#include <linux/cpumask.h>
#include <linux/kthread.h>

#include "recovery.h"

#define MQR_CHECKPOINT_TIME (10 * HZ)
#define MQR_CHECKPOINT_PARTS 16
#define MQR_PACE_LAG_MS 1000
#define MQR_PACE_WAIT_MS 500
#define MQR_LOST_LOGGED 20

void mqr_walk_init(struct mqr_walk *walk, u64 done)
{
	memset(walk, 0, sizeof(*walk));
	atomic64_set(&walk->done, done);
	atomic64_set(&walk->issued, done);
}

void mqr_walk_rewind(struct mqr_walk *walk, u64 start)
{
	/* Bits and holes stay: I/O of older epochs may still look at them. */
	atomic64_set(&walk->issued, start);
	atomic64_set_release(&walk->done, start);
}

void mqr_walk_restart(struct mqr_walk *walk)
{
	unsigned int i;

	for (i = 0; i < MQR_WALK_WINDOW; i++)
		clear_bit(i, walk->window);
	WRITE_ONCE(walk->holes, 0);
}

/* The caller has seen (acquired) that the walk is past @row. */
static bool mqr_walk_in_hole(const struct mqr_walk *walk, u64 row)
{
	unsigned int i, holes = READ_ONCE(walk->holes);

	for (i = 0; i < holes; i++)
		if (row >= READ_ONCE(walk->hole[i].first) &&
		    row < READ_ONCE(walk->hole[i].end))
			return true;
	return false;
}

/* [any context] */
bool mqr_walk_row_done(const struct mqr_walk *walk, u64 row)
{
	bool set;

	if (row < atomic64_read_acquire(&walk->done))
		return !mqr_walk_in_hole(walk, row);
	if (row >= atomic64_read_acquire(&walk->issued))
		return false;
	set = test_bit_acquire(row % MQR_WALK_WINDOW, walk->window);
	if (row < atomic64_read_acquire(&walk->done))
		return !mqr_walk_in_hole(walk, row);
	return set;
}

/* By the owner of the row's gate, when all members have completed. [any] */
void mqr_walk_set_row(struct mqr_walk *walk, u64 row)
{
	/* What the row is made of comes before its bit: full, as tests are. */
	smp_mb__before_atomic();
	set_bit(row % MQR_WALK_WINDOW, walk->window);
}

u64 mqr_walk_position(const struct mqr_walk *walk)
{
	u64 done = atomic64_read_acquire(&walk->done);

	if (READ_ONCE(walk->holes))
		return min(done, READ_ONCE(walk->hole[0].first));
	return done;
}

/* Rows up to @next are over.  [walker] */
static void mqr_walk_advance(struct mqr_walk *walk, u64 next)
{
	u64 row = atomic64_read(&walk->done);

	atomic64_set_release(&walk->done, next);
	/* @done before the bits: whoever finds one cleared looks again. */
	smp_mb();
	for (; row < next; row++)
		clear_bit(row % MQR_WALK_WINDOW, walk->window);
}

/*
 * @row is over, but not right.  [walker]  When there are too many holes, the
 * last one grows over right rows: that only means more work later.
 */
static void mqr_walk_add_hole(struct mqr_walk *walk, u64 row)
{
	unsigned int n = walk->holes;

	if (n && (walk->hole[n - 1].end == row || n == MQR_WALK_HOLES)) {
		WRITE_ONCE(walk->hole[n - 1].end, row + 1);
		return;
	}
	WRITE_ONCE(walk->hole[n].first, row);
	WRITE_ONCE(walk->hole[n].end, row + 1);
	/* The hole before the count that makes it visible. */
	smp_store_release(&walk->holes, n + 1);
}

static u64 mqr_walk_sectors(const struct mqr_sync *sync)
{
	return mqr_geo_member_done(&sync->array->geo,
				   atomic64_read(&sync->walk->done));
}

static void mqr_speed_note(struct mqr_sync *sync)
{
	struct mqr_speed_mark *last;

	spin_lock_irq(&sync->lock);
	last = &sync->mark[(sync->marks - 1) % MQR_SPEED_MARKS];
	if (!sync->marks || time_after_eq(jiffies, last->time + HZ)) {
		sync->mark[sync->marks++ % MQR_SPEED_MARKS] =
			(struct mqr_speed_mark){
				.time = jiffies,
				.sectors = mqr_walk_sectors(sync),
			};
	}
	spin_unlock_irq(&sync->lock);
}

u64 mqr_sync_speed(struct mqr_sync *sync)
{
	struct mqr_speed_mark old = {};
	unsigned long time;
	u64 now;

	spin_lock_irq(&sync->lock);
	if (sync->marks > MQR_SPEED_MARKS)
		old = sync->mark[sync->marks % MQR_SPEED_MARKS];
	else if (sync->marks)
		old = sync->mark[0];
	spin_unlock_irq(&sync->lock);
	time = jiffies - old.time;
	now = mqr_walk_sectors(sync);
	/* The marks may still be those of the walk before. */
	if (!old.time || !time || now < old.sectors)
		return 0;
	return div64_u64((now - old.sectors) * HZ, time);
}

/* Log the range of lost rows that has come to its end. */
static void mqr_lost_flush(struct mqr_sync *sync)
{
	const struct mqr_geo *g = &sync->array->geo;

	if (sync->lost.first == sync->lost.end)
		return;
	if (sync->lost_logged < MQR_LOST_LOGGED)
		mqr_warn(sync->array,
			 "rows %llu to %llu (sectors %llu to %llu of each "
			 "member) hold sectors that nothing can reconstruct",
			 sync->lost.first, sync->lost.end - 1,
			 mqr_geo_member_done(g, sync->lost.first),
			 mqr_geo_member_done(g, sync->lost.end) - 1);
	else if (sync->lost_logged == MQR_LOST_LOGGED)
		mqr_warn(sync->array, "more such rows are counted only");
	sync->lost_logged++;
	sync->lost.first = 0;
	sync->lost.end = 0;
}

static void mqr_lost_note(struct mqr_sync *sync, u64 row)
{
	if (sync->lost.end != row || sync->lost.first == sync->lost.end) {
		mqr_lost_flush(sync);
		sync->lost.first = row;
	}
	sync->lost.end = row + 1;
}

/* False: the row failed, and the walk ends before it. */
static bool mqr_row_result(struct mqr_sync *sync, const struct mqr_io *io)
{
	atomic64_add(io->mismatches, &sync->mismatches);
	if (!io->status)
		return true;
	if (io->status != BLK_STS_MEDIUM || !io->lost_sectors) {
		sync->result = -EIO;
		return false;
	}
	atomic64_add(io->lost_sectors, &sync->lost_sectors);
	mqr_lost_note(sync, io->row);
	mqr_walk_add_hole(sync->walk, io->row);
	return true;
}

/* Take over rows that are finished, in order. */
static void mqr_rows_reap(struct mqr_sync *sync)
{
	u64 done = atomic64_read(&sync->walk->done);
	u64 issued = atomic64_read(&sync->walk->issued);
	u64 next = done;

	while (!sync->result && next < issued) {
		struct mqr_row *row = &sync->row[next % MQR_WALK_WINDOW];

		/* Pairs with the release in mqr_row_done(). */
		if (!smp_load_acquire(&row->finished) ||
		    !mqr_row_result(sync, &row->io))
			break;
		next++;
	}
	if (next != done)
		mqr_walk_advance(sync->walk, next);
}

/* The engine is through with a row.  [any context] */
static void mqr_row_done(struct mqr_io *io)
{
	struct mqr_row *row = container_of(io, struct mqr_row, io);
	struct mqr_sync *sync = row->sync;
	unsigned long flags;

	/* All under the lock: @sync may be gone as soon as it is released. */
	spin_lock_irqsave(&sync->lock, flags);
	/* The result before the flag. */
	smp_store_release(&row->finished, true);
	sync->inflight--;
	wake_up(&sync->wait);
	spin_unlock_irqrestore(&sync->lock, flags);
}

static void mqr_row_enter(struct mqr_task *task)
{
	mqr_gate_enter(container_of(task, struct mqr_io, task));
}

/* Each row elsewhere, so that all CPUs compute. */
static int mqr_next_cpu(struct mqr_sync *sync)
{
	sync->cpu = cpumask_next(sync->cpu, cpu_online_mask);
	if (sync->cpu >= nr_cpu_ids)
		sync->cpu = cpumask_first(cpu_online_mask);
	return sync->cpu;
}

static void mqr_row_issue(struct mqr_sync *sync)
{
	u64 next = atomic64_read(&sync->walk->issued);
	struct mqr_row *row = &sync->row[next % MQR_WALK_WINDOW];
	struct mqr_io *io = &row->io;

	memset(io, 0, sizeof(*io));
	io->array = sync->array;
	io->row = next;
	io->kind = MQR_IO_ROW;
	io->action = sync->action;
	io->done = mqr_row_done;
	io->task.run = mqr_row_enter;
	row->sync = sync;
	row->finished = false;
	spin_lock_irq(&sync->lock);
	sync->inflight++;
	spin_unlock_irq(&sync->lock);

	atomic64_set_release(&sync->walk->issued, next + 1);
	mqr_worker_push_on(&io->task, mqr_next_cpu(sync));
}

static void mqr_pace_begin(struct mqr_sync *sync, u32 limit)
{
	sync->pace_limit = limit;
	sync->pace_start = jiffies;
	sync->pace_row = atomic64_read(&sync->walk->issued);
}

/* Milliseconds until the next row may begin, for sync_speed_max. */
static unsigned int mqr_pace_delay(struct mqr_sync *sync)
{
	const struct mqr_geo *g = &sync->array->geo;
	u32 limit = READ_ONCE(sync->array->sync_speed_max_kb);
	u64 sectors, due, elapsed;

	if (!limit)
		return 0;
	if (limit != sync->pace_limit)
		mqr_pace_begin(sync, limit);
	sectors = mqr_geo_member_done(g, atomic64_read(&sync->walk->issued)) -
		  mqr_geo_member_done(g, sync->pace_row);
	due = div_u64(sectors * 500, limit);
	elapsed = jiffies_to_msecs(jiffies - sync->pace_start);
	/* What wasn't possible before isn't made up for. */
	if (elapsed > due + MQR_PACE_LAG_MS) {
		mqr_pace_begin(sync, limit);
		return 0;
	}
	return due > elapsed ? min_t(u64, due - elapsed, MQR_PACE_WAIT_MS) : 0;
}

static bool mqr_rows_halted(struct mqr_sync *sync)
{
	return sync->result || mqr_sync_cancelled(sync);
}

/* Is there a row to begin, and room for it? */
static bool mqr_rows_room(struct mqr_sync *sync)
{
	u64 issued = atomic64_read(&sync->walk->issued);
	unsigned int most =
		clamp_t(unsigned int, READ_ONCE(sync->array->sync_rows), 1,
			MQR_WALK_WINDOW);

	return issued < sync->array->geo.rows &&
	       issued - atomic64_read(&sync->walk->done) < MQR_WALK_WINDOW &&
	       READ_ONCE(sync->inflight) < most && !mqr_rows_halted(sync);
}

/* Has the oldest row finished, so that there is something to take over? */
static bool mqr_rows_ripe(struct mqr_sync *sync)
{
	u64 done = atomic64_read(&sync->walk->done);
	const struct mqr_row *row = &sync->row[done % MQR_WALK_WINDOW];
	bool finished;

	/* Pairs with the release in mqr_row_done(). */
	finished = smp_load_acquire(&row->finished);
	return !sync->result && finished &&
	       done < atomic64_read(&sync->walk->issued);
}

static bool mqr_rows_over(struct mqr_sync *sync)
{
	unsigned int inflight;

	spin_lock_irq(&sync->lock);
	inflight = sync->inflight;
	spin_unlock_irq(&sync->lock);
	return !inflight && !mqr_rows_ripe(sync) &&
	       (mqr_rows_halted(sync) ||
		atomic64_read(&sync->walk->done) == sync->array->geo.rows);
}

/* Ask for superblocks with the position: mqr_sync_record() fills it in. */
static void mqr_rows_checkpoint(struct mqr_sync *sync)
{
	u64 done = atomic64_read(&sync->walk->done);
	u64 part = max_t(u64, sync->array->geo.rows / MQR_CHECKPOINT_PARTS, 1);
	unsigned long time = jiffies - sync->checkpoint_time;

	if (time < HZ || done == sync->checkpoint_row ||
	    (time < MQR_CHECKPOINT_TIME && done - sync->checkpoint_row < part))
		return;
	sync->checkpoint_time = jiffies;
	sync->checkpoint_row = done;
	if (sync->action == MQR_SYNC_REBUILD || sync->action == MQR_SYNC_RESYNC)
		mqr_meta_kick(sync->array, MQR_META_WRITE);
}

/* Is there anything to do but wait?  @paced: no row may begin now. */
static bool mqr_rows_event(struct mqr_sync *sync, bool paced)
{
	if (mqr_rows_ripe(sync))
		return true;
	if (mqr_rows_halted(sync))
		return !READ_ONCE(sync->inflight);
	return !paced && mqr_rows_room(sync);
}

static void mqr_rows_wait(struct mqr_sync *sync, unsigned int delay)
{
	unsigned long timeout = delay ? msecs_to_jiffies(delay) : HZ;

	wait_event_idle_timeout(sync->wait, mqr_rows_event(sync, delay),
				timeout);
}

static void mqr_rows_begin(struct mqr_sync *sync)
{
	mqr_walk_restart(sync->walk);
	sync->result = 0;
	sync->lost = (struct mqr_hole){};
	sync->lost_logged = 0;
	sync->checkpoint_time = jiffies;
	sync->checkpoint_row = sync->first;
	mqr_pace_begin(sync, 0);
	spin_lock_irq(&sync->lock);
	sync->marks = 0;
	spin_unlock_irq(&sync->lock);
}

void mqr_sync_run(struct mqr_sync *sync)
{
	unsigned int delay;

	mqr_rows_begin(sync);
	for (;;) {
		mqr_rows_reap(sync);
		mqr_speed_note(sync);
		mqr_rows_checkpoint(sync);
		if (mqr_rows_over(sync))
			break;
		delay = 0;
		while (mqr_rows_room(sync)) {
			delay = mqr_pace_delay(sync);
			if (delay)
				break;
			mqr_row_issue(sync);
		}
		mqr_rows_wait(sync, delay);
	}
	mqr_lost_flush(sync);
	if (!sync->result &&
	    atomic64_read(&sync->walk->done) != sync->array->geo.rows)
		sync->result = -ECANCELED;
}
