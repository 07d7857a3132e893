#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# All members fail at once, as when a cable is pulled, and answer again later:
# the array says that it has failed, keeps nobody waiting, and is as before once
# it has been assembled again.
#
# guest: uml
# drives: 4 size 32M
# time: short
. "$(dirname "$0")/lib.sh"

sectors=$(blockdev --getsz "${D[0]}")

# table I TARGET - of what is before drive I: linear or error
table() {
	if [ "$2" = linear ]; then
		echo "0 $sectors linear ${D[$1]} 0"
	else
		echo "0 $sectors error"
	fi
}

# path TARGET - all at once, as seen by what is on top
path() {
	local i
	for i in "${!D[@]}"; do
		must dmsetup suspend --noflush "path$i"
	done
	for i in "${!D[@]}"; do
		must dmsetup load "path$i" --table "$(table "$i" "$1")"
	done
	for i in "${!D[@]}"; do
		must dmsetup resume "path$i"
	done
}

for i in "${!D[@]}"; do
	must dmsetup create "path$i" --table "$(table "$i" linear)"
done
for level in 1 10 5 6; do
	create all --level "$level" --wait /dev/mapper/path{0..3}
	fill all 1
	# Or some would fail early, when the superblocks are marked clean.
	must wait_until 10 is_clean all
	path error
	expect_refusal 'rror' "RAID $level: writes fail" \
		dd if=/dev/zero of="$DEV" bs=1M count=1 oflag=direct
	path linear
	expect_status 2 "RAID $level: status says that it has failed" \
		raidctl status all
	expect_refusal 'has failed' \
		"RAID $level: a check is refused at once" \
		timeout 20 raidctl check all
	stop all
	expect "RAID $level: it assembles again" \
		raidctl assemble all /dev/mapper/path{0..3}
	must device_of all
	wait_idle all
	expect_degraded all 0 "RAID $level: with all its members"
	expect_check "RAID $level: redundancy fits" all
	expect "RAID $level: what was not written is as before" \
		pattern check "$DEV" 1 1M+8M
	stop all
	must wipe /dev/mapper/path{0..3}
done
must dmsetup remove path0 path1 path2 path3
finish
