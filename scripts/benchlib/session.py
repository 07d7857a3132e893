# SPDX-License-Identifier: GPL-2.0
"""Carry out a plan on this machine: each step of it, in its order.

All that is found out goes to record(kind, **fields); see record.py.
"""

import time

from benchlib import contestants, machine, md, mqr, rebuild, sweep
from benchlib import plan as plans
from benchlib import work as works
from benchlib.contestants import Shape, check_members
from benchlib.measure import Measure
from benchlib.tool import Refused

KINDS = {kind.name: kind for kind in (
    contestants.Raw, md.Md, md.MdTuned, mqr.Mqraid, mqr.MqraidZeroCopy)}


THROTTLES = (
    "Rebuilds: md limits its own to sync_speed_max, and to sync_speed_min "
    "while there is other I/O (its defaults; see its settings). md-tuned and "
    "mqraid go as fast as they can, at the load's expense.")

# What Debian's kernels have, and most others at least.
COMMON_HZ = 250
SLOW_TICKS = (
    "md's rebuild of parity levels sleeps for a clock tick whenever its "
    "stripe cache is full. This kernel has {hz} ticks a second, Debian's "
    "{common}: there, such a rebuild is up to {times:.1f} times as fast.")


class Session:
    def __init__(self, plan, members, record, filesystem=None):
        self.plan = plan
        self.members = members
        self.record = record
        self.filesystem = filesystem
        self.measure = Measure(plan)
        self.contestants = {name: KINDS[name]() for name in plan.contestants}
        # {contestant: why}: found out only by trying.
        self.refused = {}
        self.expected = 0.0

    # -- the steps -----------------------------------------------------------

    def run(self):
        steps = plans.steps(self.plan)
        self.expected = sum(step.seconds for step in steps)
        self.remark_on_rebuilds(steps)
        do = {"raw": self.do_raw, "sweep": self.do_sweep,
              "sweep-rebuild": self.do_sweep_rebuild, "works": self.do_works,
              "rebuild": self.do_rebuild}
        begun = time.monotonic()
        planned = 0.0
        for step in steps:
            self.progress(step, planned, time.monotonic() - begun)
            if step.contestant not in self.refused:
                do[step.kind](step)
            planned += step.seconds
        for contestant in self.contestants.values():
            self.record("contestant", **contestant.report())

    def remark_on_rebuilds(self, steps):
        levels = {step.level for step in steps if step.kind == "rebuild"}
        if levels:
            self.record("note", text=THROTTLES)
        hz = machine.clock_hz()
        if levels & set(plans.PARITY) and hz and hz < COMMON_HZ:
            self.record("note", text=SLOW_TICKS.format(
                hz=hz, common=COMMON_HZ, times=COMMON_HZ / hz))

    def progress(self, step, planned, seconds):
        self.record("progress", planned=planned, total=self.expected,
                    seconds=seconds, kind=step.kind, level=step.level,
                    state=step.state, contestant=step.contestant,
                    repetition=step.repetition)

    def do_raw(self, step):
        size = self.members.size_kib * works.KIB or None
        for name in step.works:
            self.sample(step, name, *self.measure.work(
                name, self.members.devices, size=size))

    def do_sweep(self, step):
        """Try md's settings; all that was found is in the report."""
        tried = []
        for group in sweep.by_bitmap(step.level, self.plan.cpus):
            tried += self.try_group(step, group)
        self.choose(step, sweep.WORKS, tried)

    def try_group(self, step, group):
        """Settings that differ in what can be changed on the fly."""
        self.members.wipe()
        contestant = self.contestants[step.contestant]
        array = contestant.create_with(self.shape(step.level), group[0])
        try:
            return [(settings, self.try_settings(array, settings))
                    for settings in group]
        finally:
            array.stop()

    def try_settings(self, array, settings):
        array.tune(settings)
        return [self.measure.work(name, [array.device],
                                  seconds=self.plan.sweep_seconds)[2]["value"]
                for name in sweep.WORKS]

    def do_sweep_rebuild(self, step):
        """The same for the rebuild states."""
        tried = [(settings, [self.try_rebuild(step, settings)])
                 for settings in sweep.rebuilding(step.level, self.plan.cpus)]
        self.choose(step, [sweep.REBUILD], tried)

    def try_rebuild(self, step, settings):
        self.members.wipe()
        contestant = self.contestants[step.contestant]
        array = contestant.create_with(self.shape(step.level), settings)
        try:
            array.lose([0])
            self.members.wipe_one(array.shape.devices[0])
            outcome, _ = rebuild.idle(array, 0, self.members.mib,
                                      sweep.REBUILD_SECONDS)
            # None of it done is no speed to compare by logarithm.
            return max(outcome["mib_s"], 1e-3)
        finally:
            array.stop()

    def choose(self, step, names, tried):
        """Keep the best; nothing tried: there is nothing to tune."""
        kind = "rebuild" if sweep.REBUILD in names else "works"
        best = sweep.best(tried) if tried else {sweep.BITMAP: "none"}
        self.contestants[step.contestant].best[step.level, kind] = best
        for settings, values in tried:
            for name, value in zip(names, values):
                self.record("sweep", level=step.level, settings=settings,
                            work=name, value=value,
                            unit=works.WORKS[name].unit,
                            chosen=settings == best)

    def do_works(self, step):
        array = self.bring_up(step)
        if not array:
            return
        try:
            if self.filesystem:
                self.works_on_files(step, array)
            else:
                self.works_on_device(step, array)
            check_members(array, plans.LOST[step.state])
        finally:
            self.take_down(step, array)

    def works_on_device(self, step, array):
        row = works.row_bytes(step.level, plans.disks(self.plan, step.level),
                              self.plan.chunk_kib)
        for name in step.works:
            self.sample(step, name,
                        *self.measure.work(name, [array.device], row))

    def works_on_files(self, step, array):
        with self.filesystem.mounted(array.device) as files:
            for name in step.works:
                self.sample(step, name, *files.work(name))

    def do_rebuild(self, step):
        array = self.bring_up(step)
        if not array:
            return
        try:
            self.rebuild_on(step, array)
        finally:
            self.take_down(step, array)

    def rebuild_on(self, step, array):
        """The first member comes back empty."""
        self.members.wipe_one(array.shape.devices[0])
        load, cpu_seconds = None, None
        if step.state == "rebuild":
            outcome, cpu_seconds = rebuild.idle(
                array, 0, self.members.mib, self.plan.rebuild_seconds)
        else:
            load = works.LOAD.name
            outcome, measured = rebuild.loaded(array, 0, self.members.mib,
                                               self.plan)
            self.sample(step, load, *measured)
        self.sample(step, "rebuild", "driver", array.commands[-1],
                    rebuild.sample(outcome, cpu_seconds))
        self.record("rebuild", level=step.level, load=load,
                    contestant=step.contestant, repetition=step.repetition,
                    **outcome)

    # -- what they have in common --------------------------------------------

    def shape(self, level):
        count = plans.disks(self.plan, level)
        return Shape(level, self.members.devices[:count],
                     self.plan.chunk_kib, self.plan.cpus,
                     self.members.size_kib)

    def bring_up(self, step):
        """A fresh array in the step's state; None if it is refused."""
        contestant = self.contestants[step.contestant]
        self.members.wipe()
        try:
            array = contestant.create(self.shape(step.level), step.kind)
        except Refused as refusal:
            self.refused[step.contestant] = str(refusal)
            self.record("skip", what=step.contestant, why=str(refusal))
            return None
        try:
            lost = plans.LOST[step.state]
            array.lose(range(lost))
            check_members(array, lost)
        except BaseException:
            array.stop()
            raise
        return array

    def take_down(self, step, array):
        array.stop()
        self.contestants[step.contestant].remember(
            step.level if step.kind == "works" else f"{step.level} rebuild",
            array)

    def sample(self, step, name, tool, command, sample):
        self.record("sample", level=step.level or None,
                    state=step.state or "raw", work=name,
                    fs=self.plan.fs or None, cpus=self.plan.cpus,
                    contestant=step.contestant, tool=tool, command=command,
                    unit=works.WORKS[name].unit,
                    sample={**sample, "repetition": step.repetition})


def facts(record):
    """Machine and versions; what is missing is found out before the run."""
    mqr.need()
    record("machine", **machine.machine())
    record("versions", **machine.versions())
