# SPDX-License-Identifier: GPL-2.0
"""Two results: what got slower or faster beyond the noise.

A cell has changed if its medians differ by more than the noise of either run
and no repetition of one run reaches into the range of the other.  If it is a
cell of ours and got worse by more than the given percentage, that is a
regression.  md and the raw members are watched as well: if they have moved,
the machine is not what it was.
"""

from typing import NamedTuple

from benchlib import names, stats
from benchlib.schema import cell_key

# Whose regressions count.
OURS = ("mqraid", "mqraid-zc")
MACHINE = (("machine", "cpu"), ("machine", "cpus"), ("machine", "kernel"),
           ("machine", "guest"), ("parameters", "drives"),
           ("parameters", "chunk_kib"), ("parameters", "drive_kind"),
           ("parameters", "drive_mib"), ("parameters", "seconds"))


class Change(NamedTuple):
    """times: how many times better the new figure is."""

    cell: dict
    before: dict
    times: float
    beyond_noise: bool

    @property
    def ours(self):
        return self.cell["contestant"] in OURS

    def worse(self, percent):
        """In rates: 100 of 125 is 20 % worse, and so is 125 µs after 100."""
        return self.beyond_noise and self.times < 1 - percent / 100


def apart(one, other):
    """No repetition of one is within the range of the other."""
    return one["max"] < other["min"] or other["max"] < one["min"]


def change_of(before, cell):
    """None if one of them measured nothing."""
    times = stats.better(cell["median"], before["median"], cell["better"])
    if times is None:
        return None
    noises = before["noise"], cell["noise"]
    noise = None if None in noises else max(noises)
    return Change(cell, before, times, bool(
        noise and max(times, 1 / times) > noise and apart(before, cell)))


def compare(old, new, percent):
    """(lines to print, whether there is a regression of over @percent)"""
    before = {cell_key(cell): cell for cell in old["cells"]}
    now = {cell_key(cell): cell
           for cell in sorted(new["cells"], key=names.cell_rank)}
    both = [key for key in now if key in before and
            now[key]["unit"] == before[key]["unit"]]
    changes = [change_of(before[key], now[key]) for key in both]
    void = [key for key, change in zip(both, changes) if not change]
    changes = [change for change in changes if change]
    regressed = [change for change in changes
                 if change.ours and change.worse(percent)]

    lines = list(differences(old, new))
    lines += drift(changes)
    lines += listing(f"regressions of more than {percent:g} %", regressed)
    lines += listing("slower", sorted(
        (change for change in changes if change.ours and change.times < 1 and
         change.beyond_noise and change not in regressed),
        key=lambda change: change.times))
    lines += listing("faster", sorted(
        (change for change in changes if change.ours and change.times > 1 and
         change.beyond_noise), key=lambda change: -change.times))
    lines += missing("only in the old result", before, now)
    lines += missing("only in the new result", now, before)
    lines += missing("in another unit than before",
                     {key: 1 for key in now if key in before}, both)
    lines += missing("without a figure to compare", {key: 1 for key in void},
                     ())
    lines.append(verdict(changes, regressed, percent))
    return lines, bool(regressed) or not changes


def differences(old, new):
    """What makes the two runs unequal before anything is measured."""
    for part, name in MACHINE:
        was, now = old[part].get(name), new[part].get(name)
        if was != now:
            yield (f"the runs differ in {name.replace('_', ' ')}: {was}, "
                   f"now {now}")


def drift(changes):
    """How the contestants that we have not changed have moved."""
    for name in ("raw", *names.MD):
        moved = [change.times for change in changes
                 if change.cell["contestant"] == name]
        beyond = sum(change.beyond_noise for change in changes
                     if change.cell["contestant"] == name)
        if moved:
            yield (f"{name}: {beyond} of {len(moved)} cells moved beyond the "
                   "noise; the median of all is "
                   f"{names.times(stats.summary(moved).median)}")


def place(cell):
    level, state, work, fs, cpus, contestant = cell_key(cell)
    parts = [level and names.LEVELS.get(level, level),
             names.STATES.get(state, state), work, fs,
             f"{cpus} CPU{'s' * (cpus != 1)}", contestant]
    return ", ".join(part for part in parts if part)


def listing(heading, changes):
    if not changes:
        return []
    return [f"{heading}:"] + [
        f"  {(change.times - 1) * 100:+5.0f} %  {place(change.cell)}: "
        f"{names.amount(change.before['median'], change.cell['unit'])}, now "
        f"{names.amount(change.cell['median'], change.cell['unit'])}"
        for change in changes]


def missing(heading, here, there):
    keys = [key for key in here if key not in there]
    if not keys:
        return []
    return [f"{heading}: {len(keys)} cells"] + [
        "  " + " ".join(str(part) for part in key if part is not None)
        for key in keys[:10]] + ["  ..."] * (len(keys) > 10)


def verdict(changes, regressed, percent):
    if not changes:
        return "nothing to compare: the results have no cell in common"
    ours = sum(change.ours for change in changes)
    if regressed:
        return (f"{len(regressed)} of {ours} cells got worse by more than "
                f"{percent:g} %")
    return f"no regression of more than {percent:g} % in {ours} cells"
