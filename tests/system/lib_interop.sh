# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The same members under md and under mqraid; for the tests test_interop_*.

# slots_to_lose LEVEL MEMBERS - as many as it survives, here and there
slots_to_lose() {
	case $1 in
	1) seq 1 $(($2 - 1)) ;;
	5) echo $(($2 / 2)) ;;
	6) echo $(($2 - 1)) 0 ;;
	10) [ "$2" -lt 4 ] && echo 1 || echo 0 2 ;;
	esac
}

# other_slots LEVEL MEMBERS - the same, but none of those
other_slots() {
	case $1 in
	1) echo 0 ;;
	5) echo $(($2 - 1)) ;;
	6) echo 1 2 ;;
	10) [ "$2" -lt 4 ] && echo 0 || echo 1 3 ;;
	esac
}

# half_of DEVICE - half its bytes, in whole pages
half_of() {
	local bytes
	bytes=$(blockdev --getsize64 "$1")
	echo $((bytes / 2 - bytes / 2 % 4096))
}

# members_known WHAT DEVICE... - other tools read our members
members_known() {
	local what=$1 device bad=()
	shift
	for device; do
		[ "$(blkid -p -o value -s TYPE "$device")" = linux_raid_member ] ||
			bad+=("blkid does not know $device")
		mdadm --examine "$device" | grep -q 'Checksum : .* - correct' ||
			bad+=("mdadm --examine does not accept $device")
	done
	if [ ${#bad[@]} -eq 0 ]; then
		pass "$what: mdadm --examine and blkid know the members"
	else
		fail "$what: mdadm --examine and blkid know the members" \
			"${bad[@]}"
	fi
}

# change_while_degraded WHAT SLOT... - fail, compare, write, rebuild
#
# Afterwards the first half holds pattern 2, the second one pattern 1.
change_while_degraded() {
	local what=$1 slot half
	local -a devs=()
	shift
	half=$(half_of "$DEV")
	for slot; do
		devs+=("$(member inter "$slot")")
		must raidctl fail inter "slot:$slot"
	done
	expect "$what: mqraid reads md's data without slots $*" \
		pattern check "$DEV" 1
	must pattern scatter "$DEV" 2 "0+$half"
	expect "$what: and what was written without them" \
		pattern check "$DEV" 2 "0+$half"
	must raidctl remove inter failed
	for slot in "${devs[@]}"; do
		must raidctl add inter "$slot"
	done
	wait_idle inter
	expect_degraded inter 0 "$what: slots $* are rebuilt"
	expect_check "$what: redundancy fits after the rebuild" inter
}

# expect_halves WHAT DEVICE - what change_while_degraded() has left
expect_halves() {
	local half rest
	half=$(half_of "$2")
	rest=$(($(blockdev --getsize64 "$2") / 4096 * 4096 - half))
	expect "$1, first half" pattern check "$2" 2 "0+$half"
	expect "$1, second half" pattern check "$2" 1 "$half+$rest"
}

# back_to_md WHAT LEVEL DEVICE... - md has them, and agrees
back_to_md() {
	local what=$1 level=$2
	shift 2
	stop inter
	expect "$what: is released" raidctl release "$@"
	md_assemble "$@"
	[ "$level" = 0 ] || expect_md_check "$what: md finds no mismatch"
}

# md_without WHAT PATTERN SLOT... - md reads it with these members failed
md_without() {
	local what=$1 seed=$2 slot
	shift 2
	for slot; do
		must mdadm "$MD" --fail "$(md_member "$slot")"
	done
	expect "$what: md reads it without slots $*" pattern check "$MD" "$seed"
}

# md_member SLOT - the device in it
md_member() {
	local dir
	for dir in "/sys/block/${MD#/dev/}"/md/dev-*; do
		if [ "$(<"$dir/slot")" = "$1" ]; then
			dir=$(readlink -f "$dir/block")
			echo "/dev/${dir##*/}"
		fi
	done
}

# adopt_from_md WHAT BYTES DEVICE... - stopped in md, running in mqraid
adopt_from_md() {
	local what=$1 bytes=$2
	shift 2
	expect "$what: is adopted" raidctl adopt "$@"
	expect_refusal . "$what: md refuses it while it is ours" \
		mdadm --assemble --run "$MD" "$@"
	run mdadm --stop "$MD"
	members_known "$what" "$@"
	assemble inter "$@"
	expect_equal "$what: same size" \
		"$(blockdev --getsize64 "$DEV")" "$bytes"
	expect_pattern "$what: mqraid reads what md wrote" inter 1
}

# interop LEVEL CHUNK LAYOUT DEVICE... - there and back; "-" = md's default
interop() {
	local level=$1 chunk=$2 layout=$3 what bytes
	local -a options=()
	shift 3
	what="RAID $level of $#"
	if [ "$chunk" != - ]; then
		options+=(--chunk="$chunk")
		what+=", chunk $chunk"
	fi
	if [ "$layout" != - ]; then
		options+=(--layout="$layout")
		what+=", $layout"
	fi

	md_create inter "$level" --raid-devices=$# "${options[@]}" "$@"
	must pattern scatter "$MD" 1
	bytes=$(blockdev --getsize64 "$MD")
	md_stop
	adopt_from_md "$what" "$bytes" "$@"
	if [ "$level" = 0 ]; then
		must pattern scatter "$DEV" 3
		back_to_md "$what" "$level" "$@"
		expect "$what: md reads what mqraid wrote" pattern check "$MD" 3
	else
		# shellcheck disable=SC2046 # slots
		change_while_degraded "$what" $(slots_to_lose "$level" $#)
		back_to_md "$what" "$level" "$@"
		expect_halves "$what: md reads what mqraid wrote" "$MD"
		md_stop
		must raidctl adopt "$@"
		assemble inter "$@"
		must pattern scatter "$DEV" 3
		back_to_md "$what" "$level" "$@"
		# shellcheck disable=SC2046
		md_without "$what" 3 $(other_slots "$level" $#)
	fi
	md_stop
	must wipe "$@"
}

# piece N SECTORS - a device of that size, on drive N; sets PIECE
#
# So members can differ in size.
piece() {
	must dmsetup create "piece$1" --table "0 $2 linear ${D[$1]} 0"
	# shellcheck disable=SC2034 # for the tests
	PIECE=/dev/mapper/piece$1
}
