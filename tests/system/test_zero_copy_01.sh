#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# zero_copy: data and parity are right under random operations, members lost
# and rebuilt included; a program that scribbles on what it writes does damage
# then, and only then; it is for parity levels, and off by default.
#
# guest: uml
# drives: 7 size 32M
# time: short
. "$(dirname "$0")/lib.sh"

manager=$HERE/../stress/manage
seed=${SEED:-$RANDOM$RANDOM}

for level in 5 6; do
	create zero --level $level --wait --chunk 64K --spare "${D[6]}" \
		"${D[@]:0:6}"
	expect_text '^zero_copy=0$' "RAID $level: it is off by default" \
		raidctl get zero zero_copy
	must raidctl set zero zero_copy=1
	expect "RAID $level: right under random operations, seed $seed" \
		raidstress --seed "$seed" --secs 5 --ways 3 "$DEV"
	stop zero
	must wipe "${D[@]}"
done

# That it does what it says: a member that takes its time gets the program's
# buffer as it is later, not as it was when parity was computed.
sectors=$(blockdev --getsz "${D[0]}")
must dmsetup create late --table "0 $sectors delay ${D[0]} 0 0 ${D[0]} 0 5"
create zero --level 5 --wait --chunk 16K /dev/mapper/late "${D[@]:1:3}"
must raidctl set zero zero_copy=1
expect_status 1 "RAID 5: scribbling programs are trusted" \
	scribble "$DEV" 3 "$seed" "$manager"
must raidctl set zero zero_copy=0
must raidctl repair zero
expect "RAID 5: and not, once it is off again" \
	scribble "$DEV" 3 "$seed" "$manager"
stop zero
must dmsetup remove late
must wipe "${D[@]}"

for level in 0 1 10; do
	create zero --level $level "${D[@]:0:4}"
	expect_refusal 'RAID 5 and 6 only' "RAID $level: is refused it" \
		raidctl set zero zero_copy=1
	stop zero
	must wipe "${D[@]}"
done
finish
