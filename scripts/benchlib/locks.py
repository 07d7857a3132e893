# SPDX-License-Identifier: GPL-2.0
"""Which locks are taken for an I/O, by the kernel's lock statistics.

The driver's own are those that its sources initialise; the others are those
of the layers below, the contended ones first.
"""

import glob
import os
import re

from benchlib import gen, plan as plans, rebuild, work as works
from benchlib.contestants import Shape
from benchlib.mqr import Mqraid
from benchlib.tool import (CHECKOUT, BenchError, block_name, read, write)

STAT = "/proc/lock_stat"
SWITCH = "/proc/sys/kernel/lock_stat"
SECONDS = 1.0
REBUILD_SECONDS = 10.0
# So many of those below are worth a look, if they are taken that often or
# anybody ever waited.
SHOWN = 8
OFTEN = 0.01
# Annotated as locks, but nobody waits for another reader, work or user of
# these; the last one is of the debug kernel's own checks.
NO_LOCKS = ("rcu_read_lock", "seqcount", "_completion)", "q_usage_counter",
            "&obj_hash[i].lock")

# What gives a lock its name in the statistics: the text of the argument.
DYNAMIC = re.compile(
    r"\b(?:mutex_init|(?:raw_)?spin_lock_init|rwlock_init|init_rwsem|"
    r"sema_init|init_waitqueue_head|init_swait_queue_head|"
    r"percpu_init_rwsem|seqcount_init|seqlock_init|local_lock_init|"
    r"ww_mutex_init)\(\s*(&?[^,()]+?)\s*[,)]")
STATIC = re.compile(
    r"\b(?:DEFINE_(?:MUTEX|(?:RAW_)?SPINLOCK|RWLOCK|SEMAPHORE|SEQLOCK|"
    r"STATIC_PERCPU_RWSEM)|DECLARE_(?:RWSEM|WAIT_QUEUE_HEAD))\(\s*(\w+)")
# NAME: and 12 columns; the lines below with call sites have no colon.
LINE = re.compile(r"^\s*(\S.*?):((?:\s+-?[\d.]+){12})\s*$")
CONTENTIONS, ACQUISITIONS = 1, 7


# --- pure ----------------------------------------------------------------------

def names_in(source):
    """Names that locks of a C source get."""
    return set(DYNAMIC.findall(source)) | set(STATIC.findall(source))


def plain(name):
    """Without what the statistics append: reader or writer, which of several
    classes of that name, nesting."""
    return re.sub(r"(?:[#/]\d+)*(?:-[RW])?$", "", name)


def parse(text):
    """{name: (contentions, acquisitions)} of /proc/lock_stat."""
    found = {}
    for line in text.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        numbers = match[2].split()
        name = plain(match[1])
        had = found.get(name, (0, 0))
        found[name] = (had[0] + int(numbers[CONTENTIONS]),
                       had[1] + int(numbers[ACQUISITIONS]))
    return found


def report(path, ios, stat, own):
    """What the result says about a path."""
    mine = {name: counts for name, counts in stat.items()
            if name in own and counts[1]}
    below = {name: counts for name, counts in stat.items()
             if name not in own and (counts[0] or counts[1] >= OFTEN * ios)
             and not any(word in name for word in NO_LOCKS)}
    most = sorted(below.items(), key=lambda item: item[1], reverse=True)
    return {
        "path": path, "ios": ios,
        "own": [{"name": name, "per_io": counts[1] / ios}
                for name, counts in sorted(mine.items())],
        "contended": [{"name": name, "per_io": counts[1] / ios,
                       "contentions": counts[0]} for name, counts in most[:SHOWN]]}


# --- measuring -------------------------------------------------------------------

def own_names():
    found = set()
    for path in glob.glob(os.path.join(CHECKOUT, "driver", "*.[ch]")):
        found |= names_in(read(path))
    if not found:
        raise BenchError("no lock is initialised in driver/: its sources are "
                         "not where they should be")
    return found


def need():
    if not os.path.exists(SWITCH):
        raise BenchError("this kernel has no lock statistics: --locks needs "
                         "the debug kernel of the uml guest")


class Statistics:
    """From begin to end of a with block; all of it is kept beside the
    guest's logs."""

    def __init__(self, path):
        self.file = os.path.join(os.environ["MQR_OUT"], f"lock_stat.{path}")

    def __enter__(self):
        # Whatever is written clears it.
        write(SWITCH, 0)
        write(STAT, 0)
        write(SWITCH, 1)
        return self

    def __exit__(self, *_):
        write(SWITCH, 0)
        text = read(STAT)
        write(self.file, text)
        self.stat = parse(text)


class Locks:
    """Counts them on the paths of an array of mqraid."""

    def __init__(self, plan, members, record):
        self.plan = plan
        self.members = members
        self.record = record
        self.own = own_names()
        self.level = plan.levels[0]

    def run(self):
        self.path("write", 0, ("randwrite-4k", "rowwrite"))
        self.path("read", 0, ("randread-4k", "seqread-128k"))
        if plans.SURVIVES[self.level]:
            self.path("degraded", 1, ("mix70-4k",))
            self.rebuild()

    def array(self, lost):
        self.members.wipe()
        count = plans.disks(self.plan, self.level)
        array = Mqraid().create(Shape(
            self.level, self.members.devices[:count], self.plan.chunk_kib,
            self.plan.cpus), "works")
        array.lose(range(lost))
        return array

    def settings(self, array, name):
        row = works.row_bytes(self.level, len(array.shape.devices),
                              self.plan.chunk_kib) or works.MIB
        return gen.settings_of(works.WORKS[name], [array.device],
                               self.plan.cpus, row, SECONDS)

    def path(self, path, lost, names):
        array = self.array(lost)
        try:
            # The first write of an array changes its state.
            gen.go({**self.settings(array, names[0]), "ms": 200})
            with Statistics(path) as statistics:
                done = [gen.go(self.settings(array, name)) for name in names]
        finally:
            array.stop()
        for numbers, name in zip(done, names):
            gen.sample(works.WORKS[name], numbers, None)
        self.record("locks", **report(
            path, sum(numbers["ios"] for numbers in done), statistics.stat,
            self.own))

    def rebuild(self):
        """What counts as an I/O is that of a member, there being no user's."""
        array = self.array(1)
        self.members.wipe_one(array.shape.devices[0])
        try:
            before = self.member_ios(array)
            with Statistics("rebuild") as statistics:
                rebuild.idle(array, 0, self.members.mib, REBUILD_SECONDS)
            ios = self.member_ios(array) - before
        finally:
            array.stop()
        self.record("locks", **report("rebuild", ios, statistics.stat,
                                      self.own))

    @staticmethod
    def member_ios(array):
        stats = [read(f"/sys/class/block/{block_name(device)}/stat").split()
                 for device in array.shape.devices]
        return sum(int(words[0]) + int(words[4]) for words in stats)
