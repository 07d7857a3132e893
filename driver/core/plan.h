/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What has to be read, computed and written for one column of a row.
 *
 * A column is one block (4 KiB) at the same offset of every chunk of a row.
 * Sets of roles are bit masks: bit d = data role d, then P, then Q.  For
 * mirrors bit i = copy i, and the one data role is named by bit 0.
 *
 * The same function plans user writes, reconstructing reads, read repair,
 * rebuild and resync:
 *
 *   write     @full/@part name the data roles with new content
 *   read      @want names the data roles to be returned
 *   rebuild   @missing and @heal name the roles of the members in rebuild
 *   resync    @missing and @heal name the parity roles (or the other copies)
 *   repair    @heal names unreadable blocks that are to be rewritten
 *
 * Pure: any context.
 */
#ifndef MQR_CORE_PLAN_H
#define MQR_CORE_PLAN_H

#include "geometry.h"

struct mqr_col_in {
	/* data roles whose block is overwritten as a whole */
	u64 full;
	/* data roles of whose block a part is overwritten; disjoint of full */
	u64 part;
	/* data roles whose old content somebody wants to read */
	u64 want;
	/* roles whose old content can't be had: no member, or unreadable */
	u64 missing;
	/* subset of @missing: can be written, and shall be made right */
	u64 heal;
	/* parity agrees with data (false: row not yet resynchronised) */
	bool trusted;
};

enum mqr_calc {
	/* parity stays as it is, or there is none to keep */
	MQR_CALC_NONE,
	/* all parity from the column's complete data */
	MQR_CALC_GEN,
	/* parity ^= code(old ^ new) for each written block */
	MQR_CALC_DELTA,
};

struct mqr_col_plan {
	/* old content to read, first of all */
	u64 read;
	/* data roles to decode next, from what was read */
	u64 decode;
	/*
	 * Parity roles (within @read) that @decode uses; one for each missing
	 * data role, P before Q.
	 */
	u64 using;
	/* what to write in the end, parities included */
	u64 write;
	/* enum mqr_calc: between decode and write */
	u8 calc;
	/* nothing can be done: too much is missing; other fields are void */
	bool lost;
};

/*
 * Invariants of the result (each is checked against brute force by
 * tests/unit): @read never names a role of @missing; @write names every role
 * of full|part that isn't missing, then also every parity that isn't missing,
 * and every role of @heal whose content can be known; after executing the
 * plan on real bytes, all readable roles are one codeword of the old data
 * with the new blocks in it, and no new block is lost.  If @trusted is false,
 * old parity is neither read nor used, so that a column with missing data is
 * lost unless all of these are overwritten or none of them matters.
 *
 * @heal comes first: what can be healed is healed, if need be by reading more
 * than the write alone would take.  What can't be is not in @write; that is
 * no reason for @lost unless there is nothing else to do.
 *
 * @decode, if not empty, is all missing data roles.  Mirrors: @read is one
 * copy at most, and all other fields but @write and @lost are 0.
 *
 * Among possible plans the one that reads the fewest blocks is taken;
 * reconstruct-write (GEN) wins ties with read-modify-write (DELTA).
 */
struct mqr_col_plan mqr_plan_column(const struct mqr_geo *g,
				    const struct mqr_col_in *in);

#endif
