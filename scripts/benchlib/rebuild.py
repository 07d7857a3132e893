# SPDX-License-Identifier: GPL-2.0
"""A rebuild, idle or under load, watched while it runs."""

import time

from benchlib import load as loads
from benchlib.cpu import Meter

# Often enough for rebuilds of half a second; it isn't a busy loop.
INTERVAL = 0.02
# A point of the load's latency needs some I/Os.
POINT_INTERVAL = 0.1
KIB_PER_MIB = 1024


class Watch:
    """The progress of a rebuild, from when it was asked for."""

    def __init__(self, array, total_mib):
        self.array = array
        self.total = total_mib
        self.begun = time.monotonic()
        self.series = []
        self.before = self.done = 0.0
        self.complete = False

    def asked(self):
        """The request is through; programs that make it take their time."""
        if not self.look():
            self.before = self.done
            self.begun = time.monotonic()

    def seconds(self):
        return time.monotonic() - self.begun

    def look(self):
        """See how far it is; true when it is over."""
        progress = self.array.progress()
        if progress:
            done, total = progress
            # md's count is of what was sent off less what is not back yet.
            self.done = max(self.done, done / KIB_PER_MIB)
            self.total = total / KIB_PER_MIB
        elif self.array.rebuilt():
            self.done = self.total
            self.complete = True
        return self.complete

    def until_done(self, limit, rates):
        """Poll until the rebuild or the time is over."""
        following = 0.0
        while True:
            over = self.look() or self.seconds() >= limit
            if over or self.seconds() >= following:
                self.point(*rates())
                following += POINT_INTERVAL
            if over:
                return
            time.sleep(INTERVAL)

    def point(self, iops, p99):
        self.series.append({"t": self.seconds(), "done_mib": self.done,
                            "load_iops": iops, "load_p99_us": p99})

    def outcome(self):
        seconds = max(self.series[-1]["t"], 1e-3)
        return {"complete": self.complete, "seconds": seconds,
                "mib_s": (self.done - self.before) / seconds,
                "series": self.series}


def watch(array, slot, total_mib, limit, rates):
    watched = Watch(array, total_mib)
    array.replace(slot)
    watched.asked()
    rates()
    watched.until_done(limit, rates)
    return watched.outcome()


def idle(array, slot, total_mib, limit):
    """Rebuild a slot with nothing else going on: (outcome, CPU seconds)."""
    meter = Meter()
    outcome = watch(array, slot, total_mib, limit, lambda: (None, None))
    return outcome, meter.seconds()


def loaded(array, slot, total_mib, plan):
    """The same under load: (outcome, what load.stop() tells)."""
    load = loads.begin(array.device, plan)
    try:
        outcome = watch(array, slot, total_mib, plan.rebuild_seconds,
                        load.interval)
    except BaseException:
        load.abandon()
        raise
    return outcome, load.stop()


def sample(outcome, cpu_seconds):
    """As a cell wants it: the replaced member is what counts."""
    size = int(outcome["mib_s"] * outcome["seconds"] * (1 << 20))
    return {"value": outcome["mib_s"],
            "seconds": outcome["seconds"], "ios": 0, "bytes": size,
            "errors": 0, "cpu_seconds": cpu_seconds, "latency_us": None}
