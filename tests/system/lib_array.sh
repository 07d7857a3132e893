# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Arrays of mqraid for tests; part of lib.sh.  Arrays are named as in
# raidctl; the functions that start one set DEV to its block device.

# device_of NAME - set DEV
device_of() {
	local file name
	for file in /sys/block/mqr*/mqraid/name; do
		[ -e "$file" ] || continue
		IFS= read -r name <"$file"
		[ "${name#*:}" = "$1" ] || continue
		DEV=${file%/mqraid/name}
		DEV=/dev/${DEV##*/}
		return 0
	done
	echo "there is no array $1"
	return 1
}

# read_attr NAME FILE - set TEXT to what the file in sysfs says
#
# Without a process, which guests take long to start: tests poll with it.
read_attr() {
	local DEV
	TEXT=
	device_of "$1" || return
	IFS= read -r -N 65536 TEXT <"/sys/block/${DEV#/dev/}/mqraid/$2"
	# The end of the file looks like an error; none of these is empty.
	[ -n "$TEXT" ] || return
	TEXT=${TEXT%$'\n'}
}

# attr NAME FILE - print it
attr() {
	local TEXT
	read_attr "$1" "$2" && printf '%s\n' "$TEXT"
}

# attr_is NAME FILE VALUE
attr_is() {
	local TEXT
	read_attr "$1" "$2" >/dev/null && [ "$TEXT" = "$3" ]
}

# is_clean NAME - do its superblocks say so?
is_clean() {
	local TEXT
	read_attr "$1" array_state >/dev/null && [[ $TEXT = clean* ]]
}

# set_attr NAME FILE VALUE
set_attr() {
	local DEV
	device_of "$1" && echo "$3" >"/sys/block/${DEV#/dev/}/mqraid/$2"
}

# create NAME ARGUMENT... - as raidctl create; small arrays need --size
create() {
	must raidctl create "$@"
	must device_of "$1"
}

# assemble NAME ARGUMENT... - as raidctl assemble
assemble() {
	must raidctl assemble "$@"
	must device_of "$1"
}

stop() {
	must raidctl stop "$1"
}

# wait_idle NAME [SECONDS] - nothing is synchronised any more
wait_idle() {
	must timeout "${2:-120}" sh -c \
		"raidctl wait '$1' || [ \$? -eq 1 ]"
}

# json NAME FILTER - print a value of the status, by jq
json() {
	raidctl status --json "$1" | jq -r ".arrays[0] | $2"
}

# member NAME SLOT - print the device in the slot
member() {
	local slot state number line TEXT
	read_attr "$1" members >/dev/null || return
	while read -r slot state number _; do
		if [ "$slot" != "$2" ] || [ "$state" = absent ]; then
			continue
		fi
		while read -r line; do
			case $line in
			DEVNAME=*) echo "/dev/${line#DEVNAME=}" ;;
			esac
		done <"/sys/dev/block/$number/uevent"
		return
	done <<<"$TEXT"
	return 1
}

# expect_degraded NAME N WHAT - so many slots are not in sync
expect_degraded() {
	expect_equal "$3" "$(attr "$1" degraded)" "$2"
}

# expect_check WHAT NAME - a check finds no mismatch
expect_check() {
	expect_text '0 mismatches' "$1" raidctl check "$2"
}

# fill NAME SEED - all of it, in pieces of all sizes; see "pattern"
fill() {
	must device_of "$1"
	must pattern scatter "$DEV" "$2"
}

# expect_pattern WHAT NAME SEED - it holds what fill() has written
expect_pattern() {
	must device_of "$2"
	expect "$1" pattern check "$DEV" "$3"
}

# fio_verify DEVICE OPTION... - random writes, read back and compared
fio_verify() {
	local device=$1
	shift
	fio --name=verify --filename="$device" --direct=1 --ioengine=libaio \
		--rw=randwrite --bs=4k --iodepth=16 --verify=crc32c \
		--verify_fatal=1 --randseed=7 --allrandrepeat=1 --minimal "$@"
}

# ---------------------------------------------------------------------------
# Verify all ways: data survive every loss that the level tolerates

# survives LEVEL DISKS MASK - can the array do without the slots in MASK?
survives() {
	local level=$1 disks=$2 mask=$3 lost=0 slot next
	for ((slot = 0; slot < disks; slot++)); do
		lost=$((lost + (mask >> slot & 1)))
	done
	case $level in
	1) [ $lost -lt "$disks" ] ;;
	5) [ $lost -le 1 ] ;;
	6) [ $lost -le 2 ] ;;
	10)
		# Of near=2, copies are in neighbours; the pairs overlap if the
		# number of members is odd.
		for ((slot = 0; slot < disks; slot += 2 - disks % 2)); do
			next=$(((slot + 1) % disks))
			! (((mask >> slot & 1) && (mask >> next & 1))) ||
				return 1
		done
		;;
	*) return 1 ;;
	esac
}

# save_superblocks DEVICE... / restore_superblocks DEVICE...
save_superblocks() {
	superblocks save "$WORK" "$@"
}

restore_superblocks() {
	superblocks restore "$WORK" "$@"
}

# members_but MASK - set LEFT to those of MEMBERS whose slot isn't in it
members_but() {
	local slot
	LEFT=()
	for ((slot = 0; slot < ${#MEMBERS[@]}; slot++)); do
		(($1 >> slot & 1)) || LEFT+=("${MEMBERS[slot]}")
	done
}

# check_way NAME SEED MASK - assemble without these slots and compare
check_way() {
	local LEFT
	members_but "$3"
	raidctl assemble --degraded "$1" "${LEFT[@]}" || return
	device_of "$1" && pattern check "$DEV" "$2" || return
	raidctl stop "$1" || return
	# Nobody has noticed, so that the next way can be tried.
	restore_superblocks "${MEMBERS[@]}"
}

# expect_all_ways WHAT NAME SEED - NAME must run and be complete
#
# It is running again afterwards.  Only superblocks are written in between,
# and these are put back, so the members are as if nothing had happened.
expect_all_ways() {
	local what=$1 name=$2 seed=$3 level disks mask slot ways=0
	local -a MEMBERS=() bad=()

	level=$(attr "$name" level)
	disks=$(attr "$name" raid_disks)
	for ((slot = 0; slot < disks; slot++)); do
		MEMBERS+=("$(member "$name" $slot)")
	done
	expect_pattern "$what, complete" "$name" "$seed"
	stop "$name"
	must save_superblocks "${MEMBERS[@]}"
	for ((mask = 1; mask < 1 << disks; mask++)); do
		survives "$level" "$disks" $mask || continue
		ways=$((ways + 1))
		run check_way "$name" "$seed" $mask
		[ "$STATUS" -ne 0 ] || continue
		bad+=("without slots of mask $(printf '%#x' $mask):" \
			"$(tail -n 12 <<<"$OUTPUT")")
		run raidctl stop "$name"
		must restore_superblocks "${MEMBERS[@]}"
	done
	if [ ${#bad[@]} -eq 0 ] && [ $ways -gt 0 ]; then
		pass "$what, $ways sets of members lost"
	else
		fail "$what, $ways sets of members lost" "${bad[@]}"
	fi
	assemble "$name" "${MEMBERS[@]}"
}
