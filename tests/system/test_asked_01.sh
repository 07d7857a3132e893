#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A check or repair that was asked for waits until I/O of older epochs has
# ended.  If it makes no sense any more, or is cancelled, whoever waits for it is
# told so at once, and not how the one before has ended.  Neither this nor a
# member that fails in the middle changes what is known of the data.
#
# guest: uml
# drives: 5 size 32M
# time: short
. "$(dirname "$0")/lib.sh"

sectors=$(blockdev --getsz "${D[0]}")
slow=()

# delay MS - reads of members take so long; those under way have ended
delay() {
	local i
	for i in 0 1 2 3; do
		must dmsetup suspend "slow$i"
		must dmsetup load "slow$i" --table \
			"0 $sectors delay ${D[i]} 0 $1 ${D[i]} 0 0"
		must dmsetup resume "slow$i"
	done
}

begun() {
	dmesg | grep -c 'check begins\|repair begins'
}

more_begun() {
	[ "$(begun)" -gt "$1" ]
}

# in_flight - does the array have a read on its way?
in_flight() {
	local reads=0
	read -r reads _ <"/sys/block/${DEV#/dev/}/inflight"
	[ "$reads" -gt 0 ]
}

# ask check|repair - in the background
ask() {
	raidctl "$1" asked >"$WORK/asked" 2>&1 &
	asker=$!
	must wait_until 10 attr_is asked sync_action "$1"
}

has_ended() {
	! kill -0 "$asker" 2>/dev/null
}

# ends STATUS REGEX WHAT - the command that asked
ends() {
	must wait_until 20 has_ended
	wait "$asker"
	expect_equal "$3: status" $? "$1"
	expect_text "$2" "$3: $2" cat "$WORK/asked"
}

# hold - a read is on its way, for a minute, in an epoch of its own
#
# A check leaves it there, as each begins with a new epoch.
hold() {
	local before
	delay 60000
	dd if="$DEV" of=/dev/null bs=4k count=1 iflag=direct status=none &
	reader=$!
	must wait_until 10 in_flight
	before=$(begun)
	ask check
	must wait_until 10 more_begun "$before"
	must raidctl cancel asked
	ends 4 cancelled "a check that has begun is cancelled"
	started=$(begun)
}

release() {
	must in_flight
	delay 0
	wait "$reader"
	expect_equal "the read that was under way" $? 0
}

expect_not_begun() {
	expect_equal "$1 has not begun" "$(begun)" "$started"
}

# woken FILE - print it once it has changed, as pollers see it
woken() {
	python3 - "/sys/block/${DEV#/dev/}/mqraid/$1" "$WORK/polling" <<-'EOF'
		import os, select, sys, time
		fd = os.open(sys.argv[1], os.O_RDONLY)
		before = os.read(fd, 100)
		poll = select.poll()
		poll.register(fd, select.POLLPRI | select.POLLERR)
		# what happened before
		while poll.poll(500):
		    before = os.pread(fd, 100, 0)
		open(sys.argv[2], "w").close()
		now, end = before, time.monotonic() + 10
		while now == before and time.monotonic() < end:
		    if poll.poll(1000):
		        now = os.pread(fd, 100, 0)
		print(now.decode().strip())
	EOF
}

cancelled_before() {
	rm -f "$WORK/polling"
	woken sync_action >"$WORK/woken" &
	must wait_until 10 test -e "$WORK/polling"
	must raidctl cancel asked
	wait $!
	expect_equal "pollers of sync_action are told" "$(<"$WORK/woken")" idle
	ends 4 cancelled "$1 is cancelled before it begins"
	release
}

for i in 0 1 2 3; do
	must dmsetup create "slow$i" --table \
		"0 $sectors delay ${D[i]} 0 0 ${D[i]} 0 0"
	slow+=("/dev/mapper/slow$i")
done

# A member fails before it begins.
for level in 1 10 5 6; do
	create asked --level $level --wait "${slow[@]}"
	hold
	if [ $((level % 2)) -eq 1 ]; then
		ask check
	else
		ask repair
	fi
	must raidctl fail asked slot:2
	ends 4 'ended with an error' "RAID $level: a member fails before"
	release
	expect_not_begun "what was asked for"
	stop asked
	must wipe "${D[@]}"
done

# The array breaks while a rebuild and what comes after it wait.
create asked --level 5 --wait "${slow[@]}"
must raidctl add asked "${D[4]}"
hold
ask check
must raidctl fail asked slot:1
must raidctl fail --force asked slot:2
ends 4 'ended with an error' "the array breaks before"
must in_flight
delay 0
wait "$reader"
expect_not_begun "the check"
stop asked
must wipe "${D[@]}"

# With a spare, it runs after the rebuild; or not, if it is cancelled.
for cancel in "" cancel; do
	create asked --level 5 --wait "${slow[@]}"
	fill asked 1
	must raidctl add asked "${D[4]}"
	hold
	ask check
	must raidctl fail asked slot:1
	must set_attr asked sync_speed_max 1000
	release
	must wait_until 10 attr_is asked sync_action rebuild
	if [ "$cancel" ]; then
		expect_status 4 "the rebuild can't be cancelled" \
			raidctl cancel asked
		must set_attr asked sync_speed_max 0
		ends 4 'a rebuild came after the check' "what waits behind it"
		expect_not_begun "the check"
	else
		must set_attr asked sync_speed_max 0
		ends 0 'check finished, 0 mismatches' "it runs then"
	fi
	expect_pattern "data are right" asked 1
	stop asked
	must wipe "${D[@]}"
done

# What is known of the data: a check has found something.
create asked --level 5 --wait "${slow[@]}"
fill asked 1
offset=$(json asked '.members[1].data_offset_bytes')
stop asked
must dd if=/dev/urandom of="${D[1]}" bs=4096 count=3 conv=notrunc \
	oflag=direct seek=$(((offset + 1048576) / 4096)) status=none
assemble asked "${slow[@]}"
expect_status 2 "a check finds mismatches" raidctl check asked
hold
ask repair
cancelled_before "a repair"
expect_status 2 "they are still known" raidctl status asked
expect_not_begun "the repair"
before=$(begun)
must set_attr asked sync_speed_max 1000
ask repair
must wait_until 10 more_begun "$before"
must raidctl cancel asked
ends 4 cancelled "a repair in the middle"
expect_status 2 "a repair that was cancelled has not mended them" \
	raidctl status asked
must set_attr asked sync_speed_max 0
expect "a repair" raidctl repair asked
expect_status 0 "nothing is wrong after it" raidctl status asked
hold
ask check
cancelled_before "a check"
expect_status 0 "still nothing is wrong" raidctl status asked
expect_not_begun "the check"

# A member fails while it runs: some rows had nothing to be compared with.
before=$(begun)
must set_attr asked sync_speed_max 1000
ask check
must wait_until 10 more_begun "$before"
must raidctl fail asked slot:2
ends 4 'ended with an error' "a member fails during a check"
expect_status 1 "the array is degraded, not wrong" raidctl status asked
must raidctl remove asked failed
must set_attr asked sync_speed_max 0
must raidctl add asked "${D[4]}"
wait_idle asked
before=$(begun)
must set_attr asked sync_speed_max 1000
ask check
must wait_until 10 more_begun "$before"
must raidctl add asked "${slow[2]}"
must raidctl fail asked slot:1
must set_attr asked sync_speed_max 0
ends 4 'a rebuild came after the check' "and with a spare"
stop asked
for i in 0 1 2 3; do
	must dmsetup remove "slow$i"
done
finish
