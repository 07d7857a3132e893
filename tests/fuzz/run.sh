#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# run.sh OUT SECS TARGET...: run fuzz targets side by side, SECS seconds each.
# Prints one line for each; fails if any of them found something.

set -u

out=$1
secs=$2
shift 2
declare -A pid
failed=0

for target; do
	mkdir -p "$out/corpus/$target"
	"$out/$target" -max_total_time="$secs" -timeout=10 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="$out/$target-" \
		"$out/corpus/$target" "corpus/$target" \
		>"$out/$target.log" 2>&1 </dev/null &
	pid[$target]=$!
done
for target; do
	if wait "${pid[$target]}"; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' \
			"$out/$target.log")
		echo "$target: no find in $runs runs"
	else
		failed=$((failed + 1))
		tail -n 40 "$out/$target.log"
		echo "$target: FAILED, see $out/$target.log"
	fi
done
echo "tests/fuzz: $# targets, $failed failed"
((failed == 0))
