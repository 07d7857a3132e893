# SPDX-License-Identifier: GPL-2.0
"""What the members would allow: limits of cells, as numbers and as formulas.

A limit is an upper bound made of raw measurements of the same run.  It counts
the member I/O that a work cannot do without, whoever does it:

  random    1 / (reads per I/O / raw reads + writes per I/O / raw writes),
            expected values over the positions of the lost members
  streams   of whole rows: data per row / chunks that are written per row
  waits     one I/O after the other (QD1, psync): members work at the same
            time, so a write waits for one read, if it needs any, and one write
  rebuild   a block of the new member: data per row read, one written

These hold where one thing is the bottleneck for all members together, as
the CPUs are in a guest.  For drives that are slower than the machine,
@raw_disks (so many were measured raw) makes it a limit of the drives that the
array still has.
"""

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import NamedTuple

from benchlib import work as works

PARITIES = {"raid5": 1, "raid6": 2}
LOST = {"healthy": 0, "lost1": 1, "lost2": 2, "rebuild": 1}
MIX = Fraction(70, 100)


class Cost(NamedTuple):
    """Member I/O of one block: expected values, and ((chance, reads, writes),
    ...), what they are expected of."""

    reads: Fraction
    writes: Fraction
    cases: tuple


def members(level, drives):
    """How many of the drives an array of this level uses."""
    return min(drives, 2) if level == "raid1" else drives


def data_disks(level, disks):
    """The width of a row without redundancy, in chunks."""
    if level == "raid1":
        return Fraction(1)
    if level == "raid10":
        return Fraction(disks, 2)
    return Fraction(disks - PARITIES.get(level, 0))


# --- member I/O of one block at random -------------------------------------

def parity_read(data, gone):
    """Role 0 is what is read.  Any @data blocks of a column give the rest."""
    return (data if 0 in gone else 1), 0


def parity_write(data, parities, gone):
    """Role 0 is overwritten; roles from @data on are parities.

    The cheapest of read-modify-write (old data and parity), reconstruct-write
    (all other data) and decoding (as many blocks as a row has data).
    """
    kept = parities - sum(role >= data for role in gone)
    data_lost = sum(0 < role < data for role in gone)
    writes = kept + (0 not in gone)
    if not kept:
        return 0, writes
    ways = [data if data_lost else data - 1]
    if 0 not in gone:
        ways.append(1 + kept)
    return min(ways), writes


def parity_cases(level, disks, lost, op):
    parities = PARITIES[level]
    data = disks - parities
    for gone in itertools.combinations(range(disks), lost):
        yield (parity_read(data, gone) if op == "read"
               else parity_write(data, parities, gone))


def mirror_cases(level, disks, lost, op):
    """The block has its copies on members 0 and 1, or on all (RAID 1)."""
    copies = range(disks if level == "raid1" else 2)
    for gone in itertools.combinations(range(disks), lost):
        if mirror_survives(level, disks, gone):
            up = sum(copy not in gone for copy in copies)
            yield (1, 0) if op == "read" else (0, up)


def mirror_survives(level, disks, gone):
    """RAID 10 near 2: copies are neighbours; pairs if @disks is even."""
    if level == "raid1":
        return len(gone) < disks
    step = 1 if disks % 2 else 2
    return not any({first, (first + 1) % disks} <= set(gone)
                   for first in range(0, disks, step))


def costs(level, disks, lost, op):
    """Cost of a "read" or "write" of a random block, aligned.

    Every set of @lost members that the array survives is as likely as any
    other.  Raises ValueError if there is none.
    """
    if level in PARITIES:
        found = list(parity_cases(level, disks, lost, op)
                     if lost <= PARITIES[level] else ())
    elif level in ("raid1", "raid10"):
        found = list(mirror_cases(level, disks, lost, op))
    elif level == "raid0":
        found = [(1, 0) if op == "read" else (0, 1)] if not lost else []
    else:
        raise ValueError(f"there is no level '{level}'")
    if not found:
        raise ValueError(f"{level} of {disks} does not survive {lost} lost")
    counts = Counter(found)
    cases = tuple((Fraction(count, len(found)), reads, writes)
                  for (reads, writes), count in sorted(counts.items()))
    return Cost(sum(chance * reads for chance, reads, _ in cases),
                sum(chance * writes for chance, _, writes in cases), cases)


