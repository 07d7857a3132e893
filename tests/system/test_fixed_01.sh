#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Buffers registered with io_uring arrive as they are, at addresses that drives
# can't take: parity levels copy them; mirrors refuse the write instead of
# handing it to members, which would refuse it in turn and look broken.
#
# guest: uml
# drives: 4 size 32M
# time: short
. "$(dirname "$0")/lib.sh"

# fixed_at STATUS LEVEL SHIFT
fixed_at() {
	expect_status "$1" "RAID $2: a buffer $3 bytes into a page" \
		fixed "$DEV" "$3" 1M
}

for level in 5 6 1 10; do
	create fixed --level $level --wait "${D[@]}"
	fill fixed 1
	align=$(($(<"/sys/block/${DEV#/dev/}/queue/dma_alignment") + 1))
	unaligned=0
	case $level in
	1 | 10) unaligned=1 ;;
	esac
	fixed_at 0 $level 0
	fixed_at 0 $level $align
	fixed_at $unaligned $level $((align / 2))
	fixed_at $unaligned $level $((align + 1))
	expect_degraded fixed 0 "RAID $level: no member is blamed"
	expect_check "RAID $level: redundancy fits" fixed
	expect "RAID $level: the rest is as it was" \
		pattern check "$DEV" 1 0+1M 2M+8M
	stop fixed
	must wipe "${D[@]}"
done
finish
