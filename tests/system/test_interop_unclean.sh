#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# An unclean stop: members copied while they are written to are what a power
# cut leaves. Whoever assembles next resynchronises, and neither adopt nor
# release takes an array in that state.
#
# guest: uml
# drives: 6 size 48M
# time: short
. "$(dirname "$0")/lib.sh"

sbedit=$HERE/../stress/sbedit
use=("${D[@]:0:3}")
copies=("${D[@]:3:3}")

# crash DEVICE - copy its members while half of it is being rewritten
crash() {
	local i
	while :; do
		pattern scatter "$1" $((RANDOM % 1000 + 10)) 0+16M
	done >/dev/null 2>&1 &
	sleep 1
	for i in 0 1 2; do
		must dd if="${use[i]}" of="${copies[i]}" bs=1M status=none \
			iflag=direct oflag=direct
	done
	kill $!
	wait $!
	wait_until 10 no_writer
}

no_writer() {
	! pgrep -x pattern >/dev/null
}

marks=0
mark() {
	marks=$((marks + 1))
	echo "mark $marks" >/dev/kmsg
}

# log_since - what the kernel has said since the last mark
log_since() {
	dmesg | sed "1,/ mark $marks\$/d"
}

resync_begun() {
	attr_is unclean sync_action resync ||
		log_since | grep -q 'mqraid: mqr.: resync begins'
}

still="24M+32M"
mark

# md is killed.
md_create unclean 5 --raid-devices=3 --chunk=64K "${use[@]}"
must pattern scatter "$MD" 1
crash "$MD"
md_stop
must wipe "${use[@]}"
expect_refusal 'clean' "an unclean md array is not adopted" \
	raidctl adopt "${copies[@]}"
# What adopt would do, by force.
for device in "${copies[@]}"; do
	must "$sbedit" "$device" 'feature_map=|0x80000000'
done
assemble unclean "${copies[@]}"
expect "mqraid resynchronises it" wait_until 5 resync_begun
wait_idle unclean
expect_check "redundancy fits" unclean
expect "what was not written is right" pattern check "$DEV" 1 "$still"
stop unclean
must raidctl release "${copies[@]}"
md_assemble "${copies[@]}"
expect_md_check "md agrees"
md_stop
must wipe "${D[@]}"

# mqraid is killed.
create unclean --level 5 --chunk 64K --wait "${use[@]}"
fill unclean 1
crash "$DEV"
stop unclean
must wipe "${use[@]}"
expect_refusal 'clean' "an unclean mqraid array is not released" \
	raidctl release "${copies[@]}"
must save_superblocks "${copies[@]}"
mark
assemble unclean "${copies[@]}"
expect "mqraid resynchronises it" wait_until 5 resync_begun
wait_idle unclean
expect_check "redundancy fits" unclean
expect "what was not written is right" pattern check "$DEV" 1 "$still"
stop unclean

# The same once more, but md is next.
must restore_superblocks "${copies[@]}"
for device in "${copies[@]}"; do
	must "$sbedit" "$device" 'feature_map=&0x7fffffff'
done
mark
md_assemble "${copies[@]}"
expect_text 'resync|not clean' "md sees that it was not stopped" log_since
expect_md_check "md has resynchronised it"
expect "what was not written is right" pattern check "$MD" 1 "$still"
finish
