# SPDX-License-Identifier: GPL-2.0
"""The load while a member is rebuilt: what it gets, as time goes by.

interval() is (iops, p99 latency in µs) since the last call, None for what
isn't known; stop() ends the load and is (tool, command, sample).
"""

import signal
import subprocess
import time

from benchlib import fio, gen, work as works
from benchlib.cpu import Meter
from benchlib.tool import BenchError, block_name, read

# The load must outlast the rebuild, and is stopped then.
SPARE_SECONDS = 30
# Columns of /sys/block/NAME/stat: completed reads and writes.
READS, WRITES = 0, 4


class GeneratorLoad:
    def __init__(self, device, plan):
        self.settings = gen.settings_of(
            works.LOAD, [device], plan.cpus, None,
            plan.rebuild_seconds + SPARE_SECONDS)
        self.settings["lat"] = 1
        gen.start(self.settings)
        self.meter = Meter()

    def interval(self):
        return rates(gen.interval())

    def stop(self):
        cpu_seconds = self.meter.seconds()
        sample = gen.sample(works.LOAD, gen.stop(), cpu_seconds)
        return "mqrgen", gen.words(**self.settings), sample

    def abandon(self):
        gen.stop()


def rates(numbers):
    if numbers["errors"]:
        raise BenchError(f"{numbers['errors']} I/O errors during the rebuild")
    if not numbers["ns"]:
        return None, None
    iops = numbers["ios"] / numbers["ns"] * 1e9
    return iops, numbers["lat_p99_ns"] / 1000 if numbers["ios"] else None


class FioLoad:
    """fio tells only at its end; until then the device's counters do."""

    def __init__(self, device, plan):
        self.stat = f"/sys/class/block/{block_name(device)}/stat"
        self.argv = fio.arguments(works.LOAD, device, plan.cpus,
                                  plan.rebuild_seconds + SPARE_SECONDS)
        self.process = subprocess.Popen(
            self.argv, stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.last = (time.monotonic(), self.count())
        self.meter = Meter()
        try:
            self.wait_for_io()
        except BenchError:
            self.abandon()
            raise

    def wait_for_io(self):
        """fio starts slowly, and the rebuild must not be alone."""
        deadline = time.monotonic() + 60
        while self.count() < self.last[1] + 100:
            if self.process.poll() is not None or \
               time.monotonic() > deadline:
                raise BenchError("fio puts no load on the array")
            time.sleep(0.02)

    def count(self):
        words = read(self.stat).split()
        return int(words[READS]) + int(words[WRITES])

    def interval(self):
        now, count = time.monotonic(), self.count()
        (before, had), self.last = self.last, (now, count)
        return (count - had) / (now - before) if now > before else None, None

    def stop(self):
        cpu_seconds = self.meter.seconds()
        self.process.send_signal(signal.SIGINT)
        text, errors = self.process.communicate(timeout=60)
        sample = fio.parse(text + errors, works.LOAD)
        if sample["errors"]:
            raise BenchError(f"the load met {sample['errors']} errors")
        sample |= {"cpu_seconds": cpu_seconds}
        return "fio", " ".join(self.argv), sample

    def abandon(self):
        self.process.kill()
        self.process.wait()


def begin(device, plan):
    kind = GeneratorLoad if plan.engine == "mqrgen" else FioLoad
    return kind(device, plan)
