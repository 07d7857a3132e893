#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# XFS under load while a member fails and another takes its place: no program
# sees an error, and the file system is sound, complete and without members.
#
# guest: uml
# drives: 6 size 160M
# time: long
. "$(dirname "$0")/lib.sh"

# load SECONDS - files are written at random, verified, and removed
load() {
	stress-ng --temp-path "$MNT" --timeout "$1" --verify --quiet \
		--hdd 2 --hdd-bytes 8M --hdd-opts wr-rnd,rd-rnd,fsync \
		--rename 1
}

# tree NAME - files whose sums are known
tree() {
	local i
	mkdir "$MNT/$1"
	for i in {1..6}; do
		head -c 3M /dev/urandom >"$MNT/$1/$i" || return
	done
	(cd "$MNT" && sha256sum "$1"/*) >>"$WORK/sums"
}

sums_right() {
	echo 3 >/proc/sys/vm/drop_caches
	(cd "$MNT" && sha256sum --quiet --check "$WORK/sums")
}

# xfs LEVEL MEMBERS
xfs() {
	local level=$1 members=$2
	rm -f "$WORK/sums"
	create xfs --level "$level" --wait --chunk 64K "${D[@]:0:$members}"
	must mkfs.xfs -q -f "$DEV"
	must mount "$DEV" "$MNT"
	must tree before
	load 7 >"$WORK/load" 2>&1 &
	sleep 2
	must raidctl fail xfs slot:1
	must raidctl add xfs "${D[members]}"
	wait $!
	expect_equal "RAID $level: the load sees no error" $? 0
	must tree after
	wait_idle xfs
	expect_degraded xfs 0 "RAID $level: the rebuild ends"
	expect "RAID $level: files are right" sums_right
	must umount "$MNT"
	expect "RAID $level: the file system is sound" xfs_repair -n "$DEV"
	expect_check "RAID $level: redundancy fits" xfs
	must raidctl fail xfs slot:0
	expect "RAID $level: it is sound without slot 0" xfs_repair -n "$DEV"
	must mount "$DEV" "$MNT"
	expect "RAID $level: files are right without slot 0" sums_right
	must umount "$MNT"
	stop xfs
	must wipe "${D[@]}"
}

xfs 6 5
xfs 5 4
xfs 10 5
finish