# --- formulas that people read ---------------------------------------------

def number(value):
    return f"{float(value):.4g}"


def expectation(cases, column):
    """'7/8·1 + 1/8·6' of column 1 (reads) or 2 (writes); '3' if certain."""
    chances = Counter()
    for case in cases:
        chances[case[column]] += case[0]
    if len(chances) == 1:
        return str(next(iter(chances)))
    whole = math.lcm(*(chance.denominator for chance in chances.values()))
    return " + ".join(f"{chances[count] * whole}/{whole}·{count}"
                      for count in sorted(chances))


def per_io(cost):
    """'3 reads + 3 writes' of one I/O; several cases go into brackets."""
    parts = []
    for column, name in ((1, "read"), (2, "write")):
        if any(case[column] for case in cost.cases):
            text = expectation(cost.cases, column)
            parts.append(f"{text} {name}{'s' * (text != '1')}")
    return (" and " if len(cost.cases) > 1 else " + ").join(parts)


class Terms:
    """A rate, by what one I/O takes: 1 / sum(coefficient / raw rate)."""

    def __init__(self, raw, *terms):
        """@terms: (coefficient, work)"""
        self.terms = [(coefficient, work) for coefficient, work in terms
                      if coefficient]
        self.known = all(raw.get(work) for _, work in self.terms)
        self.seconds = self.known and sum(
            float(coefficient) / raw[work] for coefficient, work in self.terms)

    def value(self):
        return 1 / self.seconds

    def text(self):
        if len(self.terms) > 1:
            parts = (f"{number(coefficient)} ÷ raw {work}"
                     for coefficient, work in self.terms)
            return f"1 ÷ ({' + '.join(parts)})"
        coefficient, work = self.terms[0]
        return (f"raw {work}" +
                f" ÷ {number(coefficient)}" * (coefficient != 1))


# --- the kinds of work -----------------------------------------------------

class Case(NamedTuple):
    """An array in a state; raw: {work: median}."""

    level: str
    disks: int
    lost: int
    raw: dict
    cpus: int
    raw_disks: int

    def cost(self, op):
        return costs(self.level, self.disks, self.lost, op)

    def usable(self, value, text):
        """Scale to the drives that there are, if they are the bottleneck."""
        left = self.disks - self.lost
        if not self.raw_disks or left == self.raw_disks:
            return value, text
        return (value * left / self.raw_disks,
                f"{left}/{self.raw_disks} of the drives × {text}")


def random_limit(case, op):
    """Many random blocks at a time."""
    if op == "mix" and case.level == "raid0":
        terms, why = Terms(case.raw, (1, "mix70-4k")), ""
    elif op == "mix":
        read, write = case.cost("read"), case.cost("write")
        terms = Terms(
            case.raw,
            (MIX * read.reads + (1 - MIX) * write.reads, "randread-4k"),
            ((1 - MIX) * write.writes, "randwrite-4k"))
        why = f"70 %: {per_io(read)}; 30 %: {per_io(write)}"
    else:
        cost = case.cost(op)
        terms = Terms(case.raw, (cost.reads, "randread-4k"),
                      (cost.writes, "randwrite-4k"))
        why = per_io(cost)
    if not terms.known:
        return None
    text = terms.text()
    if " ÷ " in text:
        text += f" ({why})"
    return case.usable(terms.value(), text)


def stream_limit(case, op, name):
    """Whole rows.  A lost chunk is read as P: as many chunks as data."""
    value = case.raw.get(name)
    if not value:
        return None
    if op == "read":
        return case.usable(value, f"raw {name}")
    data = data_disks(case.level, case.disks)
    written = case.disks - case.lost
    if data == written:
        return case.usable(value, f"raw {name}")
    share = Fraction(data, written)
    text = f"{share.numerator}/{share.denominator}"
    if data.denominator == 1:
        text = f"{data}/{written}"
    return case.usable(value * float(share),
                       f"raw {name} × {text} (data per byte written)")


def phases(cost):
    """The chances that a write has to wait for reads, and for writes."""
    return (sum(chance for chance, reads, _ in cost.cases if reads),
            sum(chance for chance, _, writes in cost.cases if writes))


