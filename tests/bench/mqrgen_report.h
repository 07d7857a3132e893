/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MQRGEN_REPORT_H
#define MQRGEN_REPORT_H

#include "mqrgen_hist.h"

/* What a run has done so far, or in an interval. */
struct mqrgen_totals {
	bool running;
	/* latency was measured */
	bool lat;
	u64 ns;
	/* I/Os that came back, those with an error included */
	u64 read_ios;
	u64 write_ios;
	u64 errors;
	/* without those of errors */
	u64 bytes;
	struct mqrgen_hist hist;
};

/* Of @now only what came after @before. */
void mqrgen_totals_since(struct mqrgen_totals *now,
			 const struct mqrgen_totals *before);

/* "key=value" lines; returns what snprintf() would */
int mqrgen_totals_print(const struct mqrgen_totals *totals, char *text,
			size_t size);

#endif
