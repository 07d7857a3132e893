/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MQRGEN_H
#define MQRGEN_H

#include "mqrgen_options.h"
#include "mqrgen_report.h"

struct mqrgen_run;

/*
 * Open the devices, allocate all that is needed and begin.  @text is the
 * options, and stays the caller's.  ERR_PTR after having said what is wrong.
 * [task]
 */
struct mqrgen_run *mqrgen_run_start(const char *text);

/* References; the last one may only go when the run is over.  [task] */
struct mqrgen_run *mqrgen_run_get(struct mqrgen_run *run);
void mqrgen_run_put(struct mqrgen_run *run);

/* No new I/O.  [any context] */
void mqrgen_run_stop(struct mqrgen_run *run);

/* All I/O is back, and the devices are closed. */
bool mqrgen_run_is_over(struct mqrgen_run *run);
void mqrgen_run_wait(struct mqrgen_run *run);
int mqrgen_run_wait_interruptible(struct mqrgen_run *run);

/* So far; @totals are zero before. */
void mqrgen_run_totals(struct mqrgen_run *run, struct mqrgen_totals *totals);

#endif
