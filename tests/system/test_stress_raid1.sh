#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Random operations on RAID 1 against a shadow, while members fail and return
# as it pleases them; then all data for sets of lost members.
#
# guest: uml
# drives: 4 size 32M
# time: short
. "$(dirname "$0")/lib.sh"

level=1
seed=${SEED:-$RANDOM$RANDOM}
create stress --level $level --wait --spare "${D[3]}" "${D[@]:0:3}"
expect "RAID $level, seed $seed" \
	raidstress --seed "$seed" --secs 8 --restart --ways 4 "$DEV"
finish
