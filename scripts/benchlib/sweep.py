# SPDX-License-Identifier: GPL-2.0
"""The settings of md that are tried, and which of them is best.  Pure.

Works and rebuilds are tuned apart: what makes one fast slows the other down,
and md is to be compared at its best.
"""

import itertools
import math

PARITY = ("raid6", "raid5")
# One of each kind of load that tuning pulls in different directions.
WORKS = ("seqwrite-1m", "randwrite-4k")
REBUILD = "rebuild"
# A rebuild is watched for so long.
REBUILD_SECONDS = 0.5
THREADS = "group_thread_cnt"
CACHE = "stripe_cache_size"
BITMAP = "bitmap"
BITMAPS = ("none", "internal")


def tunables(level, cpus):
    """What can be changed while an array runs."""
    if level not in PARITY:
        return [{}]
    return [{THREADS: threads, CACHE: cache}
            for threads, cache in itertools.product((0, cpus), (256, 8192))]


def by_bitmap(level, cpus):
    """Settings to try at a level, in groups that one array is enough for;
    none where md has nothing to tune."""
    if level == "raid0":
        return []
    return [[{BITMAP: bitmap, **settings}
             for settings in tunables(level, cpus)] for bitmap in BITMAPS]


def rebuilding(level, cpus):
    """Settings to try for rebuilds, of which bitmaps of fresh arrays are no
    part; none where there is no choice."""
    found = tunables(level, cpus)
    return [{BITMAP: "none", **settings} for settings in found] \
        if len(found) > 1 else []


def score(values):
    """Geometric mean: a work counts the same whatever its unit."""
    return math.exp(sum(map(math.log, values)) / len(values))


def best(tried):
    """The settings with the best score, of [(settings, [value, ...])]."""
    return max(tried, key=lambda one: score(one[1]))[0]


def text(settings):
    """For a line of a table."""
    return ", ".join(f"{key} {value}" for key, value in settings.items())
