#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Random operations on members with logical blocks of 4 KiB.
#
# guest: uml
# drives: 6 size 32M --lba 4096
# time: short
. "$(dirname "$0")/lib.sh"

for level in 6 10; do
	seed=${SEED:-$RANDOM$RANDOM}
	create stress --level $level --wait --chunk 16K "${D[@]:0:5}"
	expect_equal "RAID $level: blocks are as large as the members'" \
		"$(blockdev --getss "$DEV")" 4096
	# The drives, null_blk of 7.3, misplace what is in memory that isn't
	# aligned to their block: raidstress finds that on them alone.
	expect "RAID $level, seed $seed" \
		raidstress --align 4096 --seed "$seed" --secs 5 --restart \
		--ways 2 "$DEV"
	stop stress
	must wipe "${D[@]}"
done
finish
