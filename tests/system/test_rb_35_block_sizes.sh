#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RB-35: the logical block size is fixed when an array is created. A coarser
# drive is refused before anything is written to it; the size never changes,
# whichever members are there.
#
# guest: uml
# drives: 4 size 96M
# time: short
. "$(dirname "$0")/lib.sh"

# coarse N - a drive with blocks of 4 KiB; sets COARSE
coarse() {
	local dir=/sys/kernel/config/nullb/coarse$1
	modprobe null_blk nr_devices=0 2>/dev/null
	mountpoint -q /sys/kernel/config ||
		must mount -t configfs none /sys/kernel/config
	if [ -d "$dir" ]; then
		echo 0 >"$dir/power"
	else
		must mkdir "$dir"
	fi
	echo 96 >"$dir/size"
	echo 4096 >"$dir/blocksize"
	echo 1 >"$dir/memory_backed"
	echo 1 >"$dir/power" || skip_all "null_blk cannot make a drive"
	# by its own name from 6.1 on, by a number before
	if [ -b "/dev/coarse$1" ]; then
		COARSE=/dev/coarse$1
	else
		COARSE=/dev/nullb$(<"$dir/index")
	fi
	must test -b "$COARSE"
}

drop_coarse() {
	local dir
	stop_everything
	for dir in /sys/kernel/config/nullb/coarse*; do
		echo 0 >"$dir/power"
		rmdir "$dir"
	done
}

coarse 0
first=$COARSE
coarse 1
second=$COARSE
expect_equal "there is a drive with blocks of 4 KiB" \
	"$(blockdev --getss "$first")" 4096

# size WHAT WANTED
size() {
	expect_equal "$1" "$(blockdev --getss "$DEV")" "$2"
}

create fine --level 5 --wait "${D[@]:0:3}"
size "fine members: fine blocks" 512
before=$(sha256sum <"$first")
expect_refusal '4096|coarser' "a coarser spare is refused, with the reason" \
	raidctl add fine "$first"
expect_equal "nothing was written to it" "$(sha256sum <"$first")" "$before"
expect "I/O of 512 bytes" dd if=/dev/zero of="$DEV" bs=512 count=1 seek=3 \
	oflag=direct
stop fine
must wipe "${D[@]}"

create mixed --level 5 --wait "${D[0]}" "$first" "${D[1]}"
size "mixed members: the coarsest blocks" 4096
fill mixed 1
stop mixed
run raidctl assemble --degraded mixed "${D[@]:0:2}"
must device_of mixed
size "without the coarse member: the same" 4096
expect_pattern "the data are right" mixed 1
must raidctl add mixed "$second"
wait_idle mixed
size "with another coarse member: the same" 4096
stop mixed
assemble mixed "${D[@]:0:2}" "$second"
size "after assembly: the same" 4096
expect_all_ways "mixed blocks" mixed 1
stop mixed
must wipe "${D[@]}" "$first" "$second"

create asked --level 6 --size 48M --logical-block-size 4096 --wait \
	"${D[@]}"
size "asked for: 4096" 4096
fill asked 1
stop asked
assemble asked "${D[@]}"
size "after assembly: the same" 4096
must raidctl fail asked slot:0
must raidctl remove asked failed
must raidctl add asked "$first"
wait_idle asked
expect_pattern "a coarse drive may join" asked 1
stop asked

before=$(sha256sum <"$second")
must wipe "${D[@]}"
expect_refusal '512|4096' "blocks finer than a member's are refused" \
	raidctl create never --level 1 --logical-block-size 512 \
	"${D[0]}" "$second"
expect_equal "nothing was written to it" "$(sha256sum <"$second")" "$before"
drop_coarse
finish
