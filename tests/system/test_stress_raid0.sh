#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Random operations on RAID 0 against a shadow, while members fail and return
# as it pleases them; then all data for sets of lost members.
#
# guest: uml
# drives: 5 size 48M
# time: short
. "$(dirname "$0")/lib.sh"

level=0
seed=${SEED:-$RANDOM$RANDOM}
create stress --level $level --chunk 64K "${D[@]:0:4}"
# The drives, null_blk of 7.3, read zeros behind a sector that was discarded if
# memory is aligned to less than a sector: not ours to find.
expect "RAID $level, seed $seed" \
	raidstress --align 512 --seed "$seed" --secs 5 --restart "$DEV"
finish
