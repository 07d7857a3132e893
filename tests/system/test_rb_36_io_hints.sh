#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RB-36: io_min is the chunk and io_opt the row, whatever nonsense members
# report; mkfs.xfs finds its geometry by them.
#
# guest: uml
# drives: 8 size 400M
# time: short
. "$(dirname "$0")/lib.sh"

modprobe scsi_debug opt_blks=32767 opt_xferlen_exp=0 dev_size_mb=400 \
	add_host=1 2>/dev/null ||
	skip_all "there is no scsi_debug"
odd=()
odd_drives() {
	local path vendor
	odd=()
	for path in /sys/block/sd*; do
		read -r vendor <"$path/device/vendor"
		[ "${vendor%% *}" = Linux ] && odd+=("/dev/${path##*/}")
	done
	[ ${#odd[@]} -ge 1 ]
}
must wait_until 10 odd_drives
odd_drives
expect_equal "a drive says that 16 MiB less a block is optimal" \
	"$(blockdev --getioopt "${odd[0]}")" $((32767 * 512))

# hints WHAT IO_MIN IO_OPT
hints() {
	expect_equal "$1: io_min" "$(blockdev --getiomin "$DEV")" "$2"
	expect_equal "$1: io_opt" "$(blockdev --getioopt "$DEV")" "$3"
	expect_equal "$1: alignment" \
		"$(cat "/sys/block/${DEV#/dev/}/alignment_offset")" 0
}

# array LEVEL CHUNK_KIB DATA DEVICE...
array() {
	local level=$1 chunk=$2 data=$3
	shift 3
	create hints --level "$level" --chunk "${chunk}K" --assume-clean "$@"
	hints "RAID $level of $#, chunk ${chunk}K" $((chunk << 10)) \
		$((chunk * data << 10))
	expect_text "sunit=$((chunk * 2)),? .*swidth=$((chunk * data * 2))|sunit=$((chunk / 4)) +swidth=$((chunk * data / 4)) blks" \
		"RAID $level of $#, chunk ${chunk}K: mkfs.xfs sees it" \
		mkfs.xfs -N -f "$DEV"
	stop hints
	must wipe "$@"
}

# mkfs.xfs takes hints from 1 GiB on.
array 5 64 3 "${odd[0]}" "${D[@]:0:3}"
array 6 128 5 "${odd[0]}" "${D[@]:0:6}"
array 6 64 7 "${odd[0]}" "${D[@]}"
array 0 64 6 "${odd[0]}" "${D[@]:0:5}"
array 10 64 3 "${odd[0]}" "${D[@]:0:5}"

create hints --level 1 --assume-clean "${odd[0]}" "${D[0]}"
opt=$(blockdev --getioopt "$DEV")
if [ "$opt" -lt $((16 << 20)) ] && [ $((opt % 4096)) -eq 0 ]; then
	pass "RAID 1: io_opt is sane"
else
	fail "RAID 1: io_opt is sane" "$opt"
fi
stop hints
must wipe "${odd[@]}"
modprobe -r scsi_debug
finish
