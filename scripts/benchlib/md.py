# SPDX-License-Identifier: GPL-2.0
"""Arrays of md, by mdadm."""

import os
import re

from benchlib.contestants import NAME, Contestant, our_uuid
from benchlib.tool import BenchError, read, run, wait_until, write

DEVICE = "/dev/md100"
# KiB/s; more than anything does.
NO_LIMIT = 100_000_000
# md takes so long to let go of a member, and an array's users of it.
SECONDS = 10


def progress_of(mdstat, name):
    """(done, total) in KiB of a running recovery, else None.  Pure.

    From /proc/mdstat, as sync_completed in sysfs moves only every 10 s.
    """
    entry = re.search(rf"(?m)^{name} :.*\n((?:[ \t].*\n?)*)", mdstat)
    match = entry and re.search(
        r"(?:recovery|resync|check|reshape) *= *[\d.]+% *\((\d+)/(\d+)\)",
        entry[1])
    return (int(match[1]), int(match[2])) if match else None


class MdArray:
    def __init__(self, shape, settings):
        self.device = DEVICE
        self.name = os.path.basename(DEVICE)
        self.shape = shape
        self.wanted = settings
        self.settings = {}
        self.commands = []

    def mdadm(self, *words):
        self.commands.append(" ".join(["mdadm", *words]))
        return run("mdadm", *words)

    def attribute(self, name):
        return f"/sys/block/{self.name}/md/{name}"

    def put(self, name, value):
        """Set a tunable, and see that the kernel took it."""
        path = self.attribute(name)
        self.commands.append(f"echo {value} > {path}")
        write(path, value)

    def create(self):
        uuid = our_uuid()
        words = ["--create", DEVICE, "--run", "--metadata=1.2",
                 "--homehost=any", f"--name={NAME}",
                 "--uuid=" + ":".join(re.findall("." * 8, uuid)),
                 f"--level={self.shape.number}",
                 f"--raid-devices={len(self.shape.devices)}"]
        if self.shape.chunked:
            words.append(f"--chunk={self.shape.chunk_kib}")
        if self.shape.size_kib:
            words.append(f"--size={self.shape.size_kib}")
        if self.shape.level != "raid0":
            words.append("--assume-clean")
            if "bitmap" in self.wanted:
                words.append(f"--bitmap={self.wanted['bitmap']}")
        self.mdadm(*words, *self.shape.devices)
        self.tune(self.wanted)
        self.note_settings()
        return self

    def tune(self, settings):
        """Whatever can be changed now."""
        for key, value in settings.items():
            if key != "bitmap":
                self.put(key, value)

    def note_settings(self):
        """As they are, whoever chose them."""
        for name in ("group_thread_cnt", "stripe_cache_size",
                     "safe_mode_delay", "sync_speed_min", "sync_speed_max"):
            if os.path.exists(self.attribute(name)):
                self.settings[name] = read(self.attribute(name))
        if os.path.exists(self.attribute("bitmap/location")):
            self.settings["bitmap"] = read(self.attribute("bitmap/location"))

    def lose(self, slots):
        for slot in slots:
            device = self.shape.devices[slot]
            self.mdadm(DEVICE, "--fail", device)
            self.remove(device)

    def remove(self, device):
        """md lets go of a member only when its last I/O is back."""
        name = os.path.basename(os.path.realpath(device))

        def try_it():
            try:
                run("mdadm", DEVICE, "--remove", device)
            except BenchError:
                pass
            return not os.path.exists(self.attribute(f"dev-{name}"))

        self.commands.append(f"mdadm {DEVICE} --remove {device}")
        wait_until(try_it, SECONDS, f"removing {device} from {DEVICE}")

    def replace(self, slot):
        self.mdadm(DEVICE, "--add", self.shape.devices[slot])

    def progress(self):
        return progress_of(read("/proc/mdstat"), self.name)

    def rebuilt(self):
        return self.missing() == 0 and \
            read(self.attribute("sync_action")) == "idle"

    def missing(self):
        path = self.attribute("degraded")
        return int(read(path)) if os.path.exists(path) else 0

    def stop(self):
        def try_it():
            try:
                run("mdadm", "--stop", DEVICE)
            except BenchError:
                return False
            return True

        if self.progress():
            write(self.attribute("sync_action"), "frozen")
        self.commands.append(f"mdadm --stop {DEVICE}")
        wait_until(try_it, SECONDS, f"stopping {DEVICE}")


class Md(Contestant):
    """md as mdadm makes it."""

    name = "md"
    about = ("md with mdadm's defaults, throttles of its rebuild included; "
             "a bitmap if mdadm chooses one")

    def create(self, shape, purpose):
        return MdArray(shape, {}).create()


class MdTuned(Contestant):
    """md with the best settings of the sweep, which comes first.

    best: {(level, purpose): settings}
    """

    name = "md-tuned"
    about = ("md with the best of its settings, as the sweep found them for "
             "works and for rebuilds, and without throttles of its rebuild")

    def __init__(self):
        super().__init__()
        self.best = {}

    def create(self, shape, purpose):
        if (shape.level, purpose) not in self.best:
            raise BenchError(f"md was not tuned for {shape.level}, {purpose}")
        return self.create_with(shape, self.best[shape.level, purpose])

    def create_with(self, shape, settings):
        """The settings under test, and those that are always right."""
        always = {"safe_mode_delay": 60, "sync_speed_min": NO_LIMIT,
                  "sync_speed_max": NO_LIMIT}
        return MdArray(shape, {**settings, **always}).create()


def load_modules():
    run("modprobe", "-a", "md_mod", "raid0", "raid1", "raid10", "raid456")
