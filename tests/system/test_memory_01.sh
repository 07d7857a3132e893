#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Memory is short: operations and their pages can't be had, now and then or
# ever. Requests then wait for the array's reserve; all of them end, and what
# they did is right.
#
# guest: uml
# drives: 7 size 32M
# time: short
. "$(dirname "$0")/lib.sh"

inject=/sys/kernel/debug/mqraid_fail_memory
[ -d $inject ] || {
	skip "memory is short" "the kernel has no fault injection"
	finish
}
seed=${SEED:-$RANDOM$RANDOM}
tries=100000000

# short LEVEL MEMBERS PERCENT - allocations that fail
short() {
	create short --level "$1" --wait --chunk 64K --spare "${D[6]}" \
		"${D[@]:0:$2}"
	echo 0 >$inject/verbose
	echo $tries >$inject/times
	echo "$3" >$inject/probability
	expect "RAID $1, $3 % fail, seed $seed" \
		raidstress --seed "$seed" --secs 3 --ways 1 "$DEV"
	echo 0 >$inject/probability
	expect "RAID $1: they did" [ "$(<$inject/times)" -lt $tries ]
	stop short
	must wipe "${D[@]}"
}

short 6 6 2
short 6 5 100
short 5 4 20
short 10 4 100
finish
