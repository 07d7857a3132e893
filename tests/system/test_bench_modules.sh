#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The benchmark's modules: mqrsink keeps what superblocks need and nothing
# else, so that arrays of both drivers can be made on it; mqrgen does the I/O
# it says, as the block layer's own counts confirm.
#
# guest: uml
# drives: 0 size 64M --extra-module tests/bench
# time: short
. "$(dirname "$0")/lib.sh"

GEN=/sys/kernel/debug/mqrgen
A=/dev/mqrsink0
B=/dev/mqrsink1
# With an MiB at both ends that is kept.
SIZE=256

# generate WORD... - a run; it prints its figures
generate() {
	echo "$*" >"$GEN/start" && cat "$GEN/wait"
}

# value KEY - of the figures in OUTPUT
value() {
	sed -n "s/^$1=//p" <<<"$OUTPUT"
}

# counts DEVICE... - set READS and WRITES: submitted since boot
counts() {
	local device r rm w wm _
	READS=0
	WRITES=0
	for device; do
		read -r r rm _ _ w wm _ <"/sys/block/${device#/dev/}/stat"
		READS=$((READS + r + rm))
		WRITES=$((WRITES + w + wm))
	done
}

# at DEVICE KIB COUNT - print that many KiB
at() {
	dd if="$1" bs=1K skip="$2" count="$3" iflag=direct status=none
}

# put DEVICE KIB FILE
put() {
	dd if="$3" of="$1" bs=1K seek="$2" oflag=direct conv=notrunc \
		status=none
}

is_zero() {
	[ "$(tr -d '\0' | wc -c)" = 0 ]
}

# ---------------------------------------------------------------------------
# mqrsink

