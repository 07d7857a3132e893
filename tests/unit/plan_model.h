/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A model of mqr_plan_column() that knows nothing of strategies.
 *
 * It takes a column for what it is, K unknowns of which each role is a
 * linear function, and finds by trying all sets of readable roles what can
 * be known and how few reads suffice for it; then it executes the plan on
 * bytes and looks at what the members hold afterwards.
 */
#ifndef MQR_UNIT_PLAN_MODEL_H
#define MQR_UNIT_PLAN_MODEL_H

#include "core/plan.h"

/* No more roles than that: the model tries all subsets. */
#define PLAN_MODEL_ROLES 8

/* Prepare for columns of @g.  RAID 5 and 6, or a mirror. */
void plan_model_init(const struct mqr_geo *g);

/* NULL if @plan is right for @in, or what is wrong with it. */
const char *plan_model_check(const struct mqr_geo *g,
			     const struct mqr_col_in *in,
			     const struct mqr_col_plan *plan);

/* For messages. */
void plan_model_print(const struct mqr_col_in *in,
		      const struct mqr_col_plan *plan);

#endif
