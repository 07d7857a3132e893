# SPDX-License-Identifier: GPL-2.0
"""Build modules for the guest's kernel, and raidctl.

Sources are copied out of the checkout and built below the cache, once per
kernel and checkout: the checkout stays clean, several kernels coexist, and
the next build is incremental.
"""

import contextlib
import fcntl
import os
import subprocess

from guestlib.host import CACHE, CHECKOUT, Failure, call, digest, say
from guestlib.kernel import SETUP, ask

SOURCES = ("Kbuild", "Makefile", "driver", "include")
# What a build leaves behind: neither copied nor deleted.
PRODUCTS = ("*.o", "*.ko", "*.mod", "*.mod.c", "*.a", ".*.cmd", ".*.d",
            "modules.order", "Module.symvers", ".module-common.o",
            "build", "/.lock")


@contextlib.contextmanager
def locked(directory):
    """Only one build at a time in a directory."""
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, ".lock"), "w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def copy(sources, directory):
    argv = ["rsync", "-a", "--delete", "--delete-missing-args"]
    argv += [f"--exclude={pattern}" for pattern in PRODUCTS]
    call(argv + sources + [directory + "/"], "copying the sources")


def make_modules(kernel, directory, extra=()):
    """Run the kernel's make: did it print anything?"""
    # Type information would need pahole and the kernel's own.
    argv = ["make", "-s", f"-j{os.cpu_count()}", "-C", kernel.kdir,
            f"M={directory}", "W=1", "CONFIG_DEBUG_INFO_BTF_MODULES=",
            *kernel.make, *extra, "modules"]
    # Warnings matter even when the build works.
    output = call(argv, f"building modules for {kernel.component}")
    if output.strip():
        say(f"build for {kernel.component}:\n{output.rstrip()}")
    return bool(output.strip())


def build_directory(kernel, name):
    return os.path.join(CACHE, "build", kernel.key,
                        digest(CHECKOUT), name)


def module(kernel):
    """Build mqraid.ko and return its path."""
    directory = build_directory(kernel, "mqraid")
    with locked(directory):
        make_mqraid(kernel, directory)
    result = os.path.join(directory, "mqraid.ko")
    if not os.path.exists(result):
        raise Failure(f"the build made no {result}")
    return result


def module_anew(kernel):
    """Build mqraid.ko, all of our sources: were there warnings?"""
    directory = build_directory(kernel, "mqraid")
    with locked(directory):
        # Warnings of files that haven't changed count, too.
        for path, _, names in os.walk(os.path.join(directory, "driver")):
            for name in names:
                if name.endswith(".o") and "isal" not in os.path.relpath(
                        path, directory).split(os.sep):
                    os.unlink(os.path.join(path, name))
        return make_mqraid(kernel, directory)


def make_mqraid(kernel, directory):
    if subprocess.run([SETUP, "isal"], check=False).returncode:
        raise Failure("scripts/setup isal failed")
    sources = [os.path.join(CHECKOUT, name) for name in SOURCES]
    copy([path for path in sources if os.path.exists(path)], directory)
    return make_modules(kernel, directory,
                        ["ISAL_SRC=" + ask("--path", "isal")])


def extra_modules(kernel, sources):
    """Build the modules of other directories; return where they are."""
    directories = []
    for source in map(os.path.realpath, sources):
        name = os.path.basename(source) + "-" + digest(source)
        directory = build_directory(kernel, name)
        with locked(directory):
            copy([source + "/"], directory)
            symbols = os.path.join(build_directory(kernel, "mqraid"),
                                   "Module.symvers")
            extra = [f"KBUILD_EXTRA_SYMBOLS={symbols}"] \
                if os.path.exists(symbols) else []
            make_modules(kernel, directory, extra)
        directories.append(directory)
    return directories


def raidctl():
    """Build raidctl, by the checkout's own Makefile."""
    if os.path.exists(os.path.join(CHECKOUT, "Makefile")):
        with locked(os.path.join(CACHE, "build", digest(CHECKOUT))):
            call(["make", "-s", "-C", CHECKOUT, "raidctl"],
                 "building raidctl")
    if not os.path.exists(os.path.join(CHECKOUT, "build", "raidctl")):
        say("note: there is no build/raidctl")
