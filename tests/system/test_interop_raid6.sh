#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RAID 6 moves from md to mqraid and back with the same bytes, healthy,
# degraded and rebuilt: the layouts that it has, chunks from 4K to 1M, members
# of unequal size.
#
# guest: uml
# drives: 6 size 48M
# time: long
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_interop.sh
. "$HERE/lib_interop.sh"

interop 6 64K left-symmetric "${D[@]:0:4}"
interop 6 4K left-symmetric "${D[@]:0:5}"
interop 6 1M right-symmetric "${D[@]:0:4}"
interop 6 128K parity-last "${D[@]:0:6}"
interop 6 16K parity-first "${D[@]:0:5}"

for layout in left-asymmetric right-asymmetric; do
	md_create other 6 --raid-devices=4 --layout=$layout "${D[@]:0:4}"
	md_stop
	before=$(head -q -c 8M "${D[@]:0:4}" | sha256sum)
	expect_refusal "$layout" "RAID 6, $layout: adopt refuses it by name" \
		raidctl adopt "${D[@]:0:4}"
	expect_equal "RAID 6, $layout: nothing was written" \
		"$(head -q -c 8M "${D[@]:0:4}" | sha256sum)" "$before"
	must wipe "${D[@]}"
done

piece 0 71111
interop 6 32K left-symmetric "${D[1]}" "${D[2]}" "${D[3]}" "$PIECE"
finish
