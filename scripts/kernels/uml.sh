# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# User-mode Linux, built twice from one source: for speed and for debugging.
# A built tree keeps what external modules need:
#
#   .               KDIR for ARCH=um
#   ./linux         the kernel, an executable
#   ./modroot       lib/modules/VERSION, as modprobe wants it
#   ./release       VERSION

UML_SUITE=trixie-backports
# The tested series.  When the suite has dropped it, its newest one is tried.
UML_SERIES=7.3
# To be raised when a change below makes a different kernel of the same inputs.
UML_RECIPE=1

# uml_inputs FLAVOUR - the files that decide what the kernel is
uml_inputs() {
	echo "$KERNELS/uml.config"
	[ "$1" = uml ] || echo "$KERNELS/$1.config"
	echo "$KERNELS"/uml-*.patch
}

# uml_dir FLAVOUR
uml_dir() {
	# shellcheck disable=SC2046 # a list of file names of ours
	echo "$CACHE/$1-$UML_SERIES-$UML_RECIPE-$(content_key $(uml_inputs "$1"))"
}

uml_path() { uml_dir uml; }
uml_boot() { uml_dir uml; }
uml_debug_path() { uml_dir uml-debug; }
uml_debug_boot() { uml_dir uml-debug; }

uml_setup() { obtain "$(uml_path)" uml_build; }
uml_debug_setup() { obtain "$(uml_debug_path)" uml_debug_build; }

uml_build() {
	uml_make "$1" "$KERNELS/uml.config"
}

# Nobody waits for this one, and it takes long: let others go first.
uml_debug_build() {
	renice -n 10 -p $BASHPID >/dev/null
	uml_make "$1" "$KERNELS/uml.config" "$KERNELS/uml-debug.config"
}

# uml_source - path of the source tarball, fetched when necessary
uml_source() {
	local package tarball fetch
	local dir=$CACHE/linux-source-$UML_SERIES

	exec {fetch}>"$CACHE/.lock-linux-source"
	flock "$fetch"
	tarball=$(find "$dir" -name 'linux-source-*.tar.xz' 2>/dev/null || true)
	if [ -z "$tarball" ]; then
		suite_update "$UML_SUITE"
		package=$(uml_source_package)
		[ -n "$package" ] || die "$UML_SUITE has no linux-source package"
		rm -rf "$dir"
		mkdir -p "$dir"
		(cd "$dir" && suite_apt "$UML_SUITE" apt-get -qq download \
			"$package" >&2)
		dpkg --fsys-tarfile "$dir/$package"_*.deb |
			tar -C "$dir" --strip-components=3 -x \
				"./usr/src/$package.tar.xz"
		rm "$dir/$package"_*.deb
		tarball=$dir/$package.tar.xz
	fi
	exec {fetch}>&-
	echo "$tarball"
}

# uml_source_package - the tested series if the suite has it, else the newest
uml_source_package() {
	local newest tested=linux-source-$UML_SERIES

	newest=$(suite_apt "$UML_SUITE" apt-cache search --names-only \
		'^linux-source-[0-9.]+$' | awk '{ print $1 }' | sort -V)
	if grep -qx "$tested" <<<"$newest"; then
		echo "$tested"
		return
	fi
	newest=$(tail -n 1 <<<"$newest")
	say "$UML_SUITE has no $tested: trying $newest, which is untested"
	echo "$newest"
}

# uml_unpack DIR - the source, without what no configuration of ours compiles
#
# That is most of it.  Kconfig reads the files that stay behind there.
uml_unpack() {
	local source top part exclude=()

	source=$(uml_source)
	top=$(basename "$source" .tar.xz)
	for part in drivers/{accel,gpu,infiniband,media,net,staging} net sound \
		arch/{arm,arm64,mips,powerpc}; do
		exclude+=(--exclude="$top/$part/*.[chS]")
	done
	for part in 'arch/*.dts*' 'Documentation/*.*' \
		'tools/perf/*' 'tools/testing/*'; do
		exclude+=(--exclude="$top/$part")
	done
	tar -C "$1" --strip-components=1 "${exclude[@]}" -xf "$source"
}

# uml_make DIR FRAGMENT... - unpack, patch, configure, build and prune in DIR
uml_make() {
	local dir=$1 patch started=$SECONDS
	# Modules have UBSAN if the configuration says so, the kernel hasn't: its
	# arithmetic is not for us to check, and that compiles faster.
	local make=(make -C "$1" ARCH=um -s -j3 UBSAN_SANITIZE=n)
	shift

	uml_unpack "$dir"
	for patch in "$KERNELS"/uml-*.patch; do
		patch -s -d "$dir" -p1 -i "$patch" >&2
	done

	"${make[@]}" defconfig >&2
	(cd "$dir" && ARCH=um scripts/kconfig/merge_config.sh -m .config "$@") \
		>/dev/null
	"${make[@]}" olddefconfig >&2
	uml_check_config "$dir/.config" "$@"

	"${make[@]}" linux modules >&2
	"${make[@]}" modules_install INSTALL_MOD_PATH="$dir/modroot" >&2
	cp "$dir/include/config/kernel.release" "$dir/release"
	uml_prune "$dir"
	say "built in $((SECONDS - started)) s"
}

# uml_check_config CONFIG FRAGMENT... - say which wishes were not granted
#
# Of two wishes for one option the later one counts.
uml_check_config() {
	local config=$1 option wish
	shift
	awk '/^CONFIG_/ { split($0, part, "="); wish[part[1]] = $0 }
		/^# CONFIG_.* is not set$/ { wish[$2] = $0 }
		END { for (name in wish) print name, wish[name] }' "$@" | sort |
		while read -r option wish; do
			case $wish in
			\#*) ! grep -q "^$option=" "$config" ;;
			*) grep -qx "$wish" "$config" ;;
			esac || say "note: the kernel did not accept '$wish'"
		done
}

# uml_prune DIR - drop what neither a run nor an external module needs
#
# That is all sources but the headers, and all objects: 3 GB and more.
uml_prune() {
	local dir=$1

	find "$dir" -mindepth 1 -maxdepth 1 ! -name .config ! -name arch \
		! -name COPYING ! -name include ! -name Kbuild ! -name linux \
		! -name Makefile ! -name modroot ! -name Module.symvers \
		! -name release ! -name scripts ! -name System.map \
		-exec rm -rf {} +
	find "$dir/arch" -mindepth 1 -maxdepth 1 -type d ! -name um \
		! -name x86 -exec rm -rf {} +
	find "$dir/arch" -type f \( -name '*.[oac]' -o -name '.*.cmd' \) -delete
}
