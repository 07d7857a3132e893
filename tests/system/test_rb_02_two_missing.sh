#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RB-02: RAID 6 rebuilds two members at once, or one after the other, while
# it is being written to; afterwards the data survive every loss, that of the
# two members which were never replaced included.
#
# guest: uml
# drives: 6 size 24M
# time: long
. "$(dirname "$0")/lib.sh"

# rewrite_until_idle - alternate two patterns while something is rebuilt; in
# the end all of it holds pattern LAST
rewrite_until_idle() {
	LAST=2
	until attr_is two sync_action idle && attr_is two degraded 0; do
		LAST=$((5 - LAST))
		pattern scatter "$DEV" "$LAST" || return
		rounds=$((rounds + 1))
		[ "$rounds" -lt 500 ] || return
	done
}

# two WHAT SECONDS SLOT SLOT - SECONDS between the spares
two() {
	local what=$1 seconds=$2 first second
	create two --level 6 --chunk 16K --wait "${D[@]}"
	fill two 1
	first=$(member two "$3")
	second=$(member two "$4")
	must raidctl fail two "$first" "$second"
	must raidctl remove two failed
	expect_pattern "$what: data without both" two 1
	must set_attr two sync_speed_max 4000
	must raidctl add two "$first"
	if [ "$seconds" -gt 0 ]; then
		pattern scatter "$DEV" 3
		sleep "$seconds"
	fi
	must raidctl add two "$second"
	rounds=0
	expect "$what: rebuilds while being written to" rewrite_until_idle
	[ "$rounds" -gt 1 ] ||
		fail "$what: it was written to meanwhile" "$rounds rounds"
	expect_check "$what: redundancy fits" two
	expect_all_ways "$what" two "$LAST"
	stop two
	must wipe "${D[@]}"
}

two "slots 0 and 1" 0 0 1
two "slots 2 and 5" 0 2 5
two "slots 3 and 4, one later" 1 3 4
finish
