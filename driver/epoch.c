// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration epochs: what an I/O needs to know about the members, as one
 * immutable struct that is replaced as a whole.
 *
 * Order: the new epoch is published before the old one's reference is killed,
 * so whoever finds an epoch dying finds a younger one by looking again.  All
 * that is changed for an epoch (positions of walks, above all) is changed
 * before it is published, and mqr_conf_get() makes it visible with the epoch.
 *
 * Memory: a transition may be what the write of a swapped page waits for, so
 * epochs are published from a reserve, which is refilled when the writes that
 * waited have been let go.
 *
 * Locks: everything but mqr_conf_get(), _put() and _wait_settled() runs under
 * array->config_mutex.  Whoever waits for epochs to end mustn't hold it: I/O
 * of theirs may be parked, and the meta work needs it to let it go.
 */
#include <linux/delay.h>
#include <linux/slab.h>

#include "mqraid.h"

/* A failure at its worst: one member after another fails while it is noted. */
#define MQR_CONF_RESERVE 4
#define MQR_CONF_RETRY_MS 10

/* The current epoch, with a reference.  [any context] */
struct mqr_conf *mqr_conf_get(struct mqr_array *array)
{
	struct mqr_conf *conf;

	rcu_read_lock();
	do {
		conf = rcu_dereference(array->conf);
	} while (!percpu_ref_tryget_live_rcu(&conf->ref));
	rcu_read_unlock();
	/*
	 * What was stored before rcu_assign_pointer() need not hang on the
	 * pointer: positions of walks don't.
	 */
	smp_rmb();
	return conf;
}

void mqr_conf_put(struct mqr_conf *conf)
{
	percpu_ref_put(&conf->ref);
}

struct mqr_conf *mqr_conf_current(struct mqr_array *array)
{
	return rcu_dereference_protected(array->conf,
					 lockdep_is_held(&array->config_mutex));
}

/*
 * Nobody uses the epoch any more.  Nobody can even be looking at it: killing
 * the reference took a grace period that began after the next epoch was
 * published, so a task that had read the old pointer is through with it.
 */
static void mqr_conf_free_work(struct work_struct *work)
{
	struct mqr_conf *conf = container_of(work, struct mqr_conf, free_work);
	struct mqr_array *array = conf->array;
	unsigned int slot;

	/* Members first: whoever waits for the epoch counts on it. */
	for (slot = 0; slot < MQR_MAX_MEMBERS; slot++)
		if (conf->member[slot])
			mqr_member_put(conf->member[slot]);
	percpu_ref_exit(&conf->ref);
	kfree_rcu(conf, rcu);

	/*
	 * All under the lock, which mqr_conf_retire() takes in the end: the
	 * array may be gone as soon as it is released.
	 */
	spin_lock_irq(&array->epoch_wait.lock);
	if (atomic_dec_return(&array->epochs) == 1)
		mqr_meta_kick(array, MQR_META_SETTLED);
	wake_up_all_locked(&array->epoch_wait);
	spin_unlock_irq(&array->epoch_wait.lock);
}

/* The last reference is gone: go on in task context.  [any] */
static void mqr_conf_release(struct percpu_ref *ref)
{
	struct mqr_conf *conf = container_of(ref, struct mqr_conf, ref);

	queue_work(mqr_meta_wq, &conf->free_work);
}

struct mqr_conf *mqr_conf_alloc(struct mqr_array *array, gfp_t gfp)
{
	struct mqr_conf *conf = kzalloc(sizeof(*conf), gfp);

	if (!conf)
		return NULL;
	if (percpu_ref_init(&conf->ref, mqr_conf_release, 0, gfp)) {
		kfree(conf);
		return NULL;
	}
	INIT_WORK(&conf->free_work, mqr_conf_free_work);
	conf->array = array;
	return conf;
}

/* One that has never been published. */
void mqr_conf_free(struct mqr_conf *conf)
{
	percpu_ref_exit(&conf->ref);
	kfree(conf);
}

void mqr_conf_refill(struct mqr_array *array)
{
	/* Waiting for memory here could be waiting for a write parked now. */
	gfp_t gfp = GFP_NOIO | __GFP_NORETRY | __GFP_NOWARN;

	lockdep_assert_held(&array->config_mutex);
	while (array->spare_confs < MQR_CONF_RESERVE) {
		struct mqr_conf *conf = mqr_conf_alloc(array, gfp);

		/* The next pass of the meta work tries again. */
		if (!conf)
			return;
		conf->next = array->next_conf;
		array->next_conf = conf;
		array->spare_confs++;
	}
}

