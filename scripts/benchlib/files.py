# SPDX-License-Identifier: GPL-2.0
"""Works on files: the same as on the device, and small objects."""

import contextlib
import os
import tempfile

from benchlib import objects
from benchlib.measure import Measure
from benchlib.tool import BenchError, run

MIB = 1 << 20
# Laid out anew on each fresh array.
FILE_MIB = 512


class FileSystem:
    def __init__(self, plan):
        self.plan = plan
        self.measure = Measure(plan)

    @contextlib.contextmanager
    def mounted(self, device):
        """A fresh file system on the device; mkfs aligns it by itself."""
        run("mkfs.xfs", "-f", "-q", device)
        with tempfile.TemporaryDirectory(prefix="mqr-bench-") as place:
            run("mount", "-t", "xfs", device, place)
            try:
                yield Files(self, place)
            finally:
                run("umount", place)


class Files:
    """The works in a mounted file system."""

    def __init__(self, filesystem, place):
        self.filesystem = filesystem
        self.place = place
        self.bytes = 0

    def size(self):
        """Of the file that works share: half of what there is, at most."""
        room = os.statvfs(self.place)
        free = room.f_bavail * room.f_frsize
        if free < 64 * MIB:
            raise BenchError("too little room for files: larger drives are "
                             "needed (--size)")
        return min(FILE_MIB * MIB, free // 2 // MIB * MIB)

    def work(self, name):
        """(tool, command, sample), as Measure.work()."""
        if name == "objects":
            return objects.measure(os.path.join(self.place, "objects"),
                                   self.filesystem.plan)
        path = os.path.join(self.place, "file")
        # The first work lays it out.
        self.bytes = self.bytes or self.size()
        return self.filesystem.measure.work(name, [path], size=self.bytes)


def programs(plan):
    return ["mkfs.xfs"] if plan.fs else []


def of(plan):
    return FileSystem(plan) if plan.fs else None
