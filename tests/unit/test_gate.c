// SPDX-License-Identifier: GPL-2.0
/*
 * The gate word: its moves one by one, and under threads.  The stress test
 * guards plain counters by gates: an owner too many, or a request that gets
 * lost or served twice, shows as a wrong count.
 */
#include <pthread.h>

#include "unit.h"

#include "core/gate_word.h"

#define THREADS 4
#define ROUNDS 1000000
#define GATES 1

struct request {
	struct mqr_link link;
	unsigned int gate;
	/* written before enter; the owner must see it */
	u64 value;
};

struct worker {
	pthread_t thread;
	struct request *requests;
	u64 seed;
	/* requests that this thread has served */
	u64 served;
};

static pthread_barrier_t start;

static unsigned long gates[GATES];
/* Guarded by the gate of the same index; not atomic on purpose. */
static u64 sums[GATES];
static u64 owners[GATES];

static void moves_one_by_one(void **state)
{
	struct request a = {.value = 1}, b = {.value = 2};
	unsigned long gate = 0;
	struct mqr_link *list;

	(void)state;
	assert_true(mqr_gate_word_enter(&gate, &a.link));
	assert_int_equal(gate, MQR_GATE_OWNED);
	assert_false(mqr_gate_word_enter(&gate, &a.link));
	assert_false(mqr_gate_word_enter(&gate, &b.link));
	list = mqr_gate_word_leave(&gate);
	assert_ptr_equal(list, &a.link);
	assert_ptr_equal(list->next, &b.link);
	assert_null(list->next->next);
	assert_int_equal(gate, MQR_GATE_OWNED);
	assert_null(mqr_gate_word_leave(&gate));
	assert_int_equal(gate, 0);
}

static void serve(struct worker *w, struct request *r)
{
	assert_int_equal(owners[r->gate]++, 0);
	sums[r->gate] += r->value;
	owners[r->gate]--;
	w->served++;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct mqr_link *link, *next;
	unsigned int i;

	pthread_barrier_wait(&start);
	for (i = 0; i < ROUNDS; i++) {
		struct request *r = &w->requests[i];
		unsigned int gate = unit_random(&w->seed) % GATES;

		r->gate = gate;
		r->value = i;
		if (!mqr_gate_word_enter(&gates[gate], &r->link))
			continue;
		serve(w, r);
		while ((link = mqr_gate_word_leave(&gates[gate])))
			for (; link; link = next) {
				next = link->next;
				serve(w, (struct request *)link);
			}
	}
	return NULL;
}

static void threads_lose_nothing(void **state)
{
	struct worker w[THREADS] = {};
	u64 sum = 0, served = 0;
	unsigned int i;

	(void)state;
	pthread_barrier_init(&start, NULL, THREADS);
	for (i = 0; i < THREADS; i++) {
		w[i].seed = i + 1;
		w[i].requests = calloc(ROUNDS, sizeof(*w[i].requests));
		assert_non_null(w[i].requests);
		assert_int_equal(
			pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(w[i].thread, NULL);
	for (i = 0; i < THREADS; i++) {
		served += w[i].served;
		free(w[i].requests);
	}
	for (i = 0; i < GATES; i++) {
		assert_int_equal(gates[i], 0);
		sum += sums[i];
	}
	assert_int_equal(served, (u64)THREADS * ROUNDS);
	assert_int_equal(sum, (u64)THREADS * ROUNDS * (ROUNDS - 1) / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves_one_by_one),
		cmocka_unit_test(threads_lose_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
