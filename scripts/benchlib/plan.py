# SPDX-License-Identifier: GPL-2.0
"""What is measured, in which order, and how long that takes.  Pure.

A plan is a list of steps.  Repetitions are interleaved: all contestants do a
repetition of a level and state before the next one begins, each time in
another order, so that what drifts meets all of them alike.
"""

import dataclasses

from benchlib.work import ENGINE, FIO, WORKS, row_bytes

LEVELS = ("raid6", "raid5", "raid10", "raid0", "raid1")
PARITY = ("raid6", "raid5")
STATES = ("healthy", "lost1", "lost2", "rebuild", "rebuild-load")
CONTESTANTS = ("raw", "md", "md-tuned", "mqraid", "mqraid-zc")
# Members whose loss a level survives, whichever they are.
SURVIVES = {"raid6": 2, "raid5": 1, "raid10": 1, "raid1": 1, "raid0": 0}
LOST = {"healthy": 0, "lost1": 1, "lost2": 2, "rebuild": 1, "rebuild-load": 1}
REBUILDS = ("rebuild", "rebuild-load")
MIRROR_DISKS = 2

# Seconds beside the measurements, for the estimate only.
ARRAY_SECONDS = 0.6
REBUILD_SECONDS = 0.8
WORK_SECONDS = 0.02
FIO_SECONDS = 0.6

QUICK_WORKS = ("seqwrite-1m", "rowwrite", "seqread-1m", "randwrite-4k",
               "randread-4k", "lat-write-4k")
# The default profile: RAID 6 gets all works, the others what ten minutes
# leave for them.
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
    seconds: float = 0.3
    warmup: float = 0.06
    repetitions: int = 3
    rebuild_seconds: float = 2.0
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
              "works": QUICK_WORKS, "seconds": 0.25, "warmup": 0.05,
              "rebuild_seconds": 3.0},
}


@dataclasses.dataclass(frozen=True)
class Step:
    """kind: raw, sweep, works or rebuild; seconds: about how long."""

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


def why_not_contestant(plan, level, contestant):
    """Why a contestant has nothing to show at a level, or None."""
    if contestant == "md-tuned" and level == "raid0":
        return "md has no tunables for RAID 0"
    if contestant == "mqraid-zc" and level not in PARITY:
        return "zero_copy is for parity levels; mirrors never copy"
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
        return tuple(ENGINE + FIO) if state == "healthy" else tuple(ENGINE)
    return OTHERS_HEALTHY if state == "healthy" else OTHERS_LOST


def works_of(plan, level, state):
    return tuple(name for name in wished_works(plan, level, state)
                 if not why_not_work(plan, level, name))


def contestants_of(plan, level):
    return [name for name in plan.contestants if name != "raw" and
            not why_not_contestant(plan, level, name)]


def groups(plan):
    """Levels and states that get measured, in order."""
    return [(level, state) for level in plan.levels for state in plan.states
            if not why_not_state(level, state) and
            not (plan.fs and state in REBUILDS)]


def skips(plan):
    """What was asked for and cannot be: (what, why)."""
    found = {}
    for level in plan.levels:
        for state in plan.states:
            why = why_not_state(level, state) or (
                "rebuilds are measured without a file system"
                if plan.fs and state in REBUILDS else None)
            found[f"{level} {state}"] = why
            if state in REBUILDS or why:
                continue
            for name in wished_works(plan, level, state):
                found[f"{level} {name}"] = why_not_work(plan, level, name)
        for name in plan.contestants:
            found[f"{level} {name}"] = why_not_contestant(plan, level, name)
    return [(what, why) for what, why in found.items() if why]


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
    if state in REBUILDS:
        # md with its default throttle takes all of the time there is.
        seconds = plan.rebuild_seconds * (1.0 if "md" in contestant else 0.4)
        return Step("rebuild", level, state, contestant, repetition,
                    seconds=seconds + REBUILD_SECONDS)
    works = works_of(plan, level, state)
    return Step("works", level, state, contestant, repetition, works,
                ARRAY_SECONDS + sum(work_seconds(plan, name)
                                    for name in works))


def sweep_steps(plan, level, candidates):
    if "md-tuned" not in contestants_of(plan, level):
        return []
    seconds = ARRAY_SECONDS + 2 * (plan.sweep_seconds * 1.3 + WORK_SECONDS)
    return [Step("sweep", level, contestant="md-tuned",
                 seconds=seconds * len(candidates(level, plan.cpus)))]


def raw_step(plan, repetition):
    works = raw_works(plan)
    return Step("raw", contestant="raw", repetition=repetition, works=works,
                seconds=sum(work_seconds(plan, name) for name in works))


def steps(plan, candidates):
    """The whole run; @candidates(level, cpus) are those of md's sweep."""
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
            result += sweep_steps(plan, level, candidates)
        for name in rotated(contestants_of(plan, level), repetition):
            result.append(works_step(plan, level, state, repetition, name))
    return result


def total_seconds(plan, candidates):
    return sum(step.seconds for step in steps(plan, candidates))
