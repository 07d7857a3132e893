# SPDX-License-Identifier: GPL-2.0
"""CPU time that was spent, by the machine's own accounting."""

import os
import resource
import time

from benchlib.tool import BenchError, read

TICKS = os.sysconf("SC_CLK_TCK")
# Columns of /proc/stat that are not work of this machine.
IDLE, IOWAIT, STEAL = 3, 4, 7
# From here on columns repeat what is counted before (guests).
COLUMNS = 8
# So much of the machine may be somebody else's without a word about it.
QUIET = 0.05


def ticks_of(stat):
    """The columns for all CPUs together."""
    for line in stat.splitlines():
        if line.startswith("cpu "):
            return [int(word) for word in line.split()[1:1 + COLUMNS]]
    raise BenchError("/proc/stat has no line cpu")


def busy_ticks(stat):
    ticks = ticks_of(stat)
    return sum(ticks) - sum(ticks[column] for column in
                            (IDLE, IOWAIT, STEAL))


class Meter:
    """Seconds of CPU time since it was made."""

    def __init__(self):
        self.begun = busy_ticks(read("/proc/stat"))

    def seconds(self):
        return (busy_ticks(read("/proc/stat")) - self.begun) / TICKS


class Others:
    """What others took of the CPUs while our children ran."""

    def __init__(self):
        self.begun = self.now()

    @staticmethod
    def now():
        ours = [resource.getrusage(who) for who in
                (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        stat = read("/proc/stat")
        return (time.monotonic() * os.cpu_count(),
                busy_ticks(stat) / TICKS,
                sum(used.ru_utime + used.ru_stime for used in ours),
                ticks_of(stat)[STEAL] / TICKS)

    def shares(self):
        """(of other programs, of other machines) in all there was."""
        there, busy, ours, stolen = (
            now - begun for now, begun in zip(self.now(), self.begun))
        return max(busy - ours, 0) / there, stolen / there


def warning(programs, machines):
    """What to say about these shares, or None."""
    if programs + machines < QUIET:
        return None
    return (f"The machine was not quiet: {programs * 100:.0f} % of its CPUs' "
            f"time went to other programs, {machines * 100:.0f} % to other "
            "machines of its host. Figures are lower and noisier for that.")
