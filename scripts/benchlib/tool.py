# SPDX-License-Identifier: GPL-2.0
"""What all parts of the harness share: programs, small files, failure."""

import os
import shutil
import subprocess
import time

SCRIPTS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
CHECKOUT = os.path.dirname(SCRIPTS)
# So many seconds are too many for a program that only arranges something.
PATIENCE = 60


class BenchError(Exception):
    """The measurement cannot be made, or cannot be believed."""


class Refused(BenchError):
    """A program said no: what it was asked for doesn't exist here."""


def need(*programs):
    """Fail unless all programs are there."""
    missing = [name for name in programs if not shutil.which(name)]
    if missing:
        raise BenchError("not installed: " + ", ".join(missing) +
                         " (scripts/setup deps installs what is needed)")


def run(*argv, patience=PATIENCE, refusal=()):
    """Run a program and return what it printed.

    An exit status in @refusal means Refused, any other but 0 BenchError.
    """
    argv = [str(word) for word in argv]
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, timeout=patience,
                              stderr=subprocess.PIPE, check=False)
    except FileNotFoundError:
        raise BenchError(f"{argv[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise BenchError(f"{' '.join(argv)}: no end after "
                         f"{patience} s") from None
    if done.returncode:
        kind = Refused if done.returncode in refusal else BenchError
        said = (done.stderr.strip() or done.stdout.strip() or "nothing")
        raise kind(f"{' '.join(argv)}: exit status {done.returncode}; "
                   f"it said: {said}")
    return done.stdout


def read(path):
    """The text of a small file, without the newline at its end."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().rstrip("\n")
    except OSError as error:
        raise BenchError(f"cannot read {path}: {error.strerror}") from None


def write(path, value):
    """Write a small file of the kernel."""
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{value}\n")
    except OSError as error:
        raise BenchError(f"cannot write {value} to {path}: "
                         f"{error.strerror}") from None


def wait_until(condition, seconds, what, interval=0.02):
    """Poll; the kernel has nothing to wait on for all that we wait for."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise BenchError(f"{what}: not after {seconds} s")
        time.sleep(interval)


def block_name(device):
    """The directory of /sys/block for a device path."""
    return os.path.basename(os.path.realpath(device))


def sectors_of(device):
    return int(read(f"/sys/class/block/{block_name(device)}/size"))
