#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RB-40: without the module, raidctl says so and changes nothing, and a
# released array opens with md; a module in use stays loaded; it can be
# loaded again.
#
# guest: both
# drives: 3 size 64M
# time: short
. "$(dirname "$0")/lib.sh"

create module --level 5 --wait "${D[@]}"
fill module 1
expect_refusal 'use' "the module is not unloaded below an array" rmmod mqraid
expect_pattern "which goes on" module 1
stop module
expect "it is unloaded without arrays" rmmod mqraid
expect_status 4 "status without the module" raidctl status
expect_refusal 'module|mqraid' "assemble says what is missing" \
	raidctl assemble module "${D[@]}"
expect_refusal 'module|mqraid' "create says what is missing" \
	raidctl create other --level 1 --force "${D[@]:0:2}"
expect "examine works without it" raidctl examine "${D[0]}"
expect "release works without it" raidctl release "${D[@]}"
md_assemble "${D[@]}"
expect "md reads the data" pattern check "$MD" 1
md_stop
expect "adopt works without the module" raidctl adopt "${D[@]}"
for i in 1 2 3; do
	expect "the module is loaded again, time $i" guest-module load
	[ "$i" = 3 ] || must rmmod mqraid
done
assemble module "${D[@]}"
expect_pattern "the data are right" module 1
finish
