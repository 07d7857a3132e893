# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Debian's stock kernels for the qemu guest, as shipped.  Only the modules and
# the kernel image are taken out of the package: nothing is installed.
#
#   ./vmlinux       the kernel, unpacked: qemu boots it by PVH, without
#                   seconds of emulated decompression
#   ./modroot       lib/modules/VERSION, as modprobe wants it
#   ./release       VERSION

# qemu_release - the version of the installed headers
qemu_release() {
	dpkg-query -W -f '${Depends}' linux-headers-amd64 2>/dev/null |
		sed -n 's/^linux-headers-\([^ ]*\).*/\1/p' | grep . ||
		die "linux-headers-amd64 is not installed: scripts/setup deps"
}

qemu_path() { echo "/usr/src/linux-headers-$(qemu_release)"; }
qemu_boot() { echo "$CACHE/qemu-$(qemu_release)"; }

qemu_setup() {
	deps_setup
	obtain "$(qemu_boot)" qemu_build
}

qemu_build() {
	local release
	release=$(qemu_release)
	(cd "$1" && apt-get -qq -o APT::Sandbox::User=root \
		download "linux-image-$release" >&2)
	image_unpack "$1" "$release"
}

# image_unpack DIR RELEASE - replace the package in DIR by what it holds
image_unpack() {
	local dir=$1 release=$2

	mkdir "$dir/modroot"
	dpkg --fsys-tarfile "$dir"/*.deb | tar -C "$dir/modroot" -x \
		./boot ./lib/modules
	rm "$dir"/*.deb
	/usr/bin/python3 "$KERNELS/extract-vmlinux" \
		"$dir/modroot/boot/vmlinuz-$release" "$dir/vmlinux"
	mv "$dir/modroot/boot/config-$release" "$dir/config"
	rm -r "$dir/modroot/boot"
	depmod -b "$dir/modroot" "$release"
	echo "$release" >"$dir/release"
}
