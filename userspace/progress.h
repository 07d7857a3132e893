/* SPDX-License-Identifier: GPL-2.0 */
/* Following a resync, rebuild, check or repair until it ends. */
#ifndef RAIDCTL_PROGRESS_H
#define RAIDCTL_PROGRESS_H

#include "ctl.h"

/*
 * Wait until array @array has nothing to synchronise, with a bar on a
 * terminal, lines elsewhere and silence with --json.  @s holds the last
 * status.  An interrupt ends raidctl, not the action.  RC_OK, or RC_SYSTEM
 * after a complaint.
 */
int progress_wait(u32 array, struct mqr_ioc_status *s);

/* "34.2 %, 1.20 GiB/s, 3 min left"; done and left as far as they are known. */
char *text_progress(const struct mqr_ioc_status *s, char *buf, size_t size);

/* Tenths of a percent. */
unsigned int sync_permille(const struct mqr_ioc_status *s);
/* 0: not known */
u64 sync_seconds_left(const struct mqr_ioc_status *s);

#endif
