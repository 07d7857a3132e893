#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RB-19: what a superblock may say. Our arrays have zeros where newer kernels
# record a block size; a valid one is accepted and kept; whatever is not
# understood is refused by name, and nothing is written.
#
# guest: uml
# drives: 5 size 32M
# time: short
. "$(dirname "$0")/lib.sh"

sbedit=$HERE/../stress/sbedit
use=("${D[@]:0:3}")

state() {
	head -q -c 8M "${D[@]}" | sha256sum
}

# on_all WORD... - edit all superblocks
on_all() {
	local device
	for device in "${use[@]}"; do
		must "$sbedit" "$device" "$@"
	done
}

create fields --level 5 --wait "${use[@]}"
fill fields 1
stop fields
expect_equal "a new array records no block size" \
	"$("$sbedit" "${use[0]}" logical_block_size)" 0
must raidctl release "${use[@]}"
must save_superblocks "${use[@]}"

# refused WHAT REGEX WORD... - by adopt, and without a trace
refused() {
	local what=$1 regex=$2 before
	shift 2
	on_all "$@"
	before=$(state)
	expect_refusal "$regex" "$what: adopt refuses" \
		raidctl adopt "${use[@]}"
	expect_refusal . "$what: assemble refuses" \
		raidctl assemble "${use[@]}"
	expect_equal "$what: nothing was written" "$(state)" "$before"
	must restore_superblocks "${use[@]}"
}

refused "reshape in progress" '[Rr]eshap' 'feature_map=|4' \
	reshape_position=0 delta_disks=1
refused "journal" '[Jj]ournal' 'feature_map=|0x200'
refused "partial parity log" 'PPL|partial parity' 'feature_map=|0x800'
refused "cluster" '[Cc]luster' 'feature_map=|0x100'
refused "unknown feature" '[Ff]eature' 'feature_map=|0x100000'
refused "wrong checksum" '[Cc]hecksum' --bad-checksum
refused "no slots" . max_dev=0
refused "too many slots" . max_dev=1921
refused "unknown level" '[Ll]evel' level=42
refused "unknown layout" '[Ll]ayout' layout=77
refused "odd chunk" '[Cc]hunk' chunk=17
refused "data behind the end" . data_size=0xffffffffff
refused "data over the superblock" . data_offset=8
refused "larger than its data" . size=0xfffffff
refused "unclean" 'clean' resync_offset=0
for byte in 228 240 255; do
	refused "byte $byte of the padding" . "@$byte=1"
done
refused "block size that is none" . logical_block_size=777

on_all logical_block_size=512
expect "a block size of 512 is accepted" raidctl adopt "${use[@]}"
assemble fields "${use[@]}"
fill fields 2
stop fields
expect_equal "and kept" "$("$sbedit" "${use[0]}" logical_block_size)" 512
must raidctl release "${use[@]}"
md_assemble "${use[@]}"
expect "md reads all of it" pattern check "$MD" 2
md_stop

# More than three bytes of damage: no single byte may crash or be believed.
must raidctl adopt "${use[@]}"
must save_superblocks "${use[@]}"
bad=()
for byte in $(seq 0 11 255); do
	"$sbedit" "${use[1]}" "@$byte=|0x55" || bad+=("sbedit $byte")
	raidctl examine "${use[1]}" >"$WORK/out" 2>&1
	[ $? -lt 124 ] || bad+=("examine, byte $byte")
	raidctl assemble "${use[@]}" >"$WORK/out" 2>&1
	[ $? -lt 124 ] || bad+=("assemble, byte $byte: $(<"$WORK/out")")
	raidctl stop --all >/dev/null 2>&1
	must restore_superblocks "${use[@]}"
done
expect_equal "any byte may be wrong" "${bad[*]}" ""
assemble fields "${use[@]}"
expect_pattern "the data are unharmed" fields 2
finish
