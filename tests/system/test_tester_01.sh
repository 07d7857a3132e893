#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# raidstress itself: it passes on md's RAID 5 with members failing and
# returning, and it finds what is wrong with devices that change bytes, lose
# writes, put them in the wrong place, or hang.
#
# guest: uml
# drives: 4 size 32M
# time: short
. "$(dirname "$0")/lib.sh"

sectors=$(blockdev --getsz "${D[0]}")

# faulty NAME TABLE - lines of START SECTORS TARGET...
faulty() {
	printf '%s\n' "${@:2}" >"$WORK/table"
	must dmsetup create "$1" "$WORK/table"
}

# finds REGEX WHAT OPTION... DEVICE - it ends with 1 and says so
finds() {
	local regex=$1 what=$2
	shift 2
	expect_status 1 "finds $what" raidstress --secs 20 "$@"
	if grep -qE "$regex" <<<"$OUTPUT" && grep -q '^seed ' <<<"$OUTPUT"; then
		pass "says what is wrong, and its seed"
	else
		fail_run "says what is wrong, and its seed" "1, '$regex'"
	fi
}

md_create tester 5 --raid-devices=3 --chunk=64K "${D[@]:0:3}"
expect "passes on md" raidstress --secs 4 --ways 2 "$MD"
md_stop
must wipe "${D[@]}"

faulty flips "0 $sectors flakey ${D[0]} 0 2 1 5 corrupt_bio_byte 77 r 7 0"
finds 'WRONG DATA' "a byte that changes on its way" \
	--no-manage /dev/mapper/flips
must dmsetup remove flips

faulty loses "0 $sectors flakey ${D[0]} 0 2 1 1 drop_writes"
finds 'WRONG DATA' "writes that are lost" --no-manage /dev/mapper/loses
must dmsetup remove loses

half=$((sectors / 2))
faulty twice "0 $half linear ${D[0]} 0" "$half $half linear ${D[0]} 0"
finds 'ANOTHER BLOCK' "data in the wrong place" --no-manage /dev/mapper/twice
must dmsetup remove twice

# One copy of two is wrong: nobody may see it until a member is missing.
faulty copy "0 8192 linear ${D[1]} 0" \
	"8192 $((sectors - 8192)) flakey ${D[1]} 8192 0 1 5 corrupt_bio_byte 77 r 7 0"
md_create tester 1 --raid-devices=2 --assume-clean "${D[0]}" /dev/mapper/copy
finds 'WRONG DATA|mismatches' "a wrong copy" --calm "$MD"
md_stop
must dmsetup remove copy
must wipe "${D[@]}"

faulty hangs "0 $sectors linear ${D[0]} 0"
(
	sleep 3
	dmsetup suspend --noflush hangs
	sleep 8
	dmsetup resume hangs
) &
expect_status 2 "finds a device that hangs" \
	raidstress --no-manage --secs 20 --stall 4 /dev/mapper/hangs
wait
finish
