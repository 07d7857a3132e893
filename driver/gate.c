// SPDX-License-Identifier: GPL-2.0
/*
 * Gates: at any time one owner may change a row.
 *
 * A gate is one machine word of a table that is indexed by a hash of the
 * row (core/gate_word.h has its values and moves).  Two rows of one hash
 * merely wait for each other.  A request lies in one row, so nobody ever
 * holds two gates: no deadlock by construction.
 */
#include <linux/hash.h>
#include <linux/slab.h>

#include "mqraid.h"

#define MQR_GATE_BITS 16

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

void mqr_gate_enter(struct mqr_io *list)
{
	struct mqr_array *array = list->array;
	unsigned long *gate = mqr_gate_of(array, list->row);
	struct mqr_io *io, *next;

	for (io = list; io; io = next) {
		/* Once it is queued, it is the owner's, and may be gone. */
		next = io->next;
		if (!mqr_gate_word_enter(gate, &io->link))
			continue;
		io->next = next;
		mqr_stripe_run(array, gate, io);
		return;
	}
}

bool mqr_gate_leave(unsigned long *gate, struct mqr_io **list)
{
	struct mqr_link *oldest = mqr_gate_word_leave(gate);

	if (!oldest)
		return true;
	*list = container_of(oldest, struct mqr_io, link);
	return false;
}
