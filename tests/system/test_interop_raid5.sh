#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RAID 5 moves from md to mqraid and back with the same bytes, healthy,
# degraded and rebuilt: all layouts, chunks from 4K to 1M, members of unequal
# size.
#
# guest: uml
# drives: 5 size 48M
# time: long
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_interop.sh
. "$HERE/lib_interop.sh"

interop 5 64K left-symmetric "${D[@]:0:3}"
interop 5 4K left-symmetric "${D[@]:0:4}"
interop 5 1M right-symmetric "${D[@]:0:3}"
interop 5 128K left-asymmetric "${D[@]:0:4}"
interop 5 16K right-asymmetric "${D[@]:0:5}"

piece 0 71111
interop 5 32K left-symmetric "${D[1]}" "$PIECE" "${D[2]}"
finish
