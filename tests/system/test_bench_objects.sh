#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The benchmark's small-object program makes what it counts, and nothing else.
#
# guest: uml
# drives: 0 size 64M --extra-module tests/bench
# time: short
. "$(dirname "$0")/lib.sh"

OBJECTS=$WORK/objects
TREE=$WORK/tree

# value KEY - of the figures in OUTPUT
value() {
	sed -n "s/^$1=//p" <<<"$OUTPUT"
}

must make -s -C "$HERE/../bench" B="$WORK"
must mkdir "$TREE"
expect "small objects are made" "$OBJECTS" --dir "$TREE" --threads 3 \
	--seconds 0.5 --seed 7 --min 5000 --max 9K
expect_equal "without an error" "$(value errors)" 0
[ "$(value objects)" -gt 0 ]
expect_equal "$(value objects) of them" $? 0
expect_equal "as many files" "$(find "$TREE" -type f | wc -l)" \
	"$(value objects)"
expect_equal "with as many bytes" "$(value bytes)" \
	"$(find "$TREE" -type f -printf '%s\n' | awk '{ n += $1 } END { print n }')"
expect_equal "of the sizes asked for" "" \
	"$(find "$TREE" -type f '(' -size -5000c -o -size +9216c ')')"
expect_equal "all renamed" "" "$(find "$TREE" -type f -name '.*')"
[ "$(value p50_ns)" -le "$(value p99_ns)" ] &&
	[ "$(value p99_ns)" -le "$(value p999_ns)" ] &&
	[ "$(value mean_ns)" -gt 0 ]
expect_equal "latencies are ordered" $? 0
expect_status 1 "an error is one" "$OBJECTS" --dir "$TREE/nothing"
expect_refusal 'needed' "a directory is needed" "$OBJECTS"
expect_refusal '1 to 256' "threads are" "$OBJECTS" --dir "$TREE" --threads 0
expect_refusal 'max' "sizes have an order" \
	"$OBJECTS" --dir "$TREE" --min 2K --max 1K
expect_refusal 'number' "numbers are numbers" "$OBJECTS" --dir "$TREE" --seed x
finish
