# SPDX-License-Identifier: GPL-2.0
"""Arrays of mqraid, by raidctl."""

import glob
import os

from benchlib.contestants import NAME, Contestant, our_uuid
from benchlib.tool import CHECKOUT, BenchError, read, run

# raidctl: what it was asked for is refused.
REFUSED = 3
CONTROL = "/dev/mqraid-control"


def raidctl():
    """The program of this checkout if it is built, else the installed one."""
    path = os.path.join(CHECKOUT, "build", "raidctl")
    return path if os.access(path, os.X_OK) else "raidctl"


def find_device(name):
    for path in glob.glob("/sys/block/mqr*/mqraid/name"):
        if read(path).rpartition(":")[2] == name:
            return "/dev/" + path.split("/")[3]
    raise BenchError(f"raidctl has made {name}, but there is no such device")


def progress_of(text):
    """(done, total) in KiB of "DONE / TOTAL" in sectors, or None.  Pure."""
    done, _, total = (word.strip() for word in text.partition("/"))
    if not done.isdigit() or not total.isdigit() or not int(total):
        return None
    return int(done) // 2, int(total) // 2


class MqrArray:
    def __init__(self, shape, settings):
        self.shape = shape
        self.wanted = settings
        self.settings = {}
        self.commands = []
        self.device = None

    def raidctl(self, *words):
        self.commands.append(" ".join(["raidctl", *words]))
        return run(raidctl(), *words, refusal=(REFUSED,))

    def attribute(self, name):
        return f"/sys/block/{os.path.basename(self.device)}/mqraid/{name}"

    def create(self):
        uuid = our_uuid()
        words = ["create", NAME, "--level", self.shape.number,
                 "--assume-clean", "--uuid",
                 "-".join((uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20],
                           uuid[20:]))]
        if self.shape.chunked:
            words += ["--chunk", f"{self.shape.chunk_kib}K"]
        if self.shape.size_kib:
            words += ["--size", f"{self.shape.size_kib}K"]
        self.raidctl(*words, *self.shape.devices)
        self.device = find_device(NAME)
        self.configure()
        return self

    def configure(self):
        """Settings; a fresh array of which one is refused is no use."""
        try:
            for key, value in self.wanted.items():
                self.raidctl("set", NAME, f"{key}={value}")
        except BenchError:
            self.stop()
            raise
        for name in ("calc", "safe_delay_ms", "sync_speed_max", "sync_rows",
                     "zero_copy"):
            if os.path.exists(self.attribute(name)):
                self.settings[name] = read(self.attribute(name))

    def lose(self, slots):
        for slot in slots:
            device = self.shape.devices[slot]
            self.raidctl("fail", NAME, device)
            self.raidctl("remove", NAME, device)

    def replace(self, slot):
        self.raidctl("add", NAME, self.shape.devices[slot])

    def progress(self):
        if read(self.attribute("sync_action")) != "rebuild":
            return None
        return progress_of(read(self.attribute("sync_completed")))

    def rebuilt(self):
        return self.missing() == 0 and \
            read(self.attribute("sync_action")) == "idle"

    def missing(self):
        return int(read(self.attribute("degraded")))

    def stop(self):
        self.raidctl("stop", NAME)


class Mqraid(Contestant):
    """mqraid as raidctl makes it."""

    name = "mqraid"
    about = "mqraid with raidctl's defaults"
    wanted = {}

    def create(self, shape, purpose):
        return MqrArray(shape, self.wanted).create()


class MqraidZeroCopy(Mqraid):
    """The same without copies of what is written."""

    name = "mqraid-zc"
    about = ("mqraid with zero_copy=1: parity is computed from the writer's "
             "own pages, which it must not change meanwhile")
    wanted = {"zero_copy": 1}


def need():
    """The driver must be there; it is the user's to load."""
    if not os.path.exists(CONTROL):
        raise BenchError("mqraid.ko is not loaded (modprobe mqraid)")
    return run(raidctl(), "version").strip()
