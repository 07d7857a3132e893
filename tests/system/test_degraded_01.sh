#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Without as many members as a level can lose, an array reads what was written
# before, takes verified random writes, and reads those; without one more it
# refuses, and what it still has is not made worse.
#
# guest: both
# drives: 6 size 512M
# time: short
. "$(dirname "$0")/lib.sh"

# lose LEVEL MEMBERS SLOT... - these are failed one by one
lose() {
	local level=$1 members=$2 lost=0 slot
	shift 2
	create lost --level "$level" --size 16M --wait "${D[@]:0:$members}"
	fill lost "$level"
	for slot; do
		lost=$((lost + 1))
		must raidctl fail lost "slot:$slot"
		expect_degraded lost $lost "RAID $level: $lost lost"
		expect_status 1 "RAID $level: status tells by its exit code" \
			raidctl status lost
		expect_pattern "RAID $level without $lost: reads" \
			lost "$level"
		expect "RAID $level without $lost: random writes, verified" \
			fio_verify "$DEV" --size=8M
		fill lost "$level"
		expect_pattern "RAID $level without $lost: reads after writes" \
			lost "$level"
	done
	again "$level"
	stop lost
	must wipe "${D[@]:0:$members}"
}

# again LEVEL - what was lost stays lost, and the data are there
again() {
	local degraded
	degraded=$(attr lost degraded)
	stop lost
	expect "RAID $1: assembles without what it has lost" \
		raidctl assemble lost "${D[@]}"
	expect_degraded lost "$degraded" "RAID $1: is as degraded as before"
	expect_pattern "RAID $1: still reads" lost "$1"
}

lose 1 2 0
lose 10 4 1 2
lose 5 4 2
lose 6 6 0 3

# One too many: no acknowledged write, no lie in the superblocks.
lose_too_many() {
	must raidctl fail --force much slot:1
	expect_status 2 "RAID 5 without 2: status says failed" \
		raidctl status much
	expect_refusal 'rror' "RAID 5 without 2: writes fail" \
		dd if=/dev/zero of="$DEV" bs=1M count=4 oflag=direct
	stop much
}

create much --level 5 --size 16M --wait "${D[@]:0:3}"
fill much 9
must raidctl fail much slot:0
must wait_until 10 is_clean much
lose_too_many
# Nothing was written since the superblocks said "clean": they still do.
expect "RAID 5 without 2, clean: assembles" \
	raidctl assemble --degraded much "${D[@]:0:3}"
must device_of much
expect_pattern "RAID 5, clean: has what was written" much 9

# Never clean again: rows may be torn when the member is lost.
must set_attr much safe_delay_ms 0
fill much 7
lose_too_many
expect_refusal . "RAID 5 without 2, dirty: does not assemble" \
	raidctl assemble --degraded much "${D[@]:0:3}"
expect "RAID 5 without 2, dirty: can be forced" \
	raidctl assemble --force --degraded much "${D[@]:0:3}"
must device_of much
expect_pattern "RAID 5, forced: has what was written" much 7
finish
