#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Random operations on every level with failures, under a kernel that looks
# for use after free, wrong locking and the like; the runner fails on its
# reports.
#
# guest: debug
# drives: 5 size 24M
# time: long
. "$(dirname "$0")/lib.sh"

# stress LEVEL MEMBERS OPTION...
stress() {
	local level=$1 members=$2 seed=${SEED:-$RANDOM$RANDOM}
	shift 2
	create stress --level "$level" --wait "$@" "${D[@]:0:$members}"
	expect "RAID $level, seed $seed" raidstress --seed "$seed" --secs 10 \
		--restart --ways 1 --stall 200 "$DEV"
	stop stress
	must wipe "${D[@]}"
}

stress 5 4 --chunk 64K
stress 6 5 --chunk 16K
stress 1 2
stress 10 3 --chunk 64K
finish
