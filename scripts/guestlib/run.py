# SPDX-License-Identifier: GPL-2.0
"""One run, from the build to the exit status."""

import contextlib
import glob
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from guestlib import build, kernel, qemu, report, slot, uml
from guestlib.host import CACHE, CHECKOUT, Failure, LIB, read_text, say
from guestlib.streams import Control, Pump

FAULTS = 99
TIMEOUT = 124
DIED = 125
POWER_CUT = 137


PREFIX = "mqr-guest."


def remove_stale():
    """Remove what runners left behind that were killed the hard way."""
    for base in (tempfile.gettempdir(), "/dev/shm"):
        for path in glob.glob(os.path.join(base, PREFIX + "*.*")):
            pid = os.path.basename(path).split(".")[1]
            if not os.path.exists(f"/proc/{pid}"):
                shutil.rmtree(path, ignore_errors=True)


class Workspace:
    """The run's temporary directory, gone at its end.

    share/ is the guest's /run/mqr: command and env go in, status comes out.
    """

    def __init__(self, args):
        remove_stale()
        self.path = tempfile.mkdtemp(prefix=PREFIX + f"{os.getpid()}.")
        self.share = os.path.join(self.path, "share")
        os.mkdir(self.share)
        self.out = os.path.abspath(args.out or os.path.join(self.path, "out"))
        os.makedirs(self.out, exist_ok=True)
        self.console = os.path.join(self.path, "console")
        self.errors = os.path.join(self.path, "errors")
        self.drives = args.keep and os.path.abspath(args.keep)
        self.temporary = [self.path]

    def drive_images(self, count, bytes_each):
        """Paths of the drives' files; existing ones are left alone."""
        if not self.drives:
            # Memory, so that the host's disk has no say in the timing.
            base = "/dev/shm" if os.path.ismount("/dev/shm") else None
            self.drives = tempfile.mkdtemp(
                prefix=PREFIX + f"{os.getpid()}.", dir=base)
            self.temporary.append(self.drives)
        os.makedirs(self.drives, exist_ok=True)
        paths = []
        for number in range(count):
            path = os.path.join(self.drives, f"drive{number}.img")
            if not os.path.exists(path):
                with open(path, "wb") as file:
                    file.truncate(bytes_each)
            paths.append(path)
        return paths

    def write(self, name, text):
        with open(os.path.join(self.share, name), "w",
                  encoding="utf-8") as file:
            file.write(text)

    def status(self):
        """What the guest reported, or None when it did not get that far."""
        with contextlib.suppress(OSError, ValueError):
            return int(read_text(os.path.join(self.share, "status")))
        return None

    def boot_seconds(self):
        """The guest's uptime when the command started, as text."""
        with contextlib.suppress(OSError):
            return read_text(os.path.join(self.share, "uptime")).strip()
        return "?"

    def console_tail(self):
        """The last lines that machine and kernel wrote before the end."""
        lines = []
        for path in (self.errors, self.console):
            with contextlib.suppress(OSError):
                lines += read_text(path).splitlines()[-25:]
        return "\n".join(lines)

    def remove(self):
        for path in self.temporary:
            shutil.rmtree(path, ignore_errors=True)


def environment(args, guest_kernel):
    """The variables COMMAND and the guest's own scripts see."""
    module = "" if args.no_module else build.module(guest_kernel)
    if not args.no_module:
        build.raidctl()
    extra = build.extra_modules(guest_kernel, args.extra_module)
    return {
        "MQR_GUEST": args.kind,
        "MQR_KVER": guest_kernel.release,
        "MQR_DEBUG": str(int(args.debug)),
        "MQR_OUT": "/run/mqr-out",
        "MQR_MODULE": module,
        "MQR_PARAMS": args.params,
        "MQR_EXTRA": " ".join(extra),
        "MQR_CHECKOUT": CHECKOUT,
        "MQR_LIB": LIB,
        "MQR_MODROOT": guest_kernel.modroot,
        "MQR_DRIVE_TYPE": args.drive_type,
        "MQR_DRIVE_COUNT": str(args.drives),
        "MQR_DRIVE_BYTES": str(args.size),
        "MQR_DRIVE_LBA": str(args.lba),
        "MQR_KMEMLEAK": str(int(args.kmemleak)),
        "MQR_KEEP": str(int(bool(args.keep))),
        # There is no udev in the guest for these two to wait for.
        "MDADM_NO_UDEV": "1",
        "DM_DISABLE_UDEV": "1",
    }


def build_only(args):
    """Compile the module: 1 if the compiler has warned, 0 if it hasn't."""
    try:
        return int(build.module_anew(kernel.of_arguments(args)))
    except Failure as failure:
        say(failure)
        return failure.status


def terminate(signum, _frame):
    """Leave through the finally clauses."""
    sys.exit(128 + signum)


def run(args):
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, terminate)
    space = Workspace(args)
    try:
        guest_kernel = kernel.of_arguments(args)
        env = environment(args, guest_kernel)
        space.write("command", shlex.join(args.command) + "\n")
        space.write("env", "".join(
            f"export {name}={shlex.quote(value)}\n"
            for name, value in env.items()))
        machine_type = uml.Machine if args.kind == "uml" else qemu.Machine
        machine = machine_type(args, guest_kernel, space)
        with slot.taken(CACHE):
            return boot(args, machine, space)
    except Failure as failure:
        say(failure)
        return failure.status
    finally:
        space.remove()


def boot(args, machine, space):
    """Start the guest, wait for its end, and say how it went."""
    started = time.monotonic()
    # A group of its own: user-mode Linux has children, which must not
    # survive it, and an interrupt at the terminal is ours to handle.
    argv = ["setpriv", "--pdeathsig", "KILL", *machine.argv]
    if args.verbose:
        say(shlex.join(argv))
    with open(space.errors, "wb") as errors:
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
            pass_fds=machine.guest_fds(), start_new_session=True)
    timed_out = False
    try:
        machine.started()
        pumps = [Pump(machine.stdout, 1), Pump(machine.stderr, 2)]
        control = Control(machine, process)
        process.wait(args.timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
    finally:
        kill_group(process)
    for pump in pumps:
        pump.join()
    if args.verbose:
        say(f"{time.monotonic() - started:.1f} s, "
            f"of these {space.boot_seconds()} s to boot")
    return verdict(args, space, timed_out, control.power_cut)


def kill_group(process):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def verdict(args, space, timed_out, power_cut):
    """Turn what happened into the exit status, with an explanation."""
    status = space.status()
    with contextlib.suppress(OSError):
        shutil.copy(space.console, os.path.join(space.out, "console"))
    faults = report.find(space)
    if faults:
        say("the kernel reported:\n" + faults)
    if power_cut:
        status = POWER_CUT
    elif timed_out or status is None:
        say(f"timeout after {args.timeout:g} s" if timed_out
            else "the guest died")
        if not faults:
            say("end of its console:\n" + space.console_tail())
        return TIMEOUT if timed_out else DIED
    if faults and not args.allow_warnings:
        say(f"the command's exit status was {status}")
        return FAULTS
    return status