sink() {
	local end=$(((SIZE - 1) * 1024))
	local i

	must dd if=/dev/urandom of="$WORK/data" bs=64K count=1 status=none
	for i in 0 960 "$end" $((end + 960)); do
		must put $A "$i" "$WORK/data"
		expect "64 KiB at KiB $i are kept" \
			cmp "$WORK/data" <(at $A "$i" 64)
	done
	must put $A 992 "$WORK/data"
	expect "of a write across the border that before it" \
		cmp -n 32768 "$WORK/data" <(at $A 992 64)
	must put $A 2048 "$WORK/data"
	expect "reads beyond succeed" at $A 2048 64
	expect_status 1 "and don't return what was written" \
		cmp "$WORK/data" <(at $A 2048 64)
	expect "all of it can be discarded" blkdiscard -f $A
	at $A 0 1024 | is_zero
	expect_equal "which leaves zeros where it keeps" \
		"${PIPESTATUS[*]}" "0 0"
	put $A 0 "$WORK/data"
	expect "zeros can be written to all of it" blkdiscard -z -f $A
	at $A 0 1024 | is_zero
	expect_equal "and are there" "${PIPESTATUS[*]}" "0 0"
	expect "it can be flushed" dd if="$WORK/data" of=$A bs=4K \
		oflag=direct,dsync conv=notrunc,fsync status=none
	expect_equal "it has a write cache" \
		"$(<"/sys/block/${A#/dev/}/queue/write_cache")" "write back"
	expect_equal "and FUA" "$(<"/sys/block/${A#/dev/}/queue/fua")" 1
}

# ---------------------------------------------------------------------------
# mqrgen

# refused WORDS REGEX - it doesn't start, and the log says why
refused() {
	expect_status 1 "refused: $1" generate "$1"
	expect_text "mqrgen: .*$2" "with the reason" tail -n 1 <(dmesg)
}

refusals() {
	refused "op=read" "dev="
	refused "dev=$A op=erase" "'op=erase'.*read or write or mix"
	refused "dev=$A bs=1000" "'bs=1000'.*multiple of 512"
	refused "dev=$A qd=0" "'qd=0'.*1 to 4096"
	refused "dev=$A size=4096" "'size=4096'.*bs qd"
	refused "dev=$A ms" "'ms'.*keys"
	refused "dev=/dev/nothing" "/dev/nothing can't be opened"
	refused "dev=$A span_mb=1 bs=1M threads=2" "too few"
	refused "dev=$A bs=16M qd=4096 threads=2" "memory"
}

# counted WORDS DEVICE... - a run that is the only one to use the devices
counted() {
	local words=$1 reads writes dev
	shift
	dev=$(IFS=,; echo "$*")
	counts "$@"
	reads=$READS
	writes=$WRITES
	expect "run: $words" generate "dev=$dev ms=100 $words"
	counts "$@"
	expect_equal "as many reads as it says" \
		$((READS - reads)) "$(value read_ios)"
	expect_equal "as many writes" $((WRITES - writes)) "$(value write_ios)"
	expect_equal "sums and errors are right" \
		"$(value ios) $(value errors) $(value running)" \
		"$((READS + WRITES - reads - writes)) 0 0"
	[ "$(value ios)" -gt 0 ] || fail "there are any"
}

runs() {
	local op pattern
	for op in read write mix; do
		for pattern in seq rand; do
			counted "op=$op pattern=$pattern" $A
			expect_equal "and bytes" "$(value bytes)" \
				$(($(value ios) * 4096))
		done
	done
	counted "op=read rwmix=0 qd=1 threads=1 plug=0" $A
	counted "op=mix rwmix=100 threads=3" $A
	expect_equal "a mix of reads only" "$(value write_ios)" 0
	counted "op=write pattern=seq fua=1 qd=4" $A $B
	counted "op=write pattern=rand bs=64K seed=3" $A $B
}

# Of two devices, and only in the span.
places() {
	local device
	must rmmod mqrsink
	must guest-module extra mqrsink nr=2 size_mb=8 keep_mb=8
	expect "a sequential write of two devices" generate \
		"dev=$A,$B op=write pattern=seq bs=48K qd=8 span_mb=3 ms=1000"
	for device in $A $B; do
		at "$device" 0 3072 | tr -d '\0' | wc -c >"$WORK/count"
		# Of random bytes, a 256th are zeros.
		[ "$(<"$WORK/count")" -gt $((3072 * 1000)) ]
		expect_equal "all of the span of $device is written" $? 0
		at "$device" 3072 $((5 * 1024)) | is_zero
		expect_equal "and nothing beyond" "${PIPESTATUS[*]}" "0 0"
	done
	# More than the page allocator gives at once.
	expect "I/Os of 8 MiB" generate \
		"dev=$A op=write bs=8M qd=2 threads=1 ms=50"
	expect_equal "without an error" "$(value errors)" 0
	must rmmod mqrsink
}

latency() {
	local last=0 key
	expect "a run with latency" generate \
		"dev=$A op=mix pattern=rand ms=200 lat=1"
	for key in p50 p99 p999 max; do
		[ "$(value lat_${key}_ns)" -ge "$last" ]
		expect_equal "$key: $(value lat_${key}_ns) ns, not below $last" \
			$? 0
		last=$(value lat_${key}_ns)
	done
	[ "$(value lat_mean_ns)" -gt 0 ] && [ "$(value lat_mean_ns)" -le "$last" ]
	expect_equal "a mean of $(value lat_mean_ns) ns" $? 0
}

# begin_endless WORD... - it is running
begin_endless() {
	expect "a run without an end" \
		eval "echo 'dev=$A op=write ms=0 $*' >$GEN/start"
}

# interval - its figures in OUTPUT, and added to ns and ios
interval() {
	must cat $GEN/interval
	ns=$((ns + $(value ns)))
	ios=$((ios + $(value ios)))
}

control() {
	local ns=0 ios=0
	begin_endless lat=1
	expect_status 1 "no second one meanwhile" generate "dev=$B"
	sleep 0.3
	interval
	[ "$(value ns)" -gt 250000000 ]
	expect_equal "the first interval began with it" $? 0
	sleep 0.1
	expect_text '^running=1' "the result so far" cat $GEN/result
	interval
	[ "$(value ios)" -gt 0 ] && [ "$(value lat_p50_ns)" -gt 0 ] &&
		[ "$(value lat_max_ns)" -ge "$(value lat_p999_ns)" ]
	expect_equal "the second interval has figures" $? 0
	expect "it is stopped" eval "echo 1 >$GEN/stop"
	interval
	expect_text '^running=0' "which ends it" timeout 5 cat $GEN/wait
	expect_equal "intervals add up to it" "$ns ns, $ios" \
		"$(value ns) ns, $(value ios)"
	interval
	expect_equal "nothing comes after it" \
		"$(value ns) ns, $(value ios)" "0 ns, 0"
	begin_endless
	expect "unloading the module ends a run" rmmod mqrgen
	must guest-module extra mqrgen
}

# ---------------------------------------------------------------------------
# Arrays

# load NAME DEVICE - its members are busy, it isn't
load() {
	expect_status 1 "$1: members aren't written to" \
		generate "dev=$A op=write ms=10"
	expect "$1: a mix on the array" generate \
		"dev=$2 op=mix pattern=rand ms=200"
	expect_equal "$1: without an error" "$(value errors)" 0
}

arrays_mqraid() {
	create sink --level "$1" --assume-clean /dev/mqrsink*
	load "raidctl, level $1" "$DEV"
	stop sink
	assemble sink /dev/mqrsink*
	expect_degraded sink 0 "raidctl, level $1: complete after a restart"
	stop sink
	must wipe /dev/mqrsink*
}

arrays_md() {
	md_create sink "$@" --assume-clean --raid-devices=4 /dev/mqrsink*
	load "mdadm, level $1" $MD
	md_stop
	md_assemble /dev/mqrsink*
	expect_text '\[4/4\]|raid0' "mdadm, level $1: complete after a restart" \
		cat /proc/mdstat
	md_stop
	must wipe /dev/mqrsink*
}

# ---------------------------------------------------------------------------

must guest-module extra mqrgen
expect_refusal '' "no drives" guest-module extra mqrsink nr=0
expect_refusal '' "no blocks of 1000 bytes" \
	guest-module extra mqrsink blocksize=1000
must guest-module extra mqrsink nr=4 size_mb=$SIZE
expect_text '^running=0' "no figures before the first run" cat $GEN/result
sink
refusals
runs
latency
control
for level in 0 1 10 5 6; do
	arrays_mqraid $level
	arrays_md $level
done
places
must rmmod mqrgen
finish
