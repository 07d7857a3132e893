# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What system tests are written with.  A test is a bash script that runs as
# root in a guest (scripts/guest), is named test_AREA_NN.sh, and looks so:
#
#	#!/bin/bash
#	# SPDX-License-Identifier: GPL-2.0
#	#
#	# What is shown, in a sentence or two.
#	#
#	# guest: both
#	# drives: 6 size 512M
#	# time: short
#	. "$(dirname "$0")/lib.sh"
#
#	create data --level 6 --wait "${D[@]}"
#	expect "data survive" pattern check "$DEV" 1
#	finish
#
# guest:   uml, qemu, debug (uml with all checkers) or several of these;
#          both = uml qemu
# drives:  N size S, then any options for scripts/guest, as in
#          "6 size 512M --lba 4096"; they are the test's array D
# time:    short (up to a minute) or long
#
# Every assertion prints one line, "ok - WHAT", "not ok - WHAT" (followed by
# command, status and output) or "skip - WHAT: WHY".  Assertions count, so
# they must not be made in a subshell or a pipe.  What an assertion ran is in
# OUTPUT and STATUS afterwards.  A test that ends without "finish", or without
# an assertion, has failed.  Arrays, md arrays, mounts, loop and dm devices
# are cleaned up before and after; drives are wiped and those that were
# pulled are put back.

set -u

HERE=$(dirname "${BASH_SOURCE[0]}")
TEST=$(basename "$0" .sh)
SELF=$(realpath "$0")
# Scratch files of the test; a file system may be mounted on MNT.
WORK=/tmp/mqr-test
MNT=$WORK/mnt

passed=0
failed=0
skipped=0
finished=

# ---------------------------------------------------------------------------
# Assertions

pass() {
	passed=$((passed + 1))
	echo "ok - $1"
}

