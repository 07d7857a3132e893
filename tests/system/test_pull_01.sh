#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A drive is pulled while an XFS is being written to: no error reaches the
# programs, the array is degraded, and nothing is lost; the drive comes back
# under whatever name, is added and rebuilt; then another one is pulled.
#
# guest: qemu
# drives: 6 size 512M
# time: short
. "$(dirname "$0")/lib.sh"

# write_tree N - files, and what they should be
write_tree() {
	local i
	mkdir "$MNT/$1"
	for i in {1..8}; do
		head -c 2M /dev/urandom >"$MNT/$1/$i" || return
	done
	(cd "$MNT" && sha256sum "$1"/*) >>"$WORK/sums"
	sync -f "$MNT"
}

check_tree() {
	echo 3 >/proc/sys/vm/drop_caches
	(cd "$MNT" && sha256sum --quiet --check "$WORK/sums")
}

create pull --level 6 --wait --size 104M "${D[@]:0:5}"
must mkfs.xfs -q -f "$DEV"
must mount "$DEV" "$MNT"
expect "files are written" write_tree 1

write_tree 2 >"$WORK/tree" 2>&1 &
must guest-drive pull 2
wait $!
expect_equal "writing goes on without an error" $? 0
expect "the array notices" wait_until 30 attr_is pull degraded 1
expect_status 1 "status says so" raidctl status pull
expect "all files are right" check_tree

# bring_back DRIVE - under whatever name it has now
bring_back() {
	must guest-drive plug "$1"
	must raidctl remove pull detached
	must raidctl add pull "$(guest-drive path "$1")"
	wait_idle pull
	expect_degraded pull 0 "drive $1 is back and rebuilt"
}

bring_back 2
must guest-drive pull 0
expect "files are written without another one" write_tree 3
expect "all files are right" check_tree
must umount "$MNT"
expect "the file system is sound" xfs_repair -n "$DEV"
bring_back 0
expect_check "redundancy fits" pull
finish
