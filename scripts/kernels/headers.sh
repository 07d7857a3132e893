# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Debian's backported 6.12, for compile tests and as a second qemu kernel.
# Nothing of it is installed: the packages are unpacked below the cache and
# the two absolute paths in them changed.

HEADERS_SUITE=bookworm-backports
HEADERS_SERIES=6.12

# The newest release of the series when the cache was filled; see ./release.
headers_6_12_root() { echo "$CACHE/headers-$HEADERS_SERIES"; }
headers_6_12_path() { echo "$(headers_6_12_root)/kdir"; }
headers_6_12_setup() { obtain "$(headers_6_12_root)" headers_build; }

qemu_6_12_path() { headers_6_12_path; }
qemu_6_12_boot() { echo "$CACHE/qemu-$HEADERS_SERIES"; }
qemu_6_12_setup() {
	headers_6_12_setup
	obtain "$(qemu_6_12_boot)" qemu_6_12_build
}

headers_build() {
	local dir=$1 release package
	# What obtain() renames DIR to: paths in the tree must name that.
	local final=${1%.tmp}

	suite_update "$HEADERS_SUITE"
	release=$(suite_apt "$HEADERS_SUITE" apt-cache search --names-only \
		"^linux-headers-${HEADERS_SERIES}[^-]*-amd64\$" |
		awk '{ sub("linux-headers-", "", $1); print $1 }' |
		sort -V | tail -n 1)
	[ -n "$release" ] || die "$HEADERS_SUITE has no $HEADERS_SERIES headers"

	(cd "$dir" && suite_apt "$HEADERS_SUITE" apt-get -qq download \
		"linux-headers-$release" \
		"linux-headers-${release%-amd64}-common" \
		"linux-kbuild-${release%-amd64}" >&2)
	for package in "$dir"/*.deb; do
		dpkg -x "$package" "$dir"
	done
	rm "$dir"/*.deb

	ln -s "usr/src/linux-headers-$release" "$dir/kdir"
	# Type information of modules would need pahole and a vmlinux.
	sed -i -e "s|/usr/src/|$final/usr/src/|" \
		-e '1i override CONFIG_DEBUG_INFO_BTF_MODULES :=' \
		"$dir/kdir/Makefile"
	if grep -q /usr/src/ "$dir/kdir/.kernelvariables"; then
		sed -i "s|/usr/src/|$final/usr/src/|" \
			"$dir/kdir/.kernelvariables"
	fi
	echo "$release" >"$dir/release"
}

qemu_6_12_build() {
	local dir=$1 release name
	release=$(cat "$(headers_6_12_root)/release")
	# The signed image may lag behind; the unsigned one is the same code.
	for name in "linux-image-$release" "linux-image-$release-unsigned"; do
		if (cd "$dir" && suite_apt "$HEADERS_SUITE" \
			apt-get -qq download "$name" >&2); then
			image_unpack "$dir" "$release"
			return
		fi
	done
	die "$HEADERS_SUITE has no image for $release"
}
