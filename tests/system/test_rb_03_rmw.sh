#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RB-03: many writers in the same few rows, with overlapping writes of all
# sizes, also while parity is being repaired: afterwards parity fits
# whichever members are lost.
#
# guest: uml
# drives: 5 size 32M
# time: short
. "$(dirname "$0")/lib.sh"

# repairs - one after the other until told to end
repairs() {
	while [ -e "$WORK/repair" ]; do
		raidctl repair rmw >/dev/null
	done
}

# rmw LEVEL CHUNK
rmw() {
	local seed=${SEED:-$RANDOM$RANDOM}
	create rmw --level "$1" --chunk "$2" --wait "${D[@]}"
	expect "RAID $1, chunk $2, crowded, seed $seed" \
		raidstress --seed "$seed" --calm --secs 3 --threads 6 \
		--depth 16 --window 1M+3M --no-buffered --ways 2 "$DEV"
	touch "$WORK/repair"
	repairs &
	expect "RAID $1, chunk $2, crowded during repairs, seed $seed" \
		raidstress --seed "$seed" --no-manage --secs 3 --threads 6 \
		--depth 16 --window 1M+3M "$DEV"
	rm "$WORK/repair"
	wait
	expect_check "RAID $1, chunk $2: parity fits after that" rmw
	stop rmw
	must wipe "${D[@]}"
}

rmw 5 64K
rmw 6 64K
rmw 5 4K
rmw 6 1M
finish
