// SPDX-License-Identifier: GPL-2.0
/*
 * A histogram with logarithmic buckets, each power of two divided into equal
 * parts: 0..31 have a bucket each, 32..63 too, 64..127 share 32, and so on.
 * Pure; adding doesn't lock: each thread has one of its own, and who sums
 * them up may miss a value or two of a running one.
 */
#include "mqrgen_hist.h"

u32 mqrgen_hist_index(u64 ns)
{
	u32 shift;

	if (ns < MQRGEN_HIST_SUB)
		return ns;
	if (ns >> MQRGEN_HIST_BITS)
		return MQRGEN_HIST_BUCKETS - 1;
	shift = 63 - __builtin_clzll(ns) - MQRGEN_HIST_SUB_BITS;
	return shift * MQRGEN_HIST_SUB + (u32)(ns >> shift);
}

/* The lowest value of the bucket and, if asked for, how many it has. */
static u64 mqrgen_hist_low(u32 index, u64 *width)
{
	u32 shift = index < MQRGEN_HIST_SUB ? 0 : index / MQRGEN_HIST_SUB - 1;

	*width = 1ULL << shift;
	return (u64)(index - shift * MQRGEN_HIST_SUB) << shift;
}

void mqrgen_hist_add(struct mqrgen_hist *hist, u64 ns)
{
	hist->sum += ns;
	if (ns > hist->max)
		hist->max = ns;
	hist->bucket[mqrgen_hist_index(ns)]++;
}

void mqrgen_hist_merge(struct mqrgen_hist *to, const struct mqrgen_hist *from)
{
	u32 i;

	to->sum += from->sum;
	if (from->max > to->max)
		to->max = from->max;
	for (i = 0; i < MQRGEN_HIST_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

void mqrgen_hist_since(struct mqrgen_hist *now,
		       const struct mqrgen_hist *before)
{
	u64 width, top = 0;
	u32 i;

	now->sum -= before->sum;
	for (i = 0; i < MQRGEN_HIST_BUCKETS; i++) {
		now->bucket[i] -= before->bucket[i];
		if (now->bucket[i])
			top = mqrgen_hist_low(i, &width) + width - 1;
	}
	/* An open bucket has no top, and the whole maximum is never exceeded */
	if (top < now->max && !now->bucket[MQRGEN_HIST_BUCKETS - 1])
		now->max = top;
}

u64 mqrgen_hist_count(const struct mqrgen_hist *hist)
{
	u64 count = 0;
	u32 i;

	for (i = 0; i < MQRGEN_HIST_BUCKETS; i++)
		count += hist->bucket[i];
	return count;
}

u64 mqrgen_hist_mean(const struct mqrgen_hist *hist)
{
	u64 count = mqrgen_hist_count(hist);

	return count ? div64_u64(hist->sum, count) : 0;
}

u64 mqrgen_hist_percentile(const struct mqrgen_hist *hist, u32 permille)
{
	u64 count = mqrgen_hist_count(hist);
	u64 rank = div64_u64(count * permille + 999, 1000);
	u64 seen = 0, width, middle;
	u32 i;

	if (!count)
		return 0;
	for (i = 0; i < MQRGEN_HIST_BUCKETS - 1; i++) {
		seen += hist->bucket[i];
		if (seen && seen >= rank)
			break;
	}
	if (i == MQRGEN_HIST_BUCKETS - 1)
		return hist->max;
	middle = mqrgen_hist_low(i, &width);
	middle += width / 2;
	return middle < hist->max ? middle : hist->max;
}
