/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MQRGEN_HIST_H
#define MQRGEN_HIST_H

#include "mqrgen_pure.h"

/* A bucket is at most 1/32 of its value wide; values reach 18 minutes. */
#define MQRGEN_HIST_SUB_BITS 5
#define MQRGEN_HIST_SUB (1u << MQRGEN_HIST_SUB_BITS)
#define MQRGEN_HIST_BITS 40
#define MQRGEN_HIST_BUCKETS \
	((MQRGEN_HIST_BITS - MQRGEN_HIST_SUB_BITS + 1) * MQRGEN_HIST_SUB)

/* Nanoseconds; all zero: nothing counted yet. */
struct mqrgen_hist {
	u64 sum;
	u64 max;
	u64 bucket[MQRGEN_HIST_BUCKETS];
};

u32 mqrgen_hist_index(u64 ns);
void mqrgen_hist_add(struct mqrgen_hist *hist, u64 ns);

/* @to and what @from has counted */
void mqrgen_hist_merge(struct mqrgen_hist *to, const struct mqrgen_hist *from);

/* Of @now only what came after @before; the maximum becomes an estimate. */
void mqrgen_hist_since(struct mqrgen_hist *now,
		       const struct mqrgen_hist *before);

u64 mqrgen_hist_count(const struct mqrgen_hist *hist);
u64 mqrgen_hist_mean(const struct mqrgen_hist *hist);

/* What @permille of the values don't exceed, as exactly as buckets are; or 0 */
u64 mqrgen_hist_percentile(const struct mqrgen_hist *hist, u32 permille);

#endif
