#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RAID 10 moves from md to mqraid and back with the same bytes, healthy,
# degraded and rebuilt; with an odd number of members, too. Layouts other
# than near ones are refused by name, and nothing is changed.
#
# guest: uml
# drives: 5 size 48M
# time: short
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_interop.sh
. "$HERE/lib_interop.sh"

interop 10 64K n2 "${D[@]:0:2}"
interop 10 4K n2 "${D[@]:0:3}"
interop 10 512K n2 "${D[@]:0:4}"
interop 10 1M n2 "${D[@]:0:5}"
interop 10 64K n3 "${D[@]:0:4}"

# refused LAYOUT NAME
refused() {
	local before
	md_create other 10 --raid-devices=4 --layout="$1" "${D[@]:0:4}"
	md_stop
	before=$(head -q -c 8M "${D[@]:0:4}" | sha256sum)
	expect_refusal "$2" "RAID 10, $1: adopt refuses it by name" \
		raidctl adopt "${D[@]:0:4}"
	expect_equal "RAID 10, $1: nothing was written" \
		"$(head -q -c 8M "${D[@]:0:4}" | sha256sum)" "$before"
	must wipe "${D[@]}"
}

refused f2 'far'
refused o2 'offset'
finish
