// SPDX-License-Identifier: GPL-2.0
/*
 * Gates: at any time one owner may change a row.
 *
 * A gate is one machine word of a table that is indexed by a hash of the
 * row.  Its values and moves, each a single atomic read-modify-write:
 *
 *	0        idle
 *	1        owned, nobody waits
 *	pointer  owned; newest of a chain of waiting requests that ends in 1
 *
 *	0       --enter--> 1        the request's task becomes the owner
 *	1, ptr  --enter--> ptr'     queued: returns at once, never waits
 *	1       --leave--> 0        ownership ends
 *	ptr     --leave--> 1        the owner takes the whole chain along
 *
 * Enter is a full barrier on success (cmpxchg) and so is leave: what the
 * last owner wrote is visible to the next one, and a request that was pushed
 * is completely visible to the owner who takes it.  A pushed request belongs
 * to the owner from that moment on; it may have been ended before enter
 * returns.  tests/litmus/gate-handover.litmus states the claim.
 *
 * Two rows of one hash merely wait for each other.  A request lies in one
 * row, so nobody ever holds two gates: no deadlock by construction.
 */
#include <linux/hash.h>
#include <linux/slab.h>

#include "mqraid.h"

#define MQR_GATE_BITS 16
#define MQR_GATE_OWNED 1UL

int mqr_gates_create(struct mqr_array *array)
{
	array->gates =
		kvcalloc(1 << MQR_GATE_BITS, sizeof(*array->gates), GFP_KERNEL);
	return array->gates ? 0 : -ENOMEM;
}

void mqr_gates_destroy(struct mqr_array *array)
{
	kvfree(array->gates);
	array->gates = NULL;
}

unsigned long *mqr_gate_of(struct mqr_array *array, u64 row)
{
	return &array->gates[hash_64(row, MQR_GATE_BITS)];
}

/* True: the caller owns the gate.  False: @io belongs to the owner. */
static bool mqr_gate_enter_word(unsigned long *gate, struct mqr_io *io)
{
	unsigned long old = READ_ONCE(*gate);

	for (;;) {
		if (!old) {
			if (try_cmpxchg(gate, &old, MQR_GATE_OWNED))
				return true;
			continue;
		}
		io->next = old == MQR_GATE_OWNED ? NULL : (struct mqr_io *)old;
		if (try_cmpxchg(gate, &old, (unsigned long)io))
			return false;
	}
}

void mqr_gate_enter(struct mqr_io *io)
{
	struct mqr_array *array = io->array;
	unsigned long *gate = mqr_gate_of(array, io->row);

	if (!mqr_gate_enter_word(gate, io))
		return;
	io->next = NULL;
	mqr_stripe_run(array, gate, io);
}

bool mqr_gate_leave(unsigned long *gate, struct mqr_io **list)
{
	unsigned long old = MQR_GATE_OWNED;
	struct mqr_io *io, *next, *oldest = NULL;

	if (try_cmpxchg(gate, &old, 0))
		return true;

	/* Only the owner ever removes, so the word is a pointer until we do. */
	io = (struct mqr_io *)xchg(gate, MQR_GATE_OWNED);
	for (; io; io = next) {
		next = io->next;
		io->next = oldest;
		oldest = io;
	}
	*list = oldest;
	return false;
}
