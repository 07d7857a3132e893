# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# md, the other driver for the same members; part of lib.sh.

MD=/dev/md9

# md_settled - md has nothing left to do
md_settled() {
	[ "$(<"/sys/block/${MD#/dev/}/md/sync_action")" = idle ] &&
		! grep -q PENDING /proc/mdstat
}

# md_wait [SECONDS]
#
# Not by mdadm --wait, which waits for ever when md waits for a first write.
md_wait() {
	local state=/sys/block/${MD#/dev/}/md/sync_action
	[ -e "$state" ] || return 0
	mdadm --readwrite $MD 2>/dev/null
	wait_until "${1:-120}" md_settled
}

# md_create NAME LEVEL ARGUMENT... - make $MD of devices, resynchronised
#
# Without a bitmap, as mqraid doesn't keep one.
md_create() {
	local name=$1 level=$2
	shift 2
	# mdadm refuses the word for RAID 0, even to say that there is none.
	[ "$level" = 0 ] || set -- --bitmap=none "$@"
	must mdadm --create $MD --run --metadata=1.2 --homehost=any \
		--name="$name" --level="$level" "$@"
	must md_wait
}

# md_assemble DEVICE...
md_assemble() {
	must mdadm --assemble --run $MD "$@"
	must md_wait
}

md_stop() {
	must wait_until 10 mdadm --stop $MD
}

# md_check - print the number of mismatches that md's check finds
md_check() {
	local dir=/sys/block/${MD#/dev/}/md
	mdadm --readwrite $MD 2>/dev/null
	echo check >"$dir/sync_action" || return
	wait_until 120 md_settled || return
	cat "$dir/mismatch_cnt"
}

# expect_md_check WHAT
expect_md_check() {
	expect_text '^0$' "$1" md_check
}
