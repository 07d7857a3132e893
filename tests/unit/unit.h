/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What all unit tests share: cmocka with what it needs to be included first,
 * random numbers that are the same in each run, and a few helpers.
 */
#ifndef MQR_UNIT_H
#define MQR_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/platform.h"

/* A linear congruential generator; the upper bits are good enough here. */
static inline u32 unit_random(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(*state >> 33);
}

static inline u64 unit_mask(unsigned int bits)
{
	return bits ? ~0ULL >> (64 - bits) : 0;
}

/* Does @why give a reason, and does it contain @word? */
#define assert_because(why, word)                                   \
	do {                                                        \
		if (!strstr((why)->text, word))                     \
			fail_msg("expected \"%s\" in \"%s\"", word, \
				 (why)->text);                      \
	} while (0)

/* Fail with a message unless @condition holds. */
#define assert_that(condition, ...)                            \
	do {                                                   \
		if (!(condition))                              \
			fail_msg(#condition ": " __VA_ARGS__); \
	} while (0)

#endif