def latency_limit(case, op):
    """Time of one block, alone."""
    read, write = phases(case.cost(op))
    terms = [(read, "lat-read-4k"), (write, "lat-write-4k")]
    terms = [(chance, work) for chance, work in terms if chance]
    if not all(case.raw.get(work) for _, work in terms):
        return None
    text = " + ".join(f"{number(chance)} × " * (chance != 1) + f"raw {work}"
                      for chance, work in terms)
    if len(terms) > 1:
        text += " (read, then write)"
    return sum(float(chance) * case.raw[work] for chance, work in terms), text


def waiting_limit(case, op, read_work, write_work):
    """Blocks of jobs that wait for each: rates of phases."""
    read, write = phases(case.cost(op))
    terms = Terms(case.raw, (read, read_work), (write, write_work))
    if not terms.known:
        return None
    text = terms.text()
    if len(terms.terms) > 1:
        text += " (read, then write)"
    return terms.value(), text


def dsync_limit(case):
    """Jobs that wait, one for each CPU; raw reads are known by latency."""
    latency = case.raw.get("lat-read-4k")
    reads = {"QD1 reads": case.cpus * 1e6 / latency} if latency else {}
    read, write = phases(case.cost("write"))
    terms = Terms({**case.raw, **reads}, (read, "QD1 reads"),
                  (write, "dsync-4k"))
    if not terms.known:
        return None
    text = terms.text().replace(
        "raw QD1 reads", f"({case.cpus} jobs ÷ raw lat-read-4k)")
    return terms.value(), text + " (read, then write)" * bool(read)


def sources(level, disks):
    """Blocks to read for a block of the new member."""
    return 1 if level in ("raid1", "raid10") else data_disks(level, disks)


def rebuild_limit(case):
    """MiB/s of the new member, with nothing else going on."""
    if case.level == "raid0":
        return None
    reads = sources(case.level, case.disks)
    if case.raw_disks:
        return drives_rebuild_limit(case, reads)
    terms = Terms(case.raw, (reads, "seqread-128k"), (1, "seqwrite-128k"))
    if not terms.known:
        return None
    return terms.value(), f"{terms.text()} ({plural(reads, 'read')} + 1 write)"


def plural(count, noun):
    return f"{count} {noun}{'s' * (count != 1)}"


def drives_rebuild_limit(case, reads):
    """The new drive writes all, the others share the reads."""
    read, write = case.raw.get("seqread-128k"), case.raw.get("seqwrite-128k")
    if not read or not write:
        return None
    readers = 1 if case.level == "raid10" else case.disks - 1
    share = Fraction(readers) / reads / case.raw_disks
    return (min(write / case.raw_disks, read * float(share)),
            f"the smaller of raw seqwrite-128k ÷ {case.raw_disks} (one drive)"
            f" and raw seqread-128k × {number(share)}"
            f" ({plural(readers, 'drive')}, {plural(reads, 'read')})")


# --- all of it -------------------------------------------------------------

def by_work(case, state, work):
    """The limit of a work that has one."""
    if state == "rebuild":
        return rebuild_limit(case) if work == "rebuild" else None
    if work == "rowwrite":
        return stream_limit(case, "write", "seqwrite-128k")
    if work == "dsync-4k":
        return dsync_limit(case)
    if work in ("classic-4k-write", "classic-4k-read"):
        return waiting_limit(case, work.rpartition("-")[2],
                             "classic-4k-read", "classic-4k-write")
    known = works.WORKS.get(work)
    if not known or known.tool in ("objects", "driver"):
        return None
    if known.latency:
        return latency_limit(case, known.op)
    if known.pattern == "rand":
        return random_limit(case, known.op)
    # A single large I/O at a time is spread over drives, and may be faster
    # than one of them.
    if known.qd == 1 and case.raw_disks:
        return None
    return stream_limit(case, known.op, work)


def limit(level, disks, state, work, raw, cpus=1, raw_disks=None):
    """(value, formula) in the work's unit, or None if there is none.

    @raw: {work: median} of the raw members with as many @cpus
    @raw_disks: so many drives were measured raw, and they, not the CPUs, are
    taken for the bottleneck; None: the CPUs are.
    """
    if state not in LOST:
        return None
    case = Case(level, disks, LOST[state], raw, cpus, raw_disks)
    try:
        case.cost("read")
    except ValueError:
        return None
    return by_work(case, state, work)
