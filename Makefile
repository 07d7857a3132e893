# SPDX-License-Identifier: GPL-2.0
#
# mqraid: the module and raidctl.  "make help" lists the targets.

VERSION := 0.1.0

KDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local
DESTDIR ?=
SECS ?= 60
B := build

all: module raidctl

help:
	@echo 'Targets:'
	@echo '  all       module and raidctl (default)'
	@echo '  module    mqraid.ko, for the kernel whose build directory is KDIR'
	@echo '  raidctl   $(B)/raidctl'
	@echo '  install   both, and the manual page: below PREFIX, the module where'
	@echo '            kernels look for it'
	@echo '  dkms      hand the sources to DKMS, which builds for each kernel'
	@echo '  check     unit tests of the core'
	@echo '  fuzz      fuzz the parsers for SECS seconds'
	@echo '  test      system tests, in a guest'
	@echo '  demo      create, break and rebuild an array, in a guest'
	@echo '  bench     measure mqraid and md side by side, in a guest: 10 minutes,'
	@echo '            with QUICK=1 two; on a server: scripts/bench --help'
	@echo '  style     all source checks that are installed'
	@echo '  clean'
	@echo
	@echo 'Variables: KDIR=$(KDIR)'
	@echo '           ISAL_SRC=DIR (unpacked ISA-L; default: scripts/setup isal)'
	@echo '           PREFIX=$(PREFIX) DESTDIR=$(DESTDIR) SECS=$(SECS) V=1'
	@echo '           QUICK=1 CPUS=1,2 BENCH_ARGS=... (options of scripts/bench)'

# ---------------------------------------------------------------------------
# The module

# User-mode Linux must be named as the architecture.
kernel-args := -C $(KDIR) M=$(CURDIR) \
	$(if $(shell grep -s '^CONFIG_UML=y' $(KDIR)/.config),ARCH=um) \
	$(if $(ISAL_SRC),ISAL_SRC=$(abspath $(ISAL_SRC))) \
	$(if $(shell command -v pahole),,CONFIG_DEBUG_INFO_BTF_MODULES=)

kdir:
	@test -e $(KDIR)/Makefile || { \
		echo 'There are no kernel headers in KDIR=$(KDIR):' >&2; \
		echo 'install them (Debian: linux-headers-amd64), or name those of' >&2; \
		echo 'another kernel: make KDIR=/usr/src/linux-headers-...' >&2; \
		exit 1; }

module: kdir
	$(MAKE) $(kernel-args) modules

# ---------------------------------------------------------------------------
# raidctl, with the core that the module has as well

CC ?= gcc
silent := $(findstring s,$(firstword -$(MAKEFLAGS)))
CFLAGS ?= -O2 -g
libraries := blkid json-c libudev
raidctl-flags = -std=gnu11 -D_GNU_SOURCE -DMQR_VERSION='"$(VERSION)"' \
	-Wall -Wextra -Werror -Idriver -Iinclude -MMD -MP \
	$(shell pkg-config --cflags $(libraries))

raidctl-sources := $(sort $(wildcard userspace/*.c driver/core/*.c))
raidctl-objects := $(raidctl-sources:%.c=$(B)/obj/%.o)

Q := $(if $(V),,@)

raidctl: $(B)/raidctl

$(B)/raidctl: $(raidctl-objects)
	$(if $(V)$(silent),,@echo '  LD      $@')
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ \
		$(shell pkg-config --libs $(libraries))

$(B)/obj/%.o: %.c Makefile
	$(if $(V)$(silent),,@echo '  CC      $@')
	$(Q)mkdir -p $(dir $@)
	$(Q)$(CC) $(CFLAGS) $(raidctl-flags) -c -o $@ $<

-include $(raidctl-objects:.o=.d)

# ---------------------------------------------------------------------------

install: all install-module install-raidctl

# depmod is part of modules_install.
install-module: kdir
	$(MAKE) $(kernel-args) modules_install INSTALL_MOD_DIR=updates \
		$(if $(DESTDIR),INSTALL_MOD_PATH=$(abspath $(DESTDIR)))

install-raidctl: raidctl
	install -D -m 0755 $(B)/raidctl $(DESTDIR)$(PREFIX)/sbin/raidctl
	set -e; for page in $(wildcard Documentation/*.8); do \
		install -D -m 0644 $$page \
			$(DESTDIR)$(PREFIX)/share/man/man8/$$(basename $$page); \
	done

# DKMS builds without a network: ISA-L's source goes along.
dkms-source := $(DESTDIR)/usr/src/mqraid-$(VERSION)
isal = $(or $(ISAL_SRC),$(shell scripts/setup isal && scripts/setup --path isal))

dkms:
	rm -rf $(dkms-source)
	mkdir -p $(dkms-source)/driver/isal/src
	cp -r Kbuild Makefile dkms.conf include $(dkms-source)
	cd driver && find . -name '*.[ch]' -o -name '*.asm' | \
		cpio -pd --quiet $(abspath $(dkms-source))/driver
	cp -r $(isal)/LICENSE $(isal)/include $(isal)/raid \
		$(isal)/erasure_code $(dkms-source)/driver/isal/src
	$(if $(DESTDIR),,dkms add -m mqraid -v $(VERSION))

# ---------------------------------------------------------------------------

deps:
	scripts/setup deps

test: deps
	exec scripts/test

demo: deps
	exec scripts/demo

bench: deps
	exec scripts/bench $(if $(QUICK),--quick) $(if $(CPUS),--cpus $(CPUS)) \
		$(BENCH_ARGS)

check:
	$(MAKE) -C tests/unit

fuzz:
	$(MAKE) -C tests/fuzz run SECS=$(SECS)

style:
	exec scripts/check.sh

clean:
	rm -rf $(B)
	$(if $(wildcard $(KDIR)/Makefile),$(MAKE) $(kernel-args) clean)

.PHONY: all help kdir module raidctl install install-module install-raidctl
.PHONY: dkms deps test demo bench check fuzz style clean
