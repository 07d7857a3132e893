# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What every component of scripts/setup shares: the cache, its locks, and
# packages from another Debian suite without touching the machine's own apt.

CACHE=${MQRAID_CACHE:-/var/cache/mqraid}
KERNELS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# All messages go to stderr: stdout belongs to --path.
say() { echo "setup: $*" >&2; }
die() {
	say "ERROR: $*"
	exit 1
}

# content_key FILE... - short hash that changes with any of the files
content_key() {
	cat -- "$@" | sha256sum | cut -c1-12
}

# A component's directory counts only once this file is in it.
is_complete() { [ -e "$1/.complete" ]; }

# obtain DIR BUILDER - run "BUILDER TMP" and rename TMP to DIR when it worked
#
# One builder per DIR at a time; a second caller waits and finds it ready.
# The builder runs in a process of its own (setup --build), because bash
# ignores "set -e" in functions called from a condition.
obtain() {
	local dir=$1 builder=$2 tmp lock

	if is_complete "$dir"; then
		return
	fi
	mkdir -p "$CACHE"
	exec {lock}>"$CACHE/.lock-$(basename "$dir")"
	if ! flock -n "$lock"; then
		say "waiting for another run that prepares $dir"
		flock "$lock"
	fi
	if ! is_complete "$dir"; then
		tmp=$dir.tmp
		rm -rf "$tmp"
		mkdir -p "$tmp"
		say "preparing $dir"
		"$KERNELS/../setup" --build "$builder" "$tmp" ||
			die "'$builder' failed, see above; leftovers are in $tmp"
		touch "$tmp/.complete"
		rm -rf "$dir"
		mv -T "$tmp" "$dir"
		say "ready: $dir"
	fi
	exec {lock}>&-
}

# quietly COMMAND... - show what it prints only when it fails
quietly() {
	local output
	output=$("$@" 2>&1) || {
		local status=$?
		printf '%s\n' "$output" >&2
		return $status
	}
}

# suite_apt SUITE COMMAND... - run apt-get or apt-cache on SUITE alone
#
# SUITE is looked up on the mirror this machine already uses.  Lists and
# archives stay below the cache, so the machine's apt does not notice.
suite_apt() {
	local suite=$1 command=$2
	local dir=$CACHE/apt/$suite
	shift 2

	"$command" -o Dir::Etc::SourceList="$dir/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$dir/lists" \
		-o Dir::Cache="$dir/cache" \
		-o APT::Sandbox::User=root "$@"
}

# suite_update SUITE - fetch the package lists of SUITE
suite_update() {
	local suite=$1 site
	local dir=$CACHE/apt/$suite
	local key=/usr/share/keyrings/debian-archive-keyring.gpg

	# Debian's main archive is the source that carries our own codename.
	# shellcheck disable=SC2016 # $(SITE) is for apt to expand
	site=$(. /etc/os-release &&
		apt-get indextargets --format '$(SITE)' \
			"Codename: $VERSION_CODENAME" 'Created-By: Packages' |
		head -n 1)
	[ -n "$site" ] || die "no Debian mirror in this machine's apt sources"
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	printf '%s [signed-by=%s] %s %s main\n' \
		deb "$key" "$site" "$suite" \
		deb-src "$key" "$site" "$suite" >"$dir/sources.list"
	suite_apt "$suite" apt-get -qq update >&2 ||
		die "cannot fetch the package lists of $suite"
}
