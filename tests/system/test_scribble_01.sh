#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Programs change the memory that they are writing from (RB-14): parity still
# fits, and the data beside theirs are right whichever members are lost. With
# stable mirrors, copies are equal, too.
#
# guest: uml
# drives: 5 size 32M
# time: short
. "$(dirname "$0")/lib.sh"

manager=$HERE/../stress/manage

# scribbled LEVEL MEMBERS
scribbled() {
	expect "RAID $1: parity and neighbours are right" \
		scribble "$DEV" 3 "${SEED:-$RANDOM}" "$manager"
}

for level in 5 6; do
	create scribble --level $level --wait --chunk 16K "${D[@]:0:4}"
	scribbled $level
	stop scribble
	must wipe "${D[@]}"
done

for level in 1 10; do
	create scribble --level $level --wait "${D[@]:0:4}"
	must raidctl set scribble mirror_stable=1
	scribbled $level
	stop scribble
	must wipe "${D[@]}"
done

# Copies may differ without that, but it is no reason to fail anything.
create scribble --level 1 --wait "${D[@]:0:2}"
expect "RAID 1, not stable: the neighbours are right" \
	scribble "$DEV" 3 "${SEED:-$RANDOM}" "$manager" 99999999
expect_degraded scribble 0 "RAID 1, not stable: no member fails for it"
finish
