/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the pure parts of mqrgen stand on: options, histogram and report take
 * no lock, allocate nothing and know no device, so they are built into unit
 * tests, too (tests/unit/test_mqrgen.c).  The only #ifdef between the two
 * worlds.
 */
#ifndef MQRGEN_PURE_H
#define MQRGEN_PURE_H

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef unsigned int u32;
typedef unsigned long long u64;

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define U64_MAX (~0ULL)

static inline u64 div64_u64(u64 a, u64 b)
{
	return a / b;
}
#endif

#endif
