# SPDX-License-Identifier: GPL-2.0
"""Statistics of repetitions."""

import statistics
from typing import NamedTuple, Optional

GB = 1e9
MILLION = 1e6


class Summary(NamedTuple):
    """Of the values of all repetitions; noise is maximum / minimum."""

    median: float
    minimum: float
    maximum: float
    noise: Optional[float]


def summary(values):
    """The noise is None if it has no number: something measured nothing."""
    values = sorted(values)
    if not values:
        raise ValueError("a summary needs at least one value")
    low, high = values[0], values[-1]
    noise = high / low if low > 0 else 1.0 if low == high else None
    return Summary(statistics.median(values), low, high, noise)


def noisy(noise, limit):
    return noise is None or noise > limit


def cpu_costs(samples):
    """CPU seconds per GB and per million I/Os: medians, or None.

    Samples whose CPU time isn't known, or that moved nothing, don't count.
    """
    known = [sample for sample in samples
             if sample.get("cpu_seconds") is not None]
    return (cost(known, "bytes", GB), cost(known, "ios", MILLION))


def cost(samples, key, unit):
    costs = [sample["cpu_seconds"] / sample[key] * unit
             for sample in samples if sample[key]]
    return statistics.median(costs) if costs else None


def better(ours, theirs, direction):
    """How many times better @ours is; None if that can't be said."""
    if direction == "lower":
        ours, theirs = theirs, ours
    return ours / theirs if ours and theirs else None


def median_of(values):
    """Of those that are known; None if none is."""
    known = [value for value in values if value is not None]
    return statistics.median(known) if known else None
