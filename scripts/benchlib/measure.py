# SPDX-License-Identifier: GPL-2.0
"""One figure: warm up, do a work for some time, and take the sample."""

import shlex

from benchlib import fio, gen, plan as plans
from benchlib import work as works
from benchlib.cpu import Meter
from benchlib.tool import BenchError, run


class Measure:
    """How works are done on devices or files of this machine."""

    def __init__(self, plan):
        self.plan = plan

    def work(self, name, targets, row=None, seconds=None, size=None):
        """(tool, command, sample) of a work on @targets.

        @row: bytes of a full stripe; @size: bytes to use of each target.
        """
        tool = plans.tool(self.plan, name)
        seconds = seconds or self.plan.seconds
        warmup = seconds * self.plan.warmup / self.plan.seconds
        do = self.generator if tool == "mqrgen" else self.fio
        return tool, *do(works.WORKS[name], targets, row, size, seconds,
                         warmup)

    def generator(self, work, targets, row, size, seconds, warmup):
        def settings(duration):
            return gen.settings_of(work, targets, self.plan.cpus, row,
                                   duration, size)

        gen.go(settings(warmup))
        meter = Meter()
        numbers = gen.go(settings(seconds))
        sample = gen.sample(work, numbers, meter.seconds())
        return gen.words(**settings(seconds)), sample

    def fio(self, work, targets, row, size, seconds, warmup):
        def argv(duration):
            return fio.arguments(work, targets,
                                 works.jobs_of(work, self.plan.cpus),
                                 duration, row, size)

        # fio has a warm-up of its own (ramp_time), which wouldn't be in our
        # accounting of CPU time; a first run also lays out files.
        run(*argv(warmup), patience=600)
        meter = Meter()
        text = run(*argv(seconds), patience=600 + 10 * seconds)
        cpu_seconds = meter.seconds()
        sample = fio.parse(text, work)
        if sample["errors"]:
            raise BenchError(f"{work.name}: fio met {sample['errors']} errors")
        return shlex.join(argv(seconds)), sample | {"cpu_seconds": cpu_seconds}
