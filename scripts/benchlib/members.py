# SPDX-License-Identifier: GPL-2.0
"""The drives that all contestants are measured on."""

import os
import re

from benchlib.tool import (BenchError, block_name, read, run, sectors_of,
                           wait_until)

MIB = 1 << 20
# Superblocks and bitmaps of all contestants are in the first MiB; what other
# formats have at the end of a drive goes as well.
EDGE = MIB

SINK = "mqrsink"
SINK_MIB = 4096


def wipe(device):
    """Zeros where superblocks are, so that the next array starts afresh."""
    fd = os.open(device, os.O_RDWR)
    try:
        size = os.lseek(fd, 0, os.SEEK_END)
        os.pwrite(fd, bytes(min(EDGE, size)), 0)
        if size > 2 * EDGE:
            os.pwrite(fd, bytes(EDGE), size - EDGE)
        os.fsync(fd)
    finally:
        os.close(fd)


class Members:
    """kind: for the report; own: drives made for this run only."""

    def __init__(self, devices, kind, about, size_kib=0):
        self.devices = devices
        self.kind = kind
        self.about = about
        # How much of each arrays use; 0: all.
        self.size_kib = size_kib

    @property
    def mib(self):
        """Of each: what is used, of the smallest."""
        whole = min(map(sectors_of, self.devices)) // 2
        return (self.size_kib or whole) // 1024

    def wipe(self):
        for device in self.devices:
            wipe(device)

    def wipe_one(self, device):
        """Of a running array's former member."""
        if device not in self.devices:
            raise BenchError(f"{device} is none of the drives under test")
        wipe(device)


    def models(self):
        return sorted({model for model in map(describe, self.devices)
                       if model})


def kind_of(device):
    """nvme, ram, sd, ...: the name without its numbers."""
    name = block_name(device)
    return "nvme" if name.startswith("nvme") else re.sub(r"\d.*", "", name)


def sinks(count, cpus, mib=SINK_MIB):
    """Drives that keep superblocks and lose data, in memory."""
    run("guest-module", "extra", SINK, f"nr={count}", f"size_mb={mib}",
        f"queues={cpus}")
    devices = [f"/dev/{SINK}{number}" for number in range(count)]
    wait_until(lambda: all(map(os.path.exists, devices)), 10,
               f"{SINK} makes {count} drives")
    return Members(devices, SINK, f"{count} drives of {mib} MiB in memory "
                   "that discard data: no drive's own time, and no memory "
                   "traffic of a drive, is in the figures")


def of_guest(count):
    """Those that scripts/guest has made."""
    devices = os.environ.get("MQR_DRIVES", "").split()
    if len(devices) < count:
        raise BenchError(f"the guest has {len(devices)} drives, but "
                         f"{count} are needed")
    kind = kind_of(devices[0])
    about = {"nvme": "emulated NVMe drives: their emulation is in all figures",
             "ram": "RAM disks: every write is copied to memory"}.get(kind, "")
    return Members(devices[:count], "brd" if kind == "ram" else kind, about)


def describe(device):
    """Model of a drive, for the report."""
    path = f"/sys/class/block/{block_name(device)}/device/model"
    return read(path).strip() if os.path.exists(path) else ""
