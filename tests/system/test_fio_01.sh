#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fio writes and verifies (crc32c) at random: every level, healthy, without
# members, and while they are rebuilt.
#
# guest: uml
# drives: 6 size 64M
# time: long
. "$(dirname "$0")/lib.sh"

# verify WHAT
verify() {
	expect "$1" fio_verify "$DEV" --bsrange=4k-256k \
		--blockalign=4k --size=100% --io_size=48M --iodepth=32
}

# rebuilding WHAT - as before, while the rebuild runs
rebuilding() {
	must raidctl remove fio failed
	must set_attr fio sync_speed_max 1000
	for device in "${lost[@]}"; do
		must raidctl add fio "$device"
	done
	must wait_until 20 attr_is fio sync_action rebuild
	verify "$1"
	expect_equal "$1: it was still running" \
		"$(attr fio sync_action)" rebuild
	must set_attr fio sync_speed_max 0
	wait_idle fio
	expect_degraded fio 0 "$1: it ends"
}

# levels LEVEL MEMBERS SLOT...
levels() {
	local level=$1 members=$2 slot
	lost=()
	shift 2
	create fio --level "$level" --wait "${D[@]:0:$members}"
	verify "RAID $level, healthy"
	for slot; do
		lost+=("$(member fio "$slot")")
		must raidctl fail fio "slot:$slot"
	done
	if [ $# -gt 0 ]; then
		verify "RAID $level, without slots $*"
		rebuilding "RAID $level, while slots $* are rebuilt"
		expect_check "RAID $level: redundancy fits" fio
	fi
	stop fio
	must wipe "${D[@]}"
}

levels 0 4
levels 1 3 0 2
levels 10 4 0 2
levels 10 5 1 3
levels 5 4 2
levels 6 6 1 5
finish
