#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RB-12: RAID 0 of unequal members. Discards stay in their range in both
# layouts; a superblock that names no layout is refused where that matters,
# and nothing is written (test_interop_raid0 compares every byte with md).
#
# guest: uml
# drives: 4 size 64M
# time: short
. "$(dirname "$0")/lib.sh"

sbedit=$HERE/../stress/sbedit
RAID0_LAYOUT=0x1000

# state - of the drives themselves; their cache knows nothing of what is
# written by way of the pieces
state() {
	local drive
	for drive in "${D[@]}"; do
		dd if="$drive" bs=1M count=8 iflag=direct status=none
	done | sha256sum
}

pieces=()
for size in 0:30000 1:60000 2:120000; do
	must dmsetup create "part${size%:*}" \
		--table "0 ${size#*:} linear ${D[${size%:*}]} 0"
	pieces+=("/dev/mapper/part${size%:*}")
done

for layout in original alternate; do
	for chunk in 4K 64K 1M; do
		seed=${SEED:-$RANDOM$RANDOM}
		create zones --level 0 --chunk $chunk --layout $layout \
			"${pieces[@]}"
		expect "$layout, chunk $chunk: discards and all, seed $seed" \
			raidstress --align 512 --no-manage --seed "$seed" \
			--secs 2 "$DEV"
		stop zones
		must wipe "${pieces[@]}"
	done
done

# forget_layout DEVICE... - as an old kernel would have left it
forget_layout() {
	local device
	for device; do
		must "$sbedit" "$device" layout=0 \
			"feature_map=&$((0xffffffff & ~RAID0_LAYOUT))"
	done
}

md_create zones 0 --raid-devices=3 --chunk=64K "${pieces[@]}"
md_stop
forget_layout "${pieces[@]}"
before=$(state)
expect_refusal 'layout' "three zones without a layout: refused, says why" \
	raidctl adopt "${pieces[@]}"
expect_equal "nothing was written" "$(state)" "$before"
must wipe "${pieces[@]}"
must dmsetup remove "${pieces[@]}"

md_create same 0 --raid-devices=3 --chunk=64K "${D[@]:0:3}"
must pattern scatter "$MD" 1
md_stop
forget_layout "${D[@]:0:3}"
expect "one zone without a layout: adopted" raidctl adopt "${D[@]:0:3}"
assemble same "${D[@]:0:3}"
expect_pattern "one zone without a layout: reads" same 1
finish
