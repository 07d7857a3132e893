# SPDX-License-Identifier: GPL-2.0
"""CPU time that was spent, by the machine's own accounting."""

import os

from benchlib.tool import BenchError, read

TICKS = os.sysconf("SC_CLK_TCK")
# Columns of /proc/stat that are not work: idle, iowait.
IDLE = (3, 4)
# From here on columns repeat what is counted before (guests).
COLUMNS = 8


def busy_ticks(stat):
    """Ticks of all CPUs together that weren't idle."""
    for line in stat.splitlines():
        if line.startswith("cpu "):
            ticks = [int(word) for word in line.split()[1:1 + COLUMNS]]
            return sum(ticks) - sum(ticks[column] for column in IDLE)
    raise BenchError("/proc/stat has no line cpu")


class Meter:
    """Seconds of CPU time since it was made."""

    def __init__(self):
        self.begun = busy_ticks(read("/proc/stat"))

    def seconds(self):
        return (busy_ticks(read("/proc/stat")) - self.begun) / TICKS
