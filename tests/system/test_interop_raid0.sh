#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RAID 0 moves from md to mqraid and back with the same bytes: chunks from 4K
# to 1M, one that is no power of two, and members of unequal size in both
# layouts.
#
# guest: uml
# drives: 4 size 64M
# time: short
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_interop.sh
. "$HERE/lib_interop.sh"

interop 0 64K - "${D[@]:0:2}"
interop 0 4K - "${D[@]:0:3}"
interop 0 1M - "${D[@]:0:4}"
interop 0 12K - "${D[@]:0:3}"

# unequal CHUNK LAYOUT - three zones
unequal() {
	local -a pieces=()
	piece 0 40000
	pieces+=("$PIECE")
	piece 1 77777
	pieces+=("$PIECE")
	piece 2 120000
	pieces+=("$PIECE")
	interop 0 "$1" "$2" "${pieces[@]}"
	must dmsetup remove "${pieces[@]}"
}

unequal 4K original
unequal 4K alternate
unequal 64K original
unequal 64K alternate
unequal 20K alternate
unequal 1M original
finish
