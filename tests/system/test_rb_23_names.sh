#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RB-23: names of devices are no identity. Members that have changed names
# are put in their slots; a drive that has taken a lost member's name is not
# mistaken for it.
#
# guest: uml qemu
# drives: 4 size 64M
# time: short
. "$(dirname "$0")/lib.sh"

# names A B C - the devices /dev/mapper/name0..2 are on these drives
names() {
	local i sectors
	for i in 0 1 2; do
		[ ! -e /dev/mapper/name$i ] || must dmsetup remove name$i
		sectors=$(blockdev --getsz "${D[$1]}")
		must dmsetup create name$i --table \
			"0 $sectors linear ${D[$1]} 0"
		shift
	done
}

names 0 1 2
create names --level 5 --size 16M --wait /dev/mapper/name{0,1,2}
fill names 1
uuids=$(json names '[.members[].uuid] | join(" ")')
stop names
for order in "1 2 0" "2 0 1"; do
	# shellcheck disable=SC2086 # a list
	names $order
	assemble names /dev/mapper/name{0,1,2}
	expect_pattern "drives $order under the names: data are right" names 1
	expect_check "redundancy fits" names
	expect_equal "members are in their slots" \
		"$(json names '[.members[].uuid] | join(" ")')" "$uuids"
	stop names
done
must dmsetup remove name0 name1 name2

# A drive is gone, and another one has its name.
if [ "$MQR_GUEST" = qemu ]; then
	must wipe "${D[@]}"
	create names --level 6 --size 16M --wait "${D[@]}"
	fill names 1
	old=${D[2]}
	must guest-drive pull 2
	fill names 2
	expect_degraded names 1 "a drive is gone"
	must guest-drive plug 2 --fresh
	new=$(guest-drive path 2)
	if [ "$new" = "$old" ]; then
		run raidctl fail names "$old"
		expect_equal "the fresh drive under the old name isn't failed" \
			"$(attr names degraded)" 1
	fi
	for slot in 0 1 3; do
		[ "$(member names $slot)" != "$new" ] ||
			fail "the fresh drive is no member" "$new"
	done
	must raidctl remove names detached
	must raidctl add names "$new"
	wait_idle names
	expect_degraded names 0 "the fresh drive replaces it"
	expect_all_ways "afterwards" names 2
fi
finish
