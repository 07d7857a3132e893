# SPDX-License-Identifier: GPL-2.0
"""What is measured, in which order, and how long that takes.  Pure.

A plan is a list of steps.  Repetitions are interleaved: all contestants do a
repetition of a level and state before the next one begins, each time in
another order, so that what drifts meets all of them alike.
"""

import dataclasses

from benchlib import sweep
from benchlib.work import ENGINE, FIO, WORKS, row_bytes

LEVELS = ("raid6", "raid5", "raid10", "raid0", "raid1")
PARITY = sweep.PARITY
STATES = ("healthy", "lost1", "lost2", "rebuild", "rebuild-load")
CONTESTANTS = ("raw", "md", "md-tuned", "mqraid", "mqraid-zc")
# Members whose loss a level survives, whichever they are.
SURVIVES = {"raid6": 2, "raid5": 1, "raid10": 1, "raid1": 1, "raid0": 0}
# Above this mdadm makes a bitmap unless it is told not to.
BITMAP_MIB = 100 * 1024
LOST = {"healthy": 0, "lost1": 1, "lost2": 2, "rebuild": 1, "rebuild-load": 1}
REBUILDS = ("rebuild", "rebuild-load")
MIRROR_DISKS = 2

# Seconds beside the measurements, for the estimate only: an array made and
# stopped, one measurement, two starts of fio.
ARRAY_SECONDS = {"md": 1.05, "md-tuned": 1.1, "mqraid": 0.75,
                 "mqraid-zc": 0.8}
WORK_SECONDS = 0.05
FIO_SECONDS = 0.7

QUICK_WORKS = ("seqwrite-1m", "rowwrite", "seqread-1m", "randwrite-4k",
               "randread-4k", "lat-write-4k")
# The default profile: RAID 6 gets nearly all works, the others what ten
# minutes leave for them.
RAID6_FIO = ("dsync-4k", "classic-1m-write", "classic-4k-write")
OTHERS_HEALTHY = ("seqwrite-1m", "rowwrite", "seqread-1m", "randwrite-4k",
                  "randread-4k", "mix70-4k", "lat-read-4k", "lat-write-4k")
OTHERS_LOST = ("seqwrite-1m", "seqread-1m", "randwrite-4k", "randread-4k",
               "lat-read-4k")
FS_WORKS = ("seqwrite-1m", "seqread-1m", "randwrite-4k", "randread-4k",
            "mix70-4k", "dsync-4k", "objects")


@dataclasses.dataclass
class Plan:
    """All parameters of a run; goes to the guest as JSON."""

    profile: str = "default"
    levels: tuple = LEVELS
    states: tuple = STATES
    works: tuple = ()
    contestants: tuple = CONTESTANTS
    chunk_kib: int = 128
    drives: int = 8
    member_mib: int = 4096
    seconds: float = 0.25
    warmup: float = 0.05
    repetitions: int = 3
    rebuild_seconds: float = 1.5
    sweep_seconds: float = 0.15
    fs: str = ""
    engine: str = "mqrgen"
    cpus: int = 1

    @classmethod
    def of(cls, values):
        """From what dataclasses.asdict() made, perhaps through JSON."""
        return cls(**{key: tuple(value) if isinstance(value, list) else value
                      for key, value in values.items()})


PROFILES = {
    "default": {},
    "quick": {"levels": ("raid6",), "states": ("healthy", "lost1", "rebuild"),
              "works": QUICK_WORKS},
}


@dataclasses.dataclass(frozen=True)
class Step:
    """kind: raw, sweep, sweep-rebuild, works or rebuild; seconds: about how
    long."""

    kind: str
    level: str = ""
    state: str = ""
    contestant: str = ""
    repetition: int = 0
    works: tuple = ()
    seconds: float = 0.0


def disks(plan, level):
    return MIRROR_DISKS if level == "raid1" else plan.drives


def tool(plan, name):
    """The program that makes the numbers of a work."""
    work = WORKS[name]
    if work.tool != "engine":
        return work.tool
    return "fio" if plan.fs else plan.engine


def why_not_state(level, state):
    """Why a level cannot be in a state, or None."""
    if LOST[state] <= SURVIVES[level]:
        return None
    if level == "raid10":
        return "RAID 10 survives a second loss only of some members"
    return f"{level} does not survive {LOST[state]} lost"


def why_not_contestant(plan, level, state, contestant):
    """Why a contestant has nothing to show at a place, or None."""
    if contestant == "mqraid-zc" and level not in PARITY:
        return "zero_copy is for parity levels; mirrors never copy"
    if contestant != "md-tuned" or level in PARITY:
        return None
    if level == "raid0":
        return "md has no tunables for RAID 0"
    if state not in REBUILDS and plan.member_mib < BITMAP_MIB:
        return ("md's only tunable for works of mirrors is the bitmap, and "
                "mdadm leaves it out on drives of that size")
    return None


def why_not_work(plan, level, name):
    """Why a work makes no sense at a level, or None."""
    if WORKS[name].rows and row_bytes(level, disks(plan, level),
                                      plan.chunk_kib) is None:
        return f"{level} has no stripes to fill"
    if WORKS[name].rows and plan.fs:
        return "files are not aligned to stripes"
    if name == "objects" and not plan.fs:
        return "it needs --fs"
    return None


def wished_works(plan, level, state):
    """Works of a level and state, possible or not."""
    if plan.works:
        return tuple(name for name in plan.works if name != "rebuild")
    if plan.fs:
        return FS_WORKS
    if level == "raid6":
        return (*ENGINE, *RAID6_FIO) if state == "healthy" else tuple(ENGINE)
    return OTHERS_HEALTHY if state == "healthy" else OTHERS_LOST


