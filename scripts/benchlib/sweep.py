# SPDX-License-Identifier: GPL-2.0
"""The settings of md that are tried, and which of them is best.  Pure."""

import itertools
import math

from benchlib.plan import PARITY

# One of each kind of load that tuning pulls in different directions.
WORKS = ("seqwrite-1m", "randwrite-4k")
THREADS = "group_thread_cnt"
CACHE = "stripe_cache_size"


def candidates(level, cpus):
    """Settings to try at a level; none where md has nothing to tune."""
    if level == "raid0":
        return []
    bitmaps = ("none", "internal")
    if level not in PARITY:
        return [{"bitmap": bitmap} for bitmap in bitmaps]
    return [{THREADS: threads, CACHE: cache, "bitmap": bitmap}
            for threads, cache, bitmap in
            itertools.product((0, cpus), (256, 8192), bitmaps)]


def score(values):
    """Geometric mean: a work counts the same whatever its unit."""
    return math.exp(sum(map(math.log, values)) / len(values))


def best(tried):
    """The settings with the best score, of [(settings, [value, ...])]."""
    return max(tried, key=lambda one: score(one[1]))[0]


def text(settings):
    """For a line of a table."""
    return ", ".join(f"{key} {value}" for key, value in settings.items())
