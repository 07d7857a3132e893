# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Debian packages to install on this machine: deps.list.

deps_path() { die "deps has no directory of its own"; }

# deps_wanted - the package names of deps.list, one a line
deps_wanted() {
	sed 's/#.*//' "$KERNELS/deps.list" | xargs -n 1
}

# deps_missing - those that are not installed
deps_missing() {
	local wanted
	mapfile -t wanted < <(deps_wanted)
	# dpkg-query complains about, and leaves out, names it never heard of.
	comm -23 <(printf '%s\n' "${wanted[@]}" | sort) <(
		dpkg-query -W -f '${Package} ${db:Status-Status}\n' \
			"${wanted[@]}" 2>/dev/null |
			awk '$2 == "installed" { print $1 }' | sort -u)
}

deps_setup() {
	local missing install
	mapfile -t missing < <(deps_missing)
	[ ${#missing[@]} -gt 0 ] || return 0

	say "installing: ${missing[*]}"
	# Not what is only recommended: it would pull in half a desktop.
	install=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -y
		-o DPkg::Lock::Timeout=600 install --no-install-recommends)
	if ! quietly "${install[@]}" "${missing[@]}"; then
		say "trying again with fresh package lists"
		apt-get -qq update >&2
		quietly "${install[@]}" "${missing[@]}" ||
			die "apt-get could not install: ${missing[*]}"
	fi
}
