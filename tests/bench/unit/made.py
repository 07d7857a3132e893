# SPDX-License-Identifier: GPL-2.0
"""Results made by hand, for tests of what shows and checks them."""

from benchlib import result
from benchlib import work as works

RAW = {"randread-4k": 8e6, "randwrite-4k": 4e6, "mix70-4k": 6e6,
       "seqwrite-128k": 140000, "seqread-128k": 150000, "lat-read-4k": 1.0,
       "lat-write-4k": 2.0}
# What contestants get of it, in times; latencies the other way round.
SPEED = {"raw": 1, "md": 0.01, "md-tuned": 0.02, "mqraid": 0.1,
         "mqraid-zc": 0.15}


def sample(value, **fields):
    return {"value": value, "seconds": 0.5, "ios": 1000, "bytes": 4096000,
            "errors": 0, "cpu_seconds": 0.25, **fields}


def empty(guest="uml", drives=8, command="scripts/bench"):
    contestants = [{"name": name, "about": f"about {name}", "settings": {},
                    "commands": []} for name in SPEED]
    return result.Result(
        command, "quick",
        {"cpu": "Test CPU", "cpus": 2, "memory_mib": 4096, "kernel": "7.3.4",
         "guest": guest}, {"mqraid": "0.1.0", "mdadm": "4.2"},
        {"levels": ["raid6"], "chunk_kib": 128, "drives": drives,
         "drive_kind": "mqrsink", "drive_mib": 1024, "seconds": 0.4,
         "repetitions": 3, "noise_limit": 1.15}, contestants)


def add(made, level, state, work, contestant, *values, cpus=2, fs=None,
        tool="mqrgen", **fields):
    """Add a cell of these values; returns it."""
    cell = None
    for value in values:
        cell = made.add_sample(level, state, work, fs, cpus, contestant, tool,
                               f"{tool} {work}", works.WORKS[work].unit,
                               sample(value, **fields))
    return cell


def value_of(work, contestant, factor=1.0):
    speed = SPEED[contestant] * factor
    unit = works.WORKS[work].unit
    return RAW[work] / speed if unit == "us" else RAW[work] * speed


def full(factor=1.0, cpus=(2,), **settings):
    """RAID 6, all kinds of cells; @factor makes contestants but raw faster."""
    made = empty(**settings)
    for count in cpus:
        for work in RAW:
            for contestant in SPEED:
                raw = contestant == "raw"
                value = value_of(work, contestant, 1 if raw else factor)
                for state in ("raw",) if raw else ("healthy", "lost1"):
                    add(made, None if raw else "raid6", state, work,
                        contestant, value * 0.98, value, value * 1.02,
                        cpus=count)
    return made


def add_rebuilds(made, seconds=2, complete=True):
    for load in (None, "mix70-4k"):
        for contestant in ("md", "mqraid"):
            speed = 400 if contestant == "md" else 1200
            made.add_rebuild(
                "raid6", load, contestant, 0, complete, seconds, speed,
                [{"t": 0.1 * step, "done_mib": speed * 0.1 * step,
                  "load_iops": 1e5 if load else None,
                  "load_p99_us": 500.0 if load else None}
                 for step in range(seconds * 10)])
    return made