def works_of(plan, level, state):
    return tuple(name for name in wished_works(plan, level, state)
                 if not why_not_work(plan, level, name))


def contestants_of(plan, level, state):
    return [name for name in plan.contestants if name != "raw" and
            not why_not_contestant(plan, level, state, name)]


def groups(plan):
    """Levels and states that get measured, in order."""
    return [(level, state) for level in plan.levels for state in plan.states
            if not why_not_state(level, state) and
            not (plan.fs and state in REBUILDS)]


def skips(plan):
    """What was asked for and cannot be: (what, why)."""
    found = {}
    for level in plan.levels:
        possible = []
        for state in plan.states:
            found[f"{level} {state}"] = why = why_not_state(level, state) or (
                "rebuilds are measured without a file system"
                if plan.fs and state in REBUILDS else None)
            if not why:
                possible.append(state)
        for state in possible:
            if state not in REBUILDS:
                for name in wished_works(plan, level, state):
                    found[f"{level} {name}"] = why_not_work(plan, level, name)
        found |= contestant_skips(plan, level, possible)
    return [(what, why) for what, why in found.items() if why]


def contestant_skips(plan, level, states):
    """{what: why}; states are named only if it isn't all of them."""
    found = {}
    for name in plan.contestants:
        whys = {state: why_not_contestant(plan, level, state, name)
                for state in states}
        for why in set(filter(None, whys.values())):
            where = [state for state in states if whys[state] == why]
            place = "" if where == states else f" {', '.join(where)}"
            found[f"{level}{place} {name}"] = why
    return found


def left_out(plan):
    """Works that the profile has no time for: {level and state: works}."""
    if plan.works or plan.fs:
        return {}
    wanted = [name for name in ENGINE + FIO]
    found = {}
    for level, state in groups(plan):
        if state in REBUILDS:
            continue
        rest = [name for name in wanted
                if name not in wished_works(plan, level, state)]
        if rest:
            found[f"{level} {state}"] = rest
    return found


def raw_works(plan):
    """What the limits of all cells are computed from."""
    wanted = set()
    for level, state in groups(plan):
        if state not in REBUILDS:
            wanted |= set(works_of(plan, level, state))
    rebuilds = any(state in REBUILDS for _, state in groups(plan))
    if "rowwrite" in wanted or rebuilds:
        wanted |= {"seqwrite-128k"}
    # Degraded and mixed I/O is made of reads and writes of members.
    for family in (("randwrite-4k", "randread-4k", "mix70-4k"),
                   ("seqwrite-1m", "seqread-1m"),
                   ("seqwrite-128k", "seqread-128k"),
                   ("lat-read-4k", "lat-write-4k"),
                   ("classic-1m-read", "classic-1m-write"),
                   ("classic-4k-read", "classic-4k-write")):
        if wanted & set(family):
            wanted |= set(family)
    return tuple(name for name in WORKS if name in wanted
                 and name not in ("rowwrite", "objects", "rebuild"))


def rotated(names, repetition):
    """Another one begins each time."""
    if not names:
        return []
    first = repetition % len(names)
    return list(names[first:]) + list(names[:first])


def work_seconds(plan, name):
    extra = WORK_SECONDS if tool(plan, name) == "mqrgen" else FIO_SECONDS
    return plan.seconds + plan.warmup + extra


def works_step(plan, level, state, repetition, contestant):
    seconds = ARRAY_SECONDS[contestant]
    if state in REBUILDS:
        return Step("rebuild", level, state, contestant, repetition,
                    seconds=seconds + plan.rebuild_seconds)
    works = works_of(plan, level, state)
    seconds += sum(work_seconds(plan, name) for name in works)
    return Step("works", level, state, contestant, repetition, works, seconds)


def sweep_steps(plan, level):
    """md's settings are tried before md-tuned is measured with the best."""
    states = {state for of, state in groups(plan) if of == level and
              "md-tuned" in contestants_of(plan, level, state)}
    once = 1.3 * plan.sweep_seconds + WORK_SECONDS
    found = []
    if states - set(REBUILDS):
        found.append(Step(
            "sweep", level, contestant="md-tuned", works=sweep.WORKS,
            seconds=sum(ARRAY_SECONDS["md"] + len(group) * 2 * once
                        for group in sweep.by_bitmap(level, plan.cpus))))
    if states & set(REBUILDS):
        tried = len(sweep.rebuilding(level, plan.cpus))
        found.append(Step(
            "sweep-rebuild", level, contestant="md-tuned",
            works=(sweep.REBUILD,) * bool(tried),
            seconds=tried * (ARRAY_SECONDS["md"] + sweep.REBUILD_SECONDS)))
    return found


def raw_step(plan, repetition):
    works = raw_works(plan)
    return Step("raw", contestant="raw", repetition=repetition, works=works,
                seconds=sum(work_seconds(plan, name) for name in works))


def steps(plan):
    """The whole run."""
    result = []
    rounds = [(level, state, repetition) for level, state in groups(plan)
              for repetition in range(plan.repetitions)]
    # The limits' repetitions are spread over the run, as what drifts would
    # otherwise be a difference between levels.
    raw_at = {number * len(rounds) // plan.repetitions: number
              for number in range(plan.repetitions)} \
        if "raw" in plan.contestants and not plan.fs else {}
    swept = set()
    for position, (level, state, repetition) in enumerate(rounds):
        if position in raw_at:
            result.append(raw_step(plan, raw_at[position]))
        if level not in swept:
            swept.add(level)
            result += sweep_steps(plan, level)
        for name in rotated(contestants_of(plan, level, state), repetition):
            result.append(works_step(plan, level, state, repetition, name))
    return result


def total_seconds(plan):
    return sum(step.seconds for step in steps(plan))
