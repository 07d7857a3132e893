#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RB-18: create over something that lives is refused, with what it is and how
# to start it; force alone does not destroy an array; nothing is written on
# refusal. Assembly goes by what members record, whatever their order and
# data offsets.
#
# guest: uml
# drives: 5 size 64M
# time: short
. "$(dirname "$0")/lib.sh"

# state - where anything could be written: what is in front of the data, and
# some of those
state() {
	head -q -c 8M "${D[@]}" | sha256sum
}

# refused WHAT REGEX OPTION...
refused() {
	local what=$1 regex=$2 before
	shift 2
	before=$(state)
	expect_refusal "$regex" "$what: refused" \
		raidctl create other --level 5 "$@" "${D[@]:0:4}"
	expect_equal "$what: nothing was written" "$(state)" "$before"
}

md_create old 5 --raid-devices=4 "${D[@]:0:4}"
uuid=$(mdadm --detail "$MD" | sed -n 's/.*UUID : *//p' | tr -d :)
refused "running md array" 'in use|busy'
refused "running md array, force" 'in use|busy' --force --destroy "$uuid"
md_stop
refused "stopped md array" 'array'
expect_refusal "${uuid:0:8}" "stopped md array: its UUID is named" \
	raidctl create new --level 5 "${D[@]:0:4}"
expect_refusal 'assemble' "stopped md array: the way to start it is named" \
	raidctl create new --level 5 "${D[@]:0:4}"
refused "stopped md array, force alone" "${uuid:0:8}|destroy" --force
refused "stopped md array, force and another UUID" . \
	--force --destroy 01234567-89ab-cdef-0123-456789abcdef
expect "stopped md array, force and its UUID: made" \
	raidctl create new --level 5 --force --destroy "$uuid" \
	--assume-clean "${D[@]:0:4}"

refused "running mqraid array" 'in use|busy'
fill new 1
uuid=$(attr new uuid | tr -d -)
stop new
refused "stopped mqraid array" 'array'
refused "stopped mqraid array, force alone" . --force
assemble new "${D[3]}" "${D[1]}" "${D[0]}" "${D[2]}"
expect_pattern "shuffled members: the data are right" new 1
stop new
must wipe "${D[@]}"

# signature NAME COMMAND... - something else on the third device
signature() {
	local name=$1
	shift
	must "$@"
	refused "$name" "$name|signature|contains|${D[2]}"
	expect "$name: force destroys it" raidctl create new --level 5 \
		--assume-clean --force "${D[@]:0:4}"
	stop new
	must wipe "${D[@]}"
}

# mbr DEVICE - a partition table with one partition of Linux
mbr() {
	{
		head -c 446 /dev/zero
		printf '\0\0\2\0\x83\0\x3f\0\0\10\0\0\0\100\0\0'
		head -c 48 /dev/zero
		printf '\x55\xaa'
	} >"$WORK/mbr"
	dd if="$WORK/mbr" of="$1" conv=notrunc status=none
}

signature ext4 mkfs.ext4 -q -F "${D[2]}"
signature crypto cryptsetup luksFormat -q --type luks2 --pbkdf pbkdf2 \
	--pbkdf-force-iterations 1000 --key-file /etc/hostname "${D[2]}"
signature dos mbr "${D[2]}"

# Each member has its own place for the data.
must mdadm --create "$MD" --run --metadata=1.2 --level=5 --raid-devices=3 \
	--bitmap=none --homehost=any --name=offsets --data-offset=variable \
	"${D[0]}:1024" "${D[1]}:4096" "${D[2]}:2048"
must md_wait
must pattern scatter "$MD" 1
md_stop
must raidctl adopt "${D[2]}" "${D[0]}" "${D[1]}"
assemble offsets "${D[1]}" "${D[2]}" "${D[0]}"
expect_pattern "different data offsets: the data are right" offsets 1
expect_check "different data offsets: redundancy fits" offsets
finish
