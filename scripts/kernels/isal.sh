# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# ISA-L's source.  Debian ships no static library, and the one in bookworm
# is too old for the GFNI functions, so trixie's source package it is.

ISAL_VERSION=2.31.1
ISAL_SUITE=trixie

isal_path() {
	echo "${ISAL_SRC:-$CACHE/isal-$ISAL_VERSION}"
}

isal_setup() {
	if [ -n "${ISAL_SRC:-}" ]; then
		[ -d "$ISAL_SRC/erasure_code" ] ||
			die "ISAL_SRC=$ISAL_SRC is no ISA-L source tree"
		return
	fi
	obtain "$(isal_path)" isal_build
}

isal_build() {
	local dir=$1 tarball expected

	suite_update "$ISAL_SUITE"
	tarball=libisal_$ISAL_VERSION.orig.tar.gz
	expected=$(suite_apt "$ISAL_SUITE" apt-cache showsrc libisal-dev |
		awk -v name="$tarball" \
			'NF == 3 && $3 == name && length($1) == 64 { print $1; exit }')
	[ -n "$expected" ] || die "$ISAL_SUITE has no $tarball any more; " \
		"unpack ISA-L yourself and set ISAL_SRC"

	# The .dsc may be missing on a mirror: the tarball is all we need, so
	# only the checksum decides whether the download worked.
	(cd "$dir" && suite_apt "$ISAL_SUITE" apt-get -qq --download-only \
		source libisal >&2) || say "apt-get source complained"
	echo "$expected  $dir/$tarball" | sha256sum --check --status ||
		die "$tarball is missing or does not match its checksum"
	tar -C "$dir" --strip-components=1 -xf "$dir/$tarball"
	rm -f "$dir"/libisal_*
}
