# SPDX-License-Identifier: GPL-2.0
"""The guest's kernel: obtained by scripts/setup."""

import os
import subprocess

from guestlib.host import Failure, SCRIPTS, read_text

SETUP = os.path.join(SCRIPTS, "setup")


class Kernel:
    """boot: directory of the kernel; kdir: what modules are built against."""

    def __init__(self, component):
        # Its messages show why the first run takes minutes.
        if subprocess.run([SETUP, component], check=False).returncode:
            raise Failure(f"scripts/setup {component} failed")
        self.component = component
        self.boot = ask("--boot", component)
        self.kdir = ask("--path", component)
        self.release = read_text(os.path.join(self.boot, "release")).strip()
        self.key = os.path.basename(self.boot)
        self.make = ["ARCH=um"] if component.startswith("uml") else []
        self.modroot = os.path.join(self.boot, "modroot")


def ask(option, component):
    return subprocess.run([SETUP, option, component], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


def of_arguments(args):
    if args.kind == "uml":
        return Kernel("uml-debug" if args.debug else "uml")
    return Kernel("qemu-6.12" if args.kernel == "6.12" else "qemu")
