#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RB-33: unreadable sectors. They are reconstructed, rewritten and counted,
# and no member is dropped for a few; a rebuild goes on past what nobody can
# reconstruct, and says how much that is; too many fail the member.
#
# guest: uml
# drives: 5 size 32M
# time: short
. "$(dirname "$0")/lib.sh"

# Sectors of 512 bytes that cannot be read until they are written.
dust=()
for i in 0 1 2 3 4; do
	must dmsetup create dust$i --table \
		"0 $(blockdev --getsz "${D[i]}") dust ${D[i]} 0 512"
	must dmsetup message dust$i 0 quiet
	must dmsetup message dust$i 0 enable
	dust+=("/dev/mapper/dust$i")
done

# spoil MEMBER SECTOR... - behind the member's data offset
spoil() {
	local member=$1 sector
	shift
	for sector; do
		must dmsetup message "dust$member" 0 addbadblock \
			$((data_offset + sector))
	done
}

# bad MEMBER - how many are left
bad() {
	dmsetup message "dust$1" 0 countbadblocks | grep -o '[0-9]* badblock' |
		cut -d' ' -f1
}

# make LEVEL MEMBERS
make() {
	local chunk=(--chunk 64K)
	[ "$1" != 1 ] || chunk=()
	create media --level "$1" "${chunk[@]}" --wait "${dust[@]:0:$2}"
	fill media 1
	data_offset=$(($(json media '.members[0].data_offset_bytes') / 512))
}

unmake() {
	local i
	stop media
	for i in 0 1 2 3 4; do
		must dmsetup message dust$i 0 clearbadblocks
	done
	must wipe "${dust[@]}"
}

# A few, all over: as if nothing was.
for level in 1 10 5 6; do
	make $level $((level == 1 ? 3 : 4))
	spoil 1 0 7 128 1000 5000 5001 20000 30001
	spoil 2 300 9000 9001 25000
	expect_pattern "RAID $level: unreadable sectors are read" media 1
	expect_check "RAID $level: check reads the rest" media
	expect_equal "RAID $level: all are rewritten" "$(bad 1) $(bad 2)" "0 0"
	expect_degraded media 0 "RAID $level: no member is dropped"
	corrected=$(json media '[.members[].corrected_errors] | add')
	if [ "$corrected" -gt 0 ]; then
		pass "RAID $level: they are counted"
	else
		fail "RAID $level: they are counted" "corrected: $corrected"
	fi
	expect_all_ways "RAID $level" media 1
	unmake
done

# RAID 6 has one to spare while it rebuilds one.
make 6 4
must raidctl fail media slot:0
must raidctl remove media failed
spoil 1 128 9000 9001
spoil 2 5000 30001
must raidctl add media "${dust[4]}"
wait_idle media
expect_degraded media 0 "RAID 6: rebuilt past unreadable sectors"
expect_equal "RAID 6: nothing is lost" "$(attr media lost_sectors)" 0
expect_check "RAID 6: redundancy fits" media
expect_all_ways "RAID 6, rebuilt past them" media 1
unmake

# RAID 5 has not: these rows cannot be reconstructed, the others can.
make 5 4
must raidctl fail media slot:0
must raidctl remove media failed
spoil 1 9000 9001
spoil 2 30001
must raidctl add media "${dust[4]}"
expect_status 2 "RAID 5: the rebuild ends, and tells that data are lost" \
	timeout 100 raidctl wait media
expect_equal "RAID 5: it does not start again and again" \
	"$(attr media sync_action)" idle
lost=$(attr media lost_sectors)
if [ "$lost" -ge 3 ] && [ "$lost" -le 24 ]; then
	pass "RAID 5: how much is lost is told"
else
	fail "RAID 5: how much is lost is told" "$lost sectors"
fi
expect_degraded media 1 "RAID 5: no other member is dropped"
wrong=0
for ((mib = 0; mib < 80; mib++)); do
	pattern check "$DEV" 1 "${mib}M+1M" >/dev/null 2>&1 ||
		wrong=$((wrong + 1))
done
if [ $wrong -le 3 ]; then
	pass "RAID 5: all other data are right"
else
	fail "RAID 5: all other data are right" "$wrong MiB have wrong sectors"
fi
fill media 1
stop media
assemble media "${dust[@]}"
wait_idle media
expect_degraded media 0 "RAID 5: once rewritten, the rebuild ends well"
expect_check "RAID 5: redundancy fits" media
expect_all_ways "RAID 5, after a loss" media 1
unmake

# No rebuild has to come to find them.
make 5 4
spoil 1 9000
spoil 2 9000
expect_status 2 "RAID 5: a check finds lost sectors" raidctl check media
if output_has 'could not be read or reconstructed'; then
	pass "RAID 5: it says so"
else
	fail "RAID 5: it says so" "$OUTPUT"
fi
must set_attr media sync_speed_max 1000
must raidctl check --no-wait media
must raidctl cancel media
expect_status 2 "RAID 5: a check that was cancelled has not found them again" \
	raidctl status media
must set_attr media sync_speed_max 0
fill media 1
expect_check "RAID 5: once rewritten, a check finds nothing" media
expect_status 0 "RAID 5: all is well then" raidctl status media
unmake

# A drive that is worn out.
make 6 4
must set_attr media max_read_errors 5
# shellcheck disable=SC2046 # a list
spoil 3 $(seq 0 1024 45000)
expect_pattern "too many errors: the data are right" media 1
run raidctl check media
expect "too many errors: the member fails" \
	wait_until 10 attr_is media degraded 1
expect_pattern "too many errors: the data are right without it" media 1
unmake
finish
