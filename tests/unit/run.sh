#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run test programs, all of them even if one fails.  The last line is
#
#	tests/unit: 42 passed, 0 failed
#
# A program that dies counts as one more failure.

set -u

passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

for program; do
	echo "=== ${program##*/}"
	"$program" 2>&1 | tee "$log"
	status=${PIPESTATUS[0]}
	ok=$(grep -c '^\[       OK \]' "$log")
	bad=$(grep '^\[  FAILED  \] [a-z0-9_]*$' "$log" | sort -u | wc -l)
	if ((status && !bad)); then
		echo "${program##*/} ended with status $status"
		bad=1
	fi
	((passed += ok, failed += bad))
done
echo "tests/unit: $passed passed, $failed failed"
((failed == 0))
