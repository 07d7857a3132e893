#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Let the real mdadm and md make superblocks for the unit tests.  Needs root,
# loop devices and md, so run it in a guest:
#
#   scripts/guest qemu --drives 1 --no-module --out tests/unit/golden -- \
#       tests/unit/golden/make.sh [levels] [states] [dirty] [space]
#
# Writes to $MQR_OUT one NAME.sb for each superblock: the commands that made
# it, the size of its device in sectors, and its bytes in hex, less trailing
# zeros; and space.txt, how mdadm divides devices of many sizes.

set -eu
export LC_ALL=C
# There is no udev to wait for.
export MDADM_NO_UDEV=1

out=${MQR_OUT:?}
dir=$(mktemp -d)
mount -t tmpfs -o size=1g none "$dir"
for module in loop md_mod linear raid0 raid1 raid10 raid456; do
	modprobe "$module" || true
done
exec 3>"$dir/log"

md=/dev/md7
loops=()

# devices SIZE...: loop devices of these sizes, sparse, in ${loops[@]}
devices() {
	local file size

	loops=()
	for size; do
		file=$dir/drive${#loops[@]}
		truncate -s "$size" "$file"
		loops+=("$(losetup --find --show "$file")")
	done
}

release() {
	mdadm --stop "$md" >&3 2>&1 || true
	local loop
	for loop in "${loops[@]}"; do
		losetup -d "$loop"
	done
	rm -f "$dir"/drive*
}

# run COMMAND...: note it for the golden files, and do it
run() {
	local words="$*"
	local i

	for i in "${!loops[@]}"; do
		words=${words//${loops[$i]}/D$i}
	done
	commands+="# $words"$'\n'
	"$@" >&3 2>&1 </dev/null || {
		echo "failed: $words" >&2
		tail -n 5 "$dir/log" >&2
	}
}

create() {
	commands=
	run mdadm --create "$md" --run --metadata=1.2 --homehost=golden \
		--name=array "$@"
}

# save NAME DRIVE
save() {
	local loop=${loops[$2]}

	sync
	{
		printf '%s' "$commands"
		echo "# drive $2"
		echo "sectors $(blockdev --getsz "$loop")"
		dd if="$loop" bs=4096 skip=1 count=1 iflag=direct status=none |
			od -An -v -tx1 -w32 | awk '
			/[1-9a-f]/ { printf "%s%s\n", zeros, $0; zeros = ""; next }
			{ zeros = zeros $0 "\n" }'
	} >"$out/$1.sb"
}

sysfs() {
	commands+="# echo $2 > md/$1"$'\n'
	echo "$2" >"/sys/block/${md#/dev/}/md/$1"
}

# simple NAME SIZES -- OPTION...: create, stop and save the first drive
simple() {
	local name=$1
	local sizes=()

	shift
	while [[ $1 != -- ]]; do
		sizes+=("$1")
		shift
	done
	shift
	devices "${sizes[@]}"
	create "$@" --raid-devices=${#loops[@]} "${loops[@]}"
	mdadm --stop "$md" >&3 2>&1 || true
	save "$name" 0
	release
}

levels() {
	local s=64M
	local layout

	simple raid0 $s $s $s -- --level=0 --chunk=64
	simple raid0-original 32M 64M 96M -- --level=0 --layout=original
	simple raid0-alternate 32M 64M 96M -- --level=0 --layout=alternate
	simple raid1 $s $s -- --level=1 --bitmap=none --assume-clean
	simple raid1-bitmap $s $s $s -- --level=1 --bitmap=internal
	simple raid10 $s $s $s -- --level=10 --layout=n2 --assume-clean
	simple raid10-n3 $s $s $s $s -- --level=10 --layout=n3 --chunk=4
	simple raid10-far $s $s $s -- --level=10 --layout=f2
	simple raid10-offset $s $s $s -- --level=10 --layout=o2
	for layout in la ra ls rs parity-first parity-last; do
		simple raid5-$layout $s $s $s -- --level=5 --chunk=64 \
			--layout=$layout --assume-clean
		simple raid6-$layout $s $s $s $s $s -- --level=6 --chunk=16 \
			--layout=$layout --assume-clean
	done
	simple raid6-ddf $s $s $s $s -- --level=6 --layout=ddf-zero-restart
	simple raid4 $s $s $s -- --level=4 --assume-clean
	simple linear $s $s -- --level=linear
	simple raid5-ppl $s $s $s -- --level=5 --consistency-policy=ppl
	simple raid5-big 300G 300G 300G -- --level=5 --assume-clean
	simple raid5-4tib 4T 4T 4T -- --level=5 --assume-clean
}

states() {
	devices 64M 64M 64M 64M 64M
	create --level=5 --chunk=64 --assume-clean --raid-devices=3 \
		--spare-devices=1 "${loops[@]:0:4}"
	save raid5-active 1
	save raid5-spare 3
	sysfs sync_speed_min 100
	sysfs sync_speed_max 100
	run mdadm "$md" --fail "${loops[1]}"
	sleep 3
	save raid5-failed 0
	save raid5-failed-old 1
	run mdadm --stop "$md"
	save raid5-recovering 3
	release

	devices 256M 256M 256M 256M
	create --level=5 --chunk=64 --assume-clean --raid-devices=3 \
		"${loops[@]:0:3}"
	run mdadm "$md" --add "${loops[3]}"
	sysfs sync_speed_max 100
	run mdadm --grow "$md" --raid-devices=4
	sleep 2
	run mdadm --stop "$md"
	save raid5-reshape 0
	release

	devices 64M 64M 64M
	create --level=1 --assume-clean --bitmap=none --raid-devices=2 \
		"${loops[@]:0:2}"
	sysfs sync_speed_max 100
	run mdadm "$md" --add "${loops[2]}"
	run mdadm "$md" --replace "${loops[0]}"
	sleep 2
	run mdadm --stop "$md"
	save raid1-replacement 2
	release

	devices 64M 64M 64M 64M
	create --level=5 --raid-devices=3 --write-journal="${loops[3]}" \
		"${loops[@]:0:3}"
	run mdadm --stop "$md"
	save raid5-journal 3
	release
}

write() {
	commands+="# dd of=$md"$'\n'
	dd if=/dev/zero of="$md" bs=64k count=1 oflag=direct status=none
}

dirty() {
	devices 64M 64M 64M
	create --level=5 --assume-clean --raid-devices=3 "${loops[@]}"
	sysfs safe_mode_delay 60
	write
	save raid5-dirty 0
	release

	devices 64M 64M 64M
	create --level=5 --chunk=64 --assume-clean --raid-devices=3 \
		"${loops[@]}"
	sysfs "dev-${loops[1]#/dev/}/bad_blocks" "64 8"
	write
	run mdadm --stop "$md"
	save raid5-bad-blocks 1
	release
}

# One line for each: sectors, chunk in KiB, data_offset, data_size, bblog_offset
# space_of CHUNKS SIZE...
space_of() {
	local chunks=$1
	local size chunk

	shift
	for size; do
		for chunk in $chunks; do
			devices "$size" "$size"
			if ((chunk)); then
				create --level=5 --chunk="$chunk" --assume-clean \
					--bitmap=none --raid-devices=2 "${loops[@]}"
			else
				create --level=1 --assume-clean --bitmap=none \
					--raid-devices=2 "${loops[@]}"
			fi
			mdadm --stop "$md" >&3 2>&1 || true
			# All 0: it had no room.
			echo "$(blockdev --getsz "${loops[0]}") $chunk $(
				dd if="${loops[0]}" bs=4096 skip=1 count=1 \
					iflag=direct status=none |
					od -An -v -td8 -j128 -N16) $(
				dd if="${loops[0]}" bs=4096 skip=1 count=1 \
					iflag=direct status=none |
					od -An -v -td4 -j188 -N4)" |
				tr -s ' ' >>"$out/space.txt"
			release
		done
	done
}

space() {
	mdadm --version 2>&1 | sed 's/^/# /' >"$out/space.txt"
	space_of "0 4 64 512 1024" 3M 5M 16M 31M 32M 33M 64M 100M 127M 128M 256M
	space_of "0 512" 512M 1000M 1G 3000M 4G 8G 8193M 16G 33G 63G 64G 100G \
		128G 129G 200G 201G 1T 2100G 4T 17T
}

(($#)) || set -- levels states dirty space
for part; do
	"$part"
done
