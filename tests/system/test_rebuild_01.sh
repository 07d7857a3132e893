#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A spare replaces a failed member: at once if it is there, or when it is
# added; while data are being written; and what results is right even if the
# new member is all that is left of its row's redundancy.
#
# guest: both
# drives: 6 size 512M
# time: short
. "$(dirname "$0")/lib.sh"

# writer - verified writes, again and again
writer() {
	while [ -e "$WORK/writing" ]; do
		fio_verify "$DEV" --offset=8M --size=8M || return
	done
}

# writes_while COMMAND... - writes go on until it ends; false if either fails
writes_while() {
	local status=0
	touch "$WORK/writing"
	writer &
	"$@" || status=$?
	rm "$WORK/writing"
	wait $! || status=$?
	return "$status"
}

# replace LEVEL MEMBERS SLOT - by a drive that is added afterwards
replace() {
	local level=$1 members=$2 slot=$3
	local -a use=("${D[@]:0:$members}")
	create heal --level "$level" --size 16M --wait "${use[@]}"
	fill heal 1
	must raidctl fail heal "slot:$slot"
	must raidctl remove heal failed
	fill heal 2
	must raidctl add heal "${D[members]}"
	run writes_while raidctl wait heal
	expect_equal "RAID $level, slot $slot: the rebuild ends well" "$STATUS" 0
	expect_degraded heal 0 "RAID $level, slot $slot: nothing is missing"
	expect_pattern_elsewhere "$level" "$slot"
	fill heal 3
	expect_check "RAID $level, slot $slot: redundancy fits" heal
	expect_all_ways "RAID $level, slot $slot" heal 3
	stop heal
	must wipe "${use[@]}" "${D[members]}"
}

# What fio has not overwritten.
expect_pattern_elsewhere() {
	expect "RAID $1, slot $2: what was not written is as before" \
		pattern check "$DEV" 2 0+8M
}

replace 1 2 0
replace 10 4 1
replace 5 4 0
replace 6 5 2
# The emulated guest takes its time.
[ "$MQR_GUEST" = qemu ] || replace 6 5 4

# A spare that is there begins by itself.
create spare --level 5 --size 16M --wait --spare "${D[4]}" "${D[@]:0:4}"
fill spare 1
must raidctl fail spare slot:3
wait_idle spare
expect_degraded spare 0 "a spare takes over by itself"
expect_all_ways "after that" spare 1
finish
