#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Random operations on RAID 10 against a shadow, while members fail and
# return as it pleases them; then all data for sets of lost members.
#
# guest: uml
# drives: 6 size 32M
# time: short
. "$(dirname "$0")/lib.sh"

level=10
seed=${SEED:-$RANDOM$RANDOM}
create stress --level $level --wait --chunk 64K --spare "${D[5]}" \
	"${D[@]:0:5}"
expect "RAID $level, seed $seed" \
	raidstress --seed "$seed" --secs 7 --restart --ways 3 "$DEV"
stop stress
must wipe "${D[@]}"

# Chunks of one block, and of as many as there can be.
create stress --level $level --wait --chunk 4K "${D[@]:0:5}"
expect "RAID $level, chunk 4K, seed $seed" \
	raidstress --seed "$seed" --secs 3 --ways 1 "$DEV"
stop stress
must wipe "${D[@]}"
create stress --level $level --wait --chunk 1M "${D[@]:0:5}"
expect "RAID $level, chunk 1M, seed $seed" \
	raidstress --seed "$seed" --secs 3 --ways 1 "$DEV"
finish
