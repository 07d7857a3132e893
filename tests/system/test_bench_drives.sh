#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# scripts/bench on given drives: it takes only those that are free, asks, and
# leaves nothing behind.
#
# guest: uml
# drives: 4 size 160M
# time: short
. "$(dirname "$0")/lib.sh"

BENCH=$MQR_CHECKOUT/scripts/bench
OUT=$WORK/bench
SAID=$WORK/said

# bench OPTION... - a tiny run on all drives
bench() {
	python3 "$BENCH" --drives "${D[@]}" --destroy-data --levels 6 \
		--states healthy,rebuild --works randwrite-4k,dsync-4k \
		--contestants raw,md,mqraid --seconds 0.05 --repetitions 1 \
		--rebuild-seconds 0.5 --out "$OUT" "$@"
}

# refused REGEX WHAT OPTION... - it doesn't run, and says why
refused() {
	local regex=$1 what=$2
	shift 2
	expect_refusal "$regex" "$what" bench "$@"
}

# at_a_terminal TEXT - answer the question; the harness's status
at_a_terminal() {
	declare -f bench >"$SAID.sh"
	printf 'D=(%s)\nBENCH=%q\nOUT=%q\nbench\n' "${D[*]}" "$BENCH" "$OUT" \
		>>"$SAID.sh"
	{
		sleep 2
		echo "$1"
	} | script -qec "bash $SAID.sh" /dev/null
}

# nothing_on_drives - no signature is left
nothing_on_drives() {
	local drive
	for drive in "${D[@]}"; do
		! blkid -p "$drive" || return 1
	done
}

mkdir -p "$WORK"

refused 'no terminal' "nobody is there to be asked"
expect_refusal 'something else' "another sentence is no consent" \
	at_a_terminal yes

must mkfs.ext4 -q -F "${D[1]}"
refused "${D[1]}: it holds ext4" "a file system is refused" --without-asking
expect_text "ext4" "and is still there" blkid -p "${D[1]}"
must wipefs -qa "${D[1]}"

must mdadm --create $MD --run --level=1 --raid-devices=2 --assume-clean \
	--bitmap=none "${D[0]}" "${D[2]}"
refused "${D[0]}: it is used by md9" "a member of a running array is refused" \
	--without-asking
must md_stop
refused "${D[2]}: it holds linux_raid_member" "that of a stopped one as well" \
	--without-asking
must wipefs -qa "${D[0]}" "${D[2]}"

# What a run that was killed leaves behind.
must mdadm --create /dev/md100 --run --level=1 --raid-devices=2 \
	--assume-clean --bitmap=none --name=mqrbench \
	--uuid=6d717262:656e6368:00112233:44556677 "${D[0]}" "${D[3]}"
expect "it runs over its own leftovers" bench --without-asking
expect "there is a result" test -s "$OUT/result.json"
expect_status 1 "no md array is left" grep ^md /proc/mdstat
expect_status 1 "no array of mqraid either" compgen -G "/sys/block/mqr*"
expect "no signature is left" nothing_on_drives

expect_text 'written: .*result.json' "the right sentence is consent" \
	at_a_terminal "destroy data on 4 drives"
finish
