#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RB-20: two devices that claim to be the same member are both named, and
# neither is picked by order; two arrays with one UUID never run; a copy gets
# UUIDs of its own, and then runs beside the original.
#
# guest: uml
# drives: 6 size 32M
# time: short
. "$(dirname "$0")/lib.sh"

use=("${D[@]:0:3}")
copies=("${D[@]:3:3}")

create twin --level 5 --wait "${use[@]}"
fill twin 1
uuid=$(attr twin uuid)
stop twin

# no_array WHAT
no_array() {
	if exists /sys/block/mqr*; then
		fail "$1" "there is ${FOUND[*]}"
	else
		pass "$1"
	fi
}

must cp "${use[1]}" "${copies[1]}"
state=$(cat "${D[@]}" | sha256sum)
for order in "${use[*]} ${copies[1]}" "${copies[1]} ${use[*]}"; do
	# shellcheck disable=SC2086 # a list
	expect_refusal "${use[1]}.*|${copies[1]}" "a member twice: refused" \
		raidctl assemble $order
	for device in "${use[1]}" "${copies[1]}"; do
		if grep -q "$device" <<<"$OUTPUT"; then
			pass "$device is named"
		else
			fail_run "$device is named" "$device in the output" .
		fi
	done
	no_array "nothing runs"
done
expect_refusal . "a member twice, found by name: refused" \
	raidctl assemble twin
expect_refusal . "a member twice, found by UUID: refused" \
	raidctl assemble "$uuid"
run raidctl assemble --scan
no_array "a scan starts nothing"
expect_equal "nothing was written" "$(cat "${D[@]}" | sha256sum)" "$state"

must cp "${use[0]}" "${copies[0]}"
must cp "${use[2]}" "${copies[2]}"
run raidctl assemble --scan
no_array "all members twice: a scan starts nothing"
assemble twin "${use[@]}"
expect_pattern "members named one by one: it runs" twin 1
expect_refusal . "the copies don't run beside it" \
	raidctl assemble "${copies[@]}"
exists /sys/block/mqr*
expect_equal "there is one array" ${#FOUND[@]} 1
expect_pattern "which is unharmed" twin 1

expect_refusal "in use" "new UUIDs for what runs: refused" \
	raidctl new-uuid "${use[@]}"
expect_refusal "all 3 members" "new UUIDs for a part: refused" \
	raidctl new-uuid "${copies[@]:0:2}"
expect "new UUIDs for the copies" \
	raidctl new-uuid --name second "${copies[@]}"
assemble second "${copies[@]}"
expect_pattern "they run beside it, with its data" second 1
fill second 2
stop second
stop twin
expect "a scan starts both" raidctl assemble --scan
expect_pattern "the original is as it was" twin 1
expect_pattern "the copy has its own data" second 2
finish
