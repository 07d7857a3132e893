#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A check that was asked for waits until I/O of older epochs has ended.  If it
# makes no sense any more then, whoever waits for it is told so, and not how the
# check before has ended.
#
# guest: uml
# drives: 4 size 32M
# time: short
. "$(dirname "$0")/lib.sh"

sectors=$(blockdev --getsz "${D[0]}")

# delay MS - reads of the first member take so long
delay() {
	must dmsetup suspend slow
	must dmsetup load slow --table \
		"0 $sectors delay ${D[0]} 0 $1 ${D[0]} 0 0"
	must dmsetup resume slow
}

begun() {
	dmesg | grep -c 'check begins'
}

# in_flight - does the array have a read on its way?
in_flight() {
	local reads=0
	read -r reads _ <"/sys/block/${DEV#/dev/}/inflight"
	[ "$reads" -gt 0 ]
}

asked_for() {
	[ "$(json asked .sync.action)" = check ]
}

must dmsetup create slow --table "0 $sectors delay ${D[0]} 0 0 ${D[0]} 0 0"
create asked --level 5 --wait /dev/mapper/slow "${D[@]:1:3}"
fill asked 1
delay 8000
dd if="$DEV" of=/dev/null bs=1M count=1 iflag=direct status=none &
reader=$!
must wait_until 5 in_flight

# It begins, which leaves that read in an epoch of its own, and is cancelled.
raidctl check asked >"$WORK/check" 2>&1 &
check=$!
must wait_until 5 asked_for
must raidctl cancel asked
wait $check
expect_equal "a check is cancelled: its status" $? 4
expect_text 'cancelled' "and what it says" cat "$WORK/check"

# This one has to wait for the read, and then makes no sense any more.
before=$(begun)
raidctl check asked >"$WORK/check" 2>&1 &
check=$!
must wait_until 5 asked_for
must raidctl fail asked slot:2
wait $check
expect_equal "a member fails before a check begins: its status" $? 4
expect_text 'ended with an error' "and what it says" cat "$WORK/check"
expect_equal "it has not begun" "$(begun)" "$before"
wait $reader
stop asked
must dmsetup remove slow
finish
