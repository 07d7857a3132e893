#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# All checks of the sources.  See --help.
#
# Gates are functions that are called by name, which shellcheck can't see:
# shellcheck disable=SC2317
set -uo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
cache=${MQRAID_CACHE:-/var/cache/mqraid}
# One build directory for each checkout; what is in it only saves time.
work=$cache/check/$(printf %s "$top" | sha256sum | cut -c1-12)

gates=(format rules shell python spelling manual docs checkpatch
	raidctl sparse 6.1 6.1-no-isal 6.12 7.3)

usage() {
	cat <<END
usage: scripts/check.sh [-k] [GATE...]

Runs each GATE (default: all) on the files that git knows, and stops at the
first that fails, or with -k at the end.  A gate whose program or kernel isn't
installed is skipped, and says so.  The checkout isn't written to.

  format        clang-format
  rules         who may include what, and other rules of this project
  shell         shellcheck
  python        python3 compiles all
  spelling      codespell
  manual        mandoc's lint of the manual pages
  docs          reStructuredText without a warning
  checkpatch    the kernel's, strict
  raidctl       built by gcc, and by clang, without a warning
  sparse        module for 6.1, with W=1, through sparse
  6.1, 6.1-no-isal, 6.12, 7.3
                module for each kernel, with W=1, without a warning

exit status: 0, or 1 if a gate failed, or 2 for a wrong argument
END
}

# The files that git knows (or would, were they added) and that still exist.
files() {
	git -C "$top" ls-files -co --exclude-standard -- "$@" |
		while read -r file; do
			[ ! -f "$top/$file" ] || echo "$file"
		done
}

# A gate says why it can't run, and returns 77.
skip() {
	echo "$*"
	return 77
}

# need PROGRAM
need() {
	command -v "$1" >/dev/null || skip "$1 is not installed"
}

# expect_silence COMMAND... - it fails, or prints anything: failure
expect_silence() {
	local output status=0
	output=$("$@" 2>&1) || status=$?
	[ -z "$output" ] || printf '%s\n' "$output"
	[ -z "$output" ] && [ "$status" -eq 0 ]
}

gate_format() {
	need clang-format || return
	files '*.c' '*.h' | xargs clang-format --dry-run -Werror
}

# forbid WHY PATTERN FILE... - no FILE may have a line like PATTERN
forbid() {
	local why=$1 pattern=$2
	shift 2
	[ $# -gt 0 ] || return 0
	if grep -nHP "$pattern" "$@"; then
		echo "  ^ $why"
		return 1
	fi
}

# except PATTERN FILE... - the files whose names don't match
except() {
	local pattern=$1
	shift
	printf '%s\n' "$@" | grep -vE "$pattern"
}

gate_rules() {
	local failed=0 all core driver some

	mapfile -t all < <(files 'driver/*.[ch]')
	mapfile -t core < <(printf '%s\n' "${all[@]}" | grep '^driver/core/')
	mapfile -t driver < <(except '^driver/core/' "${all[@]}")

	mapfile -t some < <(except '/platform.h$' "${core[@]}")
	forbid 'core/ includes core/, include/ and md_p.h; platform.h has the rest' \
		'^\s*#\s*include\s*(<(?!linux/raid/md_p\.h>)|"[^"]*/)' \
		"${some[@]}" || failed=1
	forbid 'core/ takes no lock, allocates nothing, prints nothing' \
		'\b(k[mzc]alloc|malloc|mutex_lock|spin_lock|pr_[a-z]+|printf)\(' \
		"${core[@]}" || failed=1

	mapfile -t some < <(except '^driver/compat' "${all[@]}")
	forbid 'what a kernel has is for Kbuild and compat*.h' \
		'\bHAVE_[A-Z]|LINUX_VERSION_CODE|KERNEL_VERSION' "${some[@]}" ||
		failed=1

	mapfile -t some < <(except '/metadata.c$' "${driver[@]}")
	forbid 'only metadata.c makes superblocks to be written' \
		'\bmqr_sb_encode\(' "${some[@]}" || failed=1

	mapfile -t some < <(except '^driver/calc' "${driver[@]}")
	forbid 'FPU sections are for calc*.c' '\bkernel_fpu_' "${some[@]}" ||
		failed=1

	forbid 'we warn and go on, and never bring the machine down' \
		'\b(BUG|BUG_ON|panic)\(' "${all[@]}" || failed=1
	return "$failed"
}

gate_shell() {
	local scripts
	need shellcheck || return
	mapfile -t scripts < <(files | while read -r file; do
		case $file in
		*.sh) echo "$file" ;;
		*) head -c 64 "$file" | head -n 1 | tr -d '\0' |
			grep -qE '^#!.*\b(ba)?sh\b' && echo "$file" ;;
		esac
	done)
	shellcheck -x "${scripts[@]}"
}

