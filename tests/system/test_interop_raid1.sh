#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RAID 1 moves from md to mqraid and back with the same bytes, healthy,
# degraded and rebuilt; with members of unequal size, too.
#
# guest: uml
# drives: 4 size 48M
# time: short
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib_interop.sh
. "$HERE/lib_interop.sh"

interop 1 - - "${D[@]:0:2}"
interop 1 - - "${D[@]:0:4}"

# The size of the smaller one is no multiple of anything.
piece 0 71111
interop 1 - - "$PIECE" "${D[1]}"
finish
