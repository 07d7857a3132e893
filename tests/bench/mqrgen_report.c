// SPDX-License-Identifier: GPL-2.0
/*
 * Figures of a run as text.  Pure.
 */
#include "mqrgen_report.h"

void mqrgen_totals_since(struct mqrgen_totals *now,
			 const struct mqrgen_totals *before)
{
	now->ns -= before->ns;
	now->read_ios -= before->read_ios;
	now->write_ios -= before->write_ios;
	now->errors -= before->errors;
	now->bytes -= before->bytes;
	mqrgen_hist_since(&now->hist, &before->hist);
}

static int mqrgen_latency_print(const struct mqrgen_hist *hist, char *text,
				size_t size)
{
	return snprintf(text, size,
			"lat_mean_ns=%llu\n"
			"lat_p50_ns=%llu\n"
			"lat_p99_ns=%llu\n"
			"lat_p999_ns=%llu\n"
			"lat_max_ns=%llu\n",
			mqrgen_hist_mean(hist),
			mqrgen_hist_percentile(hist, 500),
			mqrgen_hist_percentile(hist, 990),
			mqrgen_hist_percentile(hist, 999), hist->max);
}

int mqrgen_totals_print(const struct mqrgen_totals *totals, char *text,
			size_t size)
{
	int used =
		snprintf(text, size,
			 "running=%d\n"
			 "ns=%llu\n"
			 "ios=%llu\n"
			 "bytes=%llu\n"
			 "read_ios=%llu\n"
			 "write_ios=%llu\n"
			 "errors=%llu\n",
			 totals->running, totals->ns,
			 totals->read_ios + totals->write_ios, totals->bytes,
			 totals->read_ios, totals->write_ios, totals->errors);

	if (!totals->lat || used < 0 || (size_t)used >= size)
		return used;
	return used +
	       mqrgen_latency_print(&totals->hist, text + used, size - used);
}