gate_python() {
	need python3 || return
	local scripts
	mapfile -t scripts < <(files | while read -r file; do
		case $file in
		*.py) echo "$file" ;;
		*) head -c 64 "$file" | head -n 1 | tr -d '\0' |
			grep -q '^#!.*python3' && echo "$file" ;;
		esac
	done)
	[ ${#scripts[@]} -eq 0 ] ||
		PYTHONPYCACHEPREFIX=$work/pycache \
			python3 -W error -m py_compile "${scripts[@]}"
}

gate_spelling() {
	need codespell || return
	# Images of superblocks and the like are no text; Nd is a macro of man.
	# inflight is a name.
	files | grep -vE '\.(img|bin|gz|xz|patch)$|/corpus/' |
		xargs codespell --quiet-level 3 --ignore-words-list nd,inflight
}

gate_manual() {
	local pages
	need mandoc || return
	mapfile -t pages < <(files '*.8')
	[ ${#pages[@]} -gt 0 ] || skip "there is no manual page" || return
	# Its own advice on style and its wish for a known system don't apply.
	expect_silence mandoc -T lint -W warning "${pages[@]}"
}

gate_docs() {
	local page failed=0
	need rst2html || return
	while read -r page; do
		rst2html --report warning --halt warning "$page" /dev/null || failed=1
	done < <(files '*.rst')
	return "$failed"
}

# The kernel's checkpatch, from the package of its source.
checkpatch_unpack() {
	local archive=$1 dir=$2
	rm -rf "$dir.tmp"
	mkdir -p "$dir.tmp"
	tar -xf "$archive" -C "$dir.tmp" --strip-components=2 --wildcards \
		'*/scripts/checkpatch.pl' '*/scripts/spelling.txt' \
		'*/scripts/const_structs.checkpatch' &&
		mv -T "$dir.tmp" "$dir"
}

gate_checkpatch() {
	local archive=/usr/src/linux-source-6.1.tar.xz
	local dir=$cache/checkpatch-6.1 ignore sources

	need perl || return
	if [ ! -d "$dir" ]; then
		[ -e "$archive" ] ||
			skip "linux-source-6.1 is not installed" || return
		checkpatch_unpack "$archive" "$dir" || return
	fi

	ignore=(
		# clang-format has the last word on spaces and line breaks
		SPACING OPEN_ENDED_LINE PARENTHESIS_ALIGNMENT SPLIT_STRING
		# core/ is compiled into programs, too, which lack the kernel's
		# types, BIT() and __printf(), and have plain min() and max()
		PREFER_KERNEL_TYPES BIT_MACRO PREFER_DEFINED_ATTRIBUTE_MACRO
		MINMAX CAMELCASE
		# a guess, and wrong for all macros here: names and constants
		MACRO_ARG_REUSE MACRO_ARG_PRECEDENCE
		# sees no function in a macro that defines one
		LINE_SPACING
	)
	mapfile -t sources < <(files 'driver/*.[ch]' 'include/*.h')
	expect_silence perl "$dir/checkpatch.pl" --no-tree --strict --quiet \
		--terse --no-summary --show-types \
		--ignore "$(IFS=,; echo "${ignore[*]}")" -f "${sources[@]}"
}

gate_raidctl() {
	local cc
	for cc in gcc clang; do
		command -v "$cc" >/dev/null || continue
		expect_silence make -s -C "$top" CC="$cc" B="$work/raidctl-$cc" \
			raidctl || return
	done
}

# module NAME KDIR [ARGUMENT...] - build a copy of the module's sources
module() {
	local dir=$work/$1 kdir=$2
	shift 2
	[ -e "$kdir/Makefile" ] || skip "no kernel headers in $kdir" || return
	mkdir -p "$dir"
	rsync -a --delete --exclude='*.o' --exclude='*.ko' --exclude='*.mod' \
		--exclude='*.mod.c' --exclude='.*.cmd' --exclude=modules.order \
		--exclude=Module.symvers "$top/Kbuild" "$top/driver" \
		"$top/include" "$dir" || return
	# Warnings of files that haven't changed count, too.
	find "$dir" -name '*.o' -path '*driver*' -not -path '*/isal/*' -delete
	expect_silence module_make "$kdir" "$dir" "$@"
}

# Without what has nothing to do with us: type information needs a vmlinux.
module_make() {
	local kdir=$1 dir=$2
	shift 2
	make -s -j"$(nproc)" -C "$kdir" M="$dir" W=1 \
		CONFIG_DEBUG_INFO_BTF_MODULES= \
		ISAL_SRC="$(setup --path isal)" "$@" modules
}

setup() { "$top/scripts/setup" "$@"; }

kdir_6_1() { setup --path qemu; }

gate_sparse() {
	need sparse || return
	# struct bio ends in a flexible array, and arrays of bios without
	# inline vectors are fine.
	module sparse "$(kdir_6_1)" C=2 CF=-Wno-flexible-array-array
}

# guest_module KIND - for a guest's kernel, where its tests find it built
guest_module() {
	local part
	# Nothing is to be fetched or installed by a check.
	for part in "$(setup --boot "$1")/.complete" \
		"$(setup --path "$1")/Makefile" "$(setup --path isal)"; do
		[ -e "$part" ] || skip "$part isn't there" || return
	done
	expect_silence "$top/scripts/guest" "$1" --build
}

gate_6.1() { guest_module qemu; }
gate_6.12() { module 6.12 "$(setup --path headers-6.12)"; }
gate_7.3() { guest_module uml; }

gate_6.1-no-isal() {
	local output status=0
	output=$(module 6.1-no-isal "$(kdir_6_1)" ISAL_SRC=/nonexistent) ||
		status=$?
	[ "$status" -ne 77 ] || skip "$output" || return
	# It says that it builds without, and nothing else.
	output=$(grep -v '^mqraid: built without ISA-L' <<<"$output")
	[ -z "$output" ] || { echo "$output"; return 1; }
	[ -e "$work/6.1-no-isal/mqraid.ko" ]
}

# ---------------------------------------------------------------------------

keep_going=
case ${1-} in
-h | --help) usage; exit ;;
-k) keep_going=1; shift ;;
-*) usage >&2; exit 2 ;;
esac
[ $# -gt 0 ] || set -- "${gates[@]}"
for gate; do
	if ! declare -F "gate_$gate" >/dev/null; then
		echo "check.sh: no gate '$gate'; known: ${gates[*]}" >&2
		exit 2
	fi
done

cd "$top" || exit
mkdir -p "$work" || exit
failed=0
for gate; do
	status=0
	output=$("gate_$gate" 2>&1) || status=$?
	case $status in
	0) echo "ok    $gate" ;;
	77) echo "skip  $gate: $output" ;;
	*)
		echo "FAIL  $gate"
		printf '%s\n' "$output"
		failed=1
		[ -n "$keep_going" ] || exit 1
		;;
	esac
done
exit $failed
