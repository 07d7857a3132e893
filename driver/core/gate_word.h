/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The word behind a gate: at any time one owner, and a list of those who
 * came while it was owned.  Its values and moves, each a single atomic
 * read-modify-write:
 *
 *	0        idle
 *	1        owned, nobody waits
 *	pointer  owned; newest of a chain of waiting links that ends in NULL
 *
 *	0       --enter--> 1        the caller becomes the owner
 *	1, ptr  --enter--> ptr'     queued: returns at once, never waits
 *	1       --leave--> 0        ownership ends
 *	ptr     --leave--> 1        the owner takes the whole chain along
 *
 * Every successful move is a full barrier.  So what the last owner wrote is
 * visible to the next one, and a link is completely visible to the owner who
 * takes it.  A queued link belongs to the owner from that moment on and may
 * be gone before enter returns.  Only the owner ever shortens the chain, so
 * a word that isn't 1 stays a pointer until the owner leaves: no ABA.
 *
 * tests/litmus/gate-handover.litmus states the claim, tests/unit/
 * test_gate.c runs it on threads.
 */
#ifndef MQR_CORE_GATE_WORD_H
#define MQR_CORE_GATE_WORD_H

#include "platform.h"

#define MQR_GATE_OWNED 1UL

struct mqr_link {
	struct mqr_link *next;
};

/* True: the caller owns the gate.  False: @link belongs to the owner. */
static inline bool mqr_gate_word_enter(unsigned long *gate,
				       struct mqr_link *link)
{
	unsigned long old = READ_ONCE(*gate);

	for (;;) {
		if (!old) {
			if (try_cmpxchg(gate, &old, MQR_GATE_OWNED))
				return true;
			continue;
		}
		link->next =
			old == MQR_GATE_OWNED ? NULL : (struct mqr_link *)old;
		if (try_cmpxchg(gate, &old, (unsigned long)link))
			return false;
	}
}

/*
 * By the owner.  NULL: the gate is idle.  Else the caller still owns it, and
 * has all who waited, oldest first.
 */
static inline struct mqr_link *mqr_gate_word_leave(unsigned long *gate)
{
	unsigned long old = MQR_GATE_OWNED;
	struct mqr_link *link, *next, *oldest = NULL;

	if (try_cmpxchg(gate, &old, 0UL))
		return NULL;
	link = (struct mqr_link *)xchg(gate, MQR_GATE_OWNED);
	for (; link; link = next) {
		next = link->next;
		link->next = oldest;
		oldest = link;
	}
	return oldest;
}

#endif