static struct mqr_conf *mqr_conf_take(struct mqr_array *array)
{
	struct mqr_conf *conf = array->next_conf;

	if (likely(conf)) {
		array->next_conf = conf->next;
		array->spare_confs--;
		return conf;
	}
	/* More failures in a row than the reserve is made for. */
	for (;;) {
		conf = mqr_conf_alloc(array, GFP_NOIO | __GFP_HIGH);
		if (conf)
			return conf;
		msleep(MQR_CONF_RETRY_MS);
	}
}

/* Writes of mirrors pass the gate while one of these is true. */
static bool mqr_conf_gating(struct mqr_array *array,
			    const struct mqr_conf *conf)
{
	if (!array->geo.mirror)
		return false;
	return array->sync_action != MQR_SYNC_IDLE || conf->resync ||
	       conf->rebuilding || READ_ONCE(array->gate_mirrors) ||
	       READ_ONCE(array->mirror_stable);
}

static void mqr_conf_fill(struct mqr_conf *conf)
{
	struct mqr_array *array = conf->array;
	struct mqr_member *member;

	list_for_each_entry(member, &array->members, list) {
		if (member->state == MQR_MEMBER_IN_SYNC)
			conf->in_sync |= BIT_ULL(member->slot);
		else if (member->state == MQR_MEMBER_REBUILDING)
			conf->rebuilding |= BIT_ULL(member->slot);
		else
			continue;
		kref_get(&member->kref);
		conf->member[member->slot] = member;
	}
	/*
	 * With a member missing, parity is all there is: it is used as it is.
	 * Rows that a crash has torn are damaged then (the write hole); that
	 * is why a dirty, degraded array isn't assembled without force.
	 */
	conf->resync = mqr_array_redundant(array) &&
		       array->sb.resync_offset != MQR_ALL_DONE &&
		       (array->geo.mirror || conf->in_sync == mqr_slots(array));
	conf->gated = mqr_conf_gating(array, conf);
	conf->failed = array->broken ||
		       !mqr_geo_survives(&array->geo,
					 mqr_slots(array) & ~conf->in_sync);
}

/* Do the superblocks that name @old name @conf as well? */
static bool mqr_conf_same_members(const struct mqr_conf *old,
				  const struct mqr_conf *conf)
{
	return old->in_sync == conf->in_sync &&
	       old->rebuilding == conf->rebuilding &&
	       !memcmp(old->member, conf->member, sizeof(conf->member));
}

void mqr_conf_publish(struct mqr_array *array)
{
	struct mqr_conf *old = mqr_conf_current(array);
	struct mqr_conf *conf = mqr_conf_take(array);

	lockdep_assert_held(&array->config_mutex);
	mqr_conf_fill(conf);
	if (old) {
		conf->stable = old->stable && mqr_conf_same_members(old, conf);
		conf->settling = array->geo.mirror &&
				 (old->settling || old->gated != conf->gated);
	}
	atomic_inc(&array->epochs);
	rcu_assign_pointer(array->conf, conf);
	if (old)
		percpu_ref_kill(&old->ref);
}

void mqr_conf_regate(struct mqr_array *array)
{
	struct mqr_conf *conf = mqr_conf_current(array);

	if (conf->gated != mqr_conf_gating(array, conf))
		mqr_conf_publish(array);
}

void mqr_conf_wait_settled(struct mqr_array *array, struct mqr_parked *parked)
{
	/*
	 * The meta work clears conf->settling before it takes the list, and
	 * it runs after the kick: whoever comes late for one pass is found by
	 * the next.
	 */
	llist_add(&parked->node, &array->settle_waiters);
	mqr_meta_kick(array, MQR_META_SETTLED);
}

void mqr_conf_retire(struct mqr_array *array)
{
	struct mqr_conf *conf;

	mqr_config_lock(array);
	conf = mqr_conf_current(array);
	RCU_INIT_POINTER(array->conf, NULL);
	if (conf)
		percpu_ref_kill(&conf->ref);
	while (array->next_conf) {
		conf = mqr_conf_take(array);
		mqr_conf_free(conf);
	}
	mqr_config_unlock(array);

	wait_event(array->epoch_wait, !atomic_read(&array->epochs));
	/* Until the one who made it 0 is through with the array. */
	spin_lock_irq(&array->epoch_wait.lock);
	spin_unlock_irq(&array->epoch_wait.lock);
}
