#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RB-21: the exit code of status tells of any absent slot, the last one
# included, at run time and after assembly; of failure; and that of check
# tells of mismatches.
#
# guest: uml
# drives: 5 size 32M
# time: short
. "$(dirname "$0")/lib.sh"

# each_slot LEVEL MEMBERS
each_slot() {
	local level=$1 members=$2 slot device
	local -a use=("${D[@]:0:$2}")
	create codes --level "$level" --wait "${use[@]}"
	expect_status 0 "RAID $level: well" raidctl status codes
	for ((slot = 0; slot < members; slot++)); do
		device=$(member codes $slot)
		must raidctl fail codes "slot:$slot"
		expect_status 1 "RAID $level: slot $slot failed" \
			raidctl status codes
		must raidctl remove codes "$device"
		expect_status 1 "RAID $level: slot $slot removed" \
			raidctl status
		stop codes
		expect "RAID $level: assembled without slot $slot" \
			raidctl assemble codes "${use[@]}"
		expect_status 1 "RAID $level: slot $slot is still absent" \
			raidctl list
		must raidctl add codes "$device"
		wait_idle codes
		expect_status 0 "RAID $level: slot $slot is back" \
			raidctl status --json codes
	done
	stop codes
	must wipe "${use[@]}"
}

each_slot 1 2
each_slot 10 4
each_slot 5 3
each_slot 6 4

create codes --level 5 --wait "${D[@]:0:3}"
must raidctl fail codes slot:0
expect_status 3 "the last redundancy isn't failed without force" \
	raidctl fail codes slot:1
must raidctl fail --force codes slot:1
expect_status 2 "RAID 5 without two: failed" raidctl status codes
stop codes
must wipe "${D[@]}"

# Data changed behind the array's back.
create codes --level 6 --wait "${D[@]}"
fill codes 1
offset=$(json codes '.members[1].data_offset_bytes')
stop codes
must dd if=/dev/urandom of="${D[1]}" bs=4096 count=3 conv=notrunc \
	oflag=direct seek=$(((offset + 1048576) / 4096))
assemble codes "${D[@]}"
expect_status 2 "check: mismatches" raidctl check codes
expect_status 2 "status tells of them" raidctl status codes
run raidctl repair codes
expect_status 0 "check after repair: none" raidctl check codes
expect_status 0 "status after that: well" raidctl status codes

expect_status 4 "an array that isn't there" raidctl status nosuch
finish
