#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RB-38: members beyond 2 TiB and 16 TiB (sparse). Data around array and
# member sectors 2^31, 2^32 and 2^35 are right with all members, without
# some, after rebuilds that pass those places, and under md.
#
# guest: uml
# drives: 1 size 16M
# time: long
. "$(dirname "$0")/lib.sh"

sbedit=$HERE/../stress/sbedit
MARGIN=$((16 << 20))

# sparse N MIB - sets SPARSE
sparse() {
	local dir=/sys/kernel/config/nullb/sparse$1
	modprobe null_blk nr_devices=0 2>/dev/null
	mountpoint -q /sys/kernel/config ||
		must mount -t configfs none /sys/kernel/config
	must mkdir "$dir"
	echo "$2" >"$dir/size"
	echo 1 >"$dir/memory_backed"
	echo 1 >"$dir/power" || skip_all "null_blk cannot make such a drive"
	if [ -b "/dev/sparse$1" ]; then
		SPARSE=/dev/sparse$1
	else
		SPARSE=/dev/nullb$(<"$dir/index")
	fi
	must test -b "$SPARSE"
}

drop_sparse() {
	local dir
	stop_everything
	for dir in /sys/kernel/config/nullb/sparse*; do
		echo 0 >"$dir/power"
		rmdir "$dir"
	done
}

# windows DATA - around the places, of an array of so many data members; sets
# WINDOWS, in bytes
windows() {
	local data=$1 size at
	size=$(blockdev --getsize64 "$DEV")
	WINDOWS=("0+4M")
	for at in $((1 << 40)) $((2 << 40)) $((16 << 40)) \
		$((data << 40)) $((data << 41)) $((data << 44)); do
		if [ $((at + MARGIN / 2)) -lt "$size" ]; then
			WINDOWS+=("$((at - MARGIN / 2))+$MARGIN")
		fi
	done
	size=$((size / 4096 * 4096))
	WINDOWS+=("$((size - MARGIN / 2))+$((MARGIN / 2))")
	mapfile -t WINDOWS < <(printf '%s\n' "${WINDOWS[@]}" | sort -u)
}

# log_since WHAT - what the kernel has said since that mark
log_since() {
	dmesg | sed "1,/mark of $1\$/d"
}

# rebuild_near SLOT SECTOR - the member is right up to that sector only
rebuild_near() {
	local device
	device=$(member huge "$1")
	must raidctl fail huge "slot:$1"
	must raidctl remove huge failed
	must set_attr huge sync_speed_max 1
	must raidctl add huge "$device"
	must wait_until 10 attr_is huge sync_action rebuild
	stop huge
	must "$sbedit" "$device" recovery_offset="$2" 'feature_map=|2'
	echo "mark of $what" >/dev/kmsg
	assemble huge "${drives[@]}"
	wait_idle huge 60
	expect_text 'rebuild of member.* begins at 9[0-9]' \
		"$what: the rebuild goes on where it was" log_since "$what"
	expect_degraded huge 0 "$what: it passes member sector $2 and ends"
	expect "$what: data are right after it" \
		pattern check "$DEV" 1 "${WINDOWS[@]}"
}

# huge LEVEL DATA MIB SLOT... - the slots can be lost
huge() {
	local level=$1 data=$2 mib=$3 slot sector
	shift 3
	what="RAID $level of ${#drives[@]} x $mib MiB"
	create huge --level "$level" --assume-clean "${drives[@]}"
	windows "$data"
	must pattern scatter "$DEV" 1 "${WINDOWS[@]}"
	expect "$what: data are right" pattern check "$DEV" 1 "${WINDOWS[@]}"
	if [ $# -gt 0 ]; then
		# the last 64 MiB of a member: the drive was made to end there
		sector=$(($(json huge .member_size_bytes) / 512 - 131072))
		rebuild_near "$1" $sector
		for slot; do
			must raidctl fail huge "slot:$slot"
		done
		expect "$what: data are right without slots $*" \
			pattern check "$DEV" 1 "${WINDOWS[@]}"
	fi
	stop huge
	if [ $# -eq 0 ]; then
		must raidctl release "${drives[@]}"
		must mdadm --assemble "$MD" "${drives[@]}"
		expect "$what: md reads the same" \
			pattern check "$MD" 1 "${WINDOWS[@]}"
		md_stop
	fi
	must wipe "${drives[@]}"
}

# of MIB N - drives of that size
of() {
	local i
	drop_sparse
	drives=()
	for ((i = 0; i < $2; i++)); do
		sparse "$i" "$1"
		drives+=("$SPARSE")
	done
}

# Members that end 64 MiB behind 2^32 sectors, the data offset aside.
mib=$((2 * 1024 * 1024 + 64 + 128))
of $mib 4
huge 5 3 $mib 1
huge 6 2 $mib 3 0
huge 10 2 $mib 2
huge 0 4 $mib
of $mib 2
huge 1 1 $mib 0
# 2^35
mib=$((16 * 1024 * 1024 + 64 + 128))
of $mib 3
huge 5 2 $mib 2
of $mib 2
huge 0 2 $mib
drop_sparse
finish
