#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What one task submits under one plug is written as whole rows: nothing is
# read for it, as it would be for the same requests one by one.
#
# guest: uml
# drives: 6 size 64M
# time: short
. "$(dirname "$0")/lib.sh"

# Requests that were completed by all members, so far: reads
member_reads() {
	local drive sum=0 reads rest

	for drive in "${D[@]}"; do
		# shellcheck disable=SC2034 # the rest of the line
		read -r reads rest <"/sys/block/${drive#/dev/}/stat"
		sum=$((sum + reads))
	done
	echo $sum
}

# quarters BATCH - write quarters of rows in order, so many at a time
quarters() {
	fio --name=plug --filename="$DEV" --direct=1 --rw=write --bs=64k \
		--size=32m --ioengine=libaio --iodepth="$1" \
		--iodepth_batch="$1" --iodepth_batch_complete_min="$1" \
		--verify=crc32c --do_verify=0 --output-format=terse
}

verify_quarters() {
	fio --name=plug --filename="$DEV" --direct=1 --rw=read --bs=64k \
		--size=32m --ioengine=psync --verify=crc32c \
		--output-format=terse
}

for level in 5 6; do
	parities=$((level - 4))
	create plug --level $level --wait --chunk 64K \
		"${D[@]:0:$((4 + parities))}"
	before=$(member_reads)
	expect "RAID $level: rows in quarters, 16 at a time" quarters 16
	after=$(member_reads)
	# Whoever looks at the device reads a little, too.
	if [ $((after - before)) -lt 32 ]; then
		pass "RAID $level: nothing is read for them"
	else
		fail "RAID $level: nothing is read for them" \
			"$((after - before)) reads"
	fi
	expect "RAID $level: they read back right" verify_quarters
	expect_text '0 mismatches' "RAID $level: parity is right" \
		raidctl check plug

	before=$(member_reads)
	expect "RAID $level: the same one by one" quarters 1
	after=$(member_reads)
	if [ $((after - before)) -gt 512 ]; then
		pass "RAID $level: that takes reads, so the above proves something"
	else
		fail "RAID $level: that takes reads" "only $((after - before))"
	fi
	stop plug
	must wipe "${D[@]}"
done
finish
