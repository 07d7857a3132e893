# SPDX-License-Identifier: GPL-2.0
"""What the figures were made on: machine, kernel, versions."""

import gzip
import os
import platform
import re
import shutil

from benchlib import mqr
from benchlib.tool import BenchError, read, run


def cpu_model():
    for line in read("/proc/cpuinfo").splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return platform.machine()


def memory_mib():
    match = re.search(r"MemTotal: *(\d+) kB", read("/proc/meminfo"))
    return int(match[1]) // 1024 if match else 0


def machine():
    return {"cpu": cpu_model(), "cpus": os.cpu_count(),
            "memory_mib": memory_mib(), "kernel": platform.release(),
            "guest": os.environ.get("MQR_GUEST"), "hz": clock_hz()}


def first_line(*argv):
    """A version, or None: what is needed is missed elsewhere."""
    if not shutil.which(argv[0]):
        return None
    try:
        done = run("sh", "-c", '"$@" 2>&1', "-", *argv)
    except BenchError:
        return None
    return done.strip().splitlines()[0]


def raid6_algorithm():
    """What md computes RAID 6 with, as the kernel's log has it."""
    found = re.findall(r"raid6: using (?:algorithm )?(\w+)", run("dmesg"))
    return found[0] if found else None


def clock_hz():
    """Ticks a second that the kernel was built for, or None."""
    for path, opened in (("/proc/config.gz", gzip.open),
                         (f"/boot/config-{platform.release()}", open)):
        if os.path.exists(path):
            with opened(path, "rt", encoding="utf-8") as file:
                match = re.search(r"(?m)^CONFIG_HZ=(\d+)$", file.read())
            return int(match[1]) if match else None
    return None


def versions():
    return {"mqraid": " ".join(run(mqr.raidctl(), "version").split()),
            "mdadm": first_line("mdadm", "--version"),
            "fio": first_line("fio", "--version"),
            "python": platform.python_version(),
            "raid6": raid6_algorithm()}