# fail WHAT [DETAIL...] - the details follow, a line each
fail() {
	failed=$((failed + 1))
	echo "not ok - $1"
	shift
	[ $# -eq 0 ] || printf '#   %s\n' "$@"
}

skip() {
	skipped=$((skipped + 1))
	echo "skip - $1: $2"
}

# skip_all WHY - nothing of this test can be shown here
skip_all() {
	skip "$TEST" "$1"
	finish
}

# run COMMAND... - set OUTPUT (of both streams) and STATUS
#
# In this shell, so that COMMAND may be a function that sets variables.
run() {
	STATUS=0
	"$@" >"$WORK/output" 2>&1 </dev/null || STATUS=$?
	# Processes are dear in guests, and hardly any output is long.
	OUTPUT=
	IFS= read -r -N 20001 OUTPUT <"$WORK/output"
	if [ ${#OUTPUT} -gt 20000 ]; then
		OUTPUT=$(tail -c 20000 "$WORK/output" | tr -d '\0')
	fi
	OUTPUT=${OUTPUT%"${OUTPUT##*[!$'\n']}"}
}

# fail_run WHAT WANTED COMMAND... - report what run() has seen
fail_run() {
	local what=$1 wanted=$2
	shift 2
	fail "$what" "command: $*" "status:  $STATUS (wanted: $wanted)"
	tail -n 40 <<<"$OUTPUT" | sed 's/^/#   | /'
}

# expect WHAT COMMAND... - it succeeds
expect() {
	local what=$1
	shift
	run "$@"
	if [ $STATUS -eq 0 ]; then
		pass "$what"
	else
		fail_run "$what" 0 "$@"
	fi
}

# expect_status N WHAT COMMAND... - it ends with that status
expect_status() {
	local wanted=$1 what=$2
	shift 2
	run "$@"
	if [ $STATUS -eq "$wanted" ]; then
		pass "$what"
	else
		fail_run "$what" "$wanted" "$@"
	fi
}

# output_has REGEX - does a line of OUTPUT match?
output_has() {
	local line
	while IFS= read -r line; do
		[[ ! $line =~ $1 ]] || return 0
	done <<<"$OUTPUT"
	return 1
}

# expect_text REGEX WHAT COMMAND... - it succeeds and prints a match
expect_text() {
	local regex=$1 what=$2
	shift 2
	run "$@"
	if [ $STATUS -eq 0 ] && output_has "$regex"; then
		pass "$what"
	else
		fail_run "$what" "0, and a match of '$regex'" "$@"
	fi
}

# expect_refusal REGEX WHAT COMMAND... - it fails by itself, and says why
expect_refusal() {
	local regex=$1 what=$2
	shift 2
	run "$@"
	if [ $STATUS -gt 0 ] && [ $STATUS -lt 124 ] &&
		output_has "$regex"; then
		pass "$what"
	else
		fail_run "$what" "1 to 123, and a match of '$regex'" "$@"
	fi
}

# expect_equal WHAT ACTUAL WANTED
expect_equal() {
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" "is:     $2" "wanted: $3"
	fi
}

# must COMMAND... - without it the rest of the test makes no sense
must() {
	run "$@"
	[ $STATUS -eq 0 ] && return
	fail_run "preparation" 0 "$@"
	finish
}

# wait_until SECONDS COMMAND... - poll; false if it took longer
wait_until() {
	local deadline=$((SECONDS + $1 + 1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $deadline ] || return 1
		sleep 0.1
	done
}

# ---------------------------------------------------------------------------
# Beginning and end

# header WORD - what the test's header says behind "# WORD:"
header() {
	sed -n "s/^# $1: *//p" "$SELF" | head -n 1
}

# finish - the last thing that a test does
finish() {
	finished=1
	exit 0
}

at_exit() {
	local status=$?
	trap - EXIT
	[ -n "$finished" ] ||
		fail "the test went to its end" "it ended with status $status"
	[ $((passed + failed + skipped)) -gt 0 ] ||
		fail "the test asserts something"
	clean_slate || fail "nothing is left behind" "${leftovers[@]}"
	echo "# $TEST: $passed passed, $failed failed, $skipped skipped"
	[ $failed -eq 0 ]
	# In a trap, exit alone would repeat the status from before it.
	exit $?
}

# What could not be cleaned up, for people.
leftovers=()

# clean COMMAND... - note what fails
clean() {
	run "$@"
	[ $STATUS -eq 0 ] || leftovers+=("$*: $OUTPUT")
}

unmount_all() {
	local device point rest
	while read -r device point rest; do
		case $point in
		"$MNT"*) clean umount "$point" ;;
		esac
	done < <(tac /proc/mounts)
}

# exists GLOB - set FOUND to what there is
exists() {
	local path
	FOUND=()
	for path; do
		[ ! -e "$path" ] || FOUND+=("$path")
	done
	[ ${#FOUND[@]} -gt 0 ]
}

stop_everything() {
	local path
	if exists /sys/block/mqr*; then
		clean wait_until 10 raidctl stop --all
	fi
	if exists /sys/block/md*; then
		for path in "${FOUND[@]}"; do
			run mdadm --stop "/dev/${path##*/}"
		done
		clean wait_until 5 no_md
	fi
	# Twice: devices may lie upon each other.
	if exists /sys/block/dm-*; then
		run dmsetup remove_all --force
		clean dmsetup remove_all --force
	fi
	if exists /sys/block/loop*/loop; then
		clean losetup -D
	fi
	# Arrays may have been on loop and dm devices.
	if exists /sys/block/mqr*; then
		leftovers+=("array ${FOUND[*]} still exists")
	fi
}

no_md() {
	local path
	for path in /sys/block/md*/md/array_state; do
		[ ! -e "$path" ] || [ "$(<"$path")" = clear ] || return 1
	done
}

# Every drive that the guest has, those included that were pulled.
plug_all() {
	local n
	[ "${MQR_DRIVE_TYPE:-}" = nvme ] || return 0
	read -ra D < <(guest-drive list)
	[ ${#D[@]} -lt "$MQR_DRIVE_COUNT" ] || return 0
	for ((n = 0; n < MQR_DRIVE_COUNT; n++)); do
		guest-drive path $n 0 >/dev/null 2>&1 ||
			clean guest-drive plug $n
	done
}

# wipe DEVICE... - no signature of anything is left
wipe() {
	local device
	for device; do
		# Gives memory back, too.
		blkdiscard -f "$device" 2>/dev/null
		dd if=/dev/zero of="$device" bs=64K count=4 oflag=direct \
			conv=notrunc status=none || return
	done
}

# clean_slate - false, with leftovers[], if that is impossible
clean_slate() {
	local jobs
	leftovers=()
	cd /
	jobs=$(jobs -p)
	# shellcheck disable=SC2086 # a list
	if [ -n "$jobs" ]; then
		kill -KILL $jobs
		wait $jobs
	fi 2>/dev/null
	unmount_all
	stop_everything
	plug_all
	read -ra D < <(guest-drive list)
	[ ${#leftovers[@]} -gt 0 ] || clean wipe "${D[@]}"
	rm -rf "$WORK"
	[ ${#leftovers[@]} -eq 0 ]
}

begin() {
	local wanted
	mkdir -p "$WORK"
	trap at_exit EXIT
	clean_slate || {
		fail "the guest is clean at the beginning" "${leftovers[@]}"
		finish
	}
	mkdir -p "$MNT"
	read -r wanted _ < <(header drives)
	[ ${#D[@]} -ge "$wanted" ] ||
		skip_all "needs $wanted drives, there are ${#D[@]}"
	D=("${D[@]:0:$wanted}")
}

# shellcheck source=lib_array.sh
. "$HERE/lib_array.sh"
# shellcheck source=lib_md.sh
. "$HERE/lib_md.sh"

begin
