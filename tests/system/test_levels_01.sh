#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The life of an array, for each level: created, filled, stopped, assembled
# with its devices in another order, and all that is said about it.
#
# guest: both
# drives: 6 size 512M
# time: short
. "$(dirname "$0")/lib.sh"

# life LEVEL MEMBERS MIB [OPTION...] - MIB: capacity of the array
life() {
	local level=$1 members=$2 mib=$3 i
	local -a use=("${D[@]:0:$2}") reversed=()
	shift 3
	for ((i = members - 1; i >= 0; i--)); do
		reversed+=("${use[i]}")
	done

	create life --level "$level" --size 16M --wait "$@" "${use[@]}"
	expect_equal "RAID $level: capacity" \
		"$(blockdev --getsize64 "$DEV")" $((mib << 20))
	expect_text "RAID $level" "RAID $level: status knows the level" \
		raidctl status life
	expect_equal "RAID $level: all members are in sync" \
		"$(attr life degraded)" 0
	fill life "$level"
	expect_pattern "RAID $level: reads back what was written" life "$level"
	expect "RAID $level: stops" raidctl stop life
	expect "RAID $level: its members say that it is clean" \
		clean_superblocks "${use[@]}"
	expect "RAID $level: assembles, whatever the order" \
		raidctl assemble life "${reversed[@]}"
	expect_pattern "RAID $level: the data are still there" life "$level"
	expect_equal "RAID $level: nothing to resynchronise" \
		"$(attr life sync_action)" idle
	[ "$level" = 0 ] || expect_check "RAID $level: redundancy fits" life
	stop life
	must wipe "${use[@]}"
}

clean_superblocks() {
	local device
	for device; do
		[ "$(raidctl examine --json "$device" |
			jq -r '.devices[0].clean')" = true ] || return
	done
}

life 0 4 64
life 1 2 16
life 1 4 16
life 10 4 32
life 10 5 40
life 5 3 32
life 6 6 64 --chunk 64K
finish
