# SPDX-License-Identifier: GPL-2.0
"""How things are called in front of people, and in which order they stand."""

from benchlib import work as works
from benchlib.limits import members

LEVELS = {"raid6": "RAID 6", "raid5": "RAID 5", "raid10": "RAID 10",
          "raid0": "RAID 0", "raid1": "RAID 1"}
STATES = {"healthy": "healthy", "lost1": "one member lost",
          "lost2": "two members lost", "rebuild": "rebuilding",
          "rebuild-load": "rebuilding under load", "raw": "raw members"}
CONTESTANTS = ("raw", "md", "md-tuned", "mqraid", "mqraid-zc")
MD = ("md", "md-tuned")


def level(name, drives):
    """'RAID 6 of 8 (6+2)'"""
    title = LEVELS.get(name, name)
    disks = members(name, drives)
    parities = {"raid5": 1, "raid6": 2}.get(name)
    split = f" ({disks - parities}+{parities})" if parities else ""
    return f"{title} of {disks}{split}"


def rank(order, name):
    """For sorting; what isn't known comes last, by its name."""
    order = list(order)
    at = order.index(name) if name in order else len(order)
    return at, str(name)


def cell_rank(cell):
    """The order of all tables."""
    return (rank(LEVELS, cell["level"]), rank(STATES, cell["state"]),
            cell["fs"] or "", cell["cpus"], rank(works.WORKS, cell["work"]),
            rank(CONTESTANTS, cell["contestant"]))


def amount(value, unit):
    """A number with its unit, for people: '1.21 M IOPS', '48.1 GiB/s'."""
    if value is None:
        return "-"
    if unit == "iops":
        return scaled(value, ((1e6, " M IOPS"), (1e3, " k IOPS")), " IOPS")
    if unit == "MiB/s":
        return scaled(value, ((1024, " GiB/s"),), " MiB/s")
    if unit == "us":
        return scaled(value, ((1e3, " ms"),), " µs")
    return scaled(value, ((1e6, " M "), (1e3, " k ")), " ", unit)


def scaled(value, steps, plain, unit=""):
    for factor, name in steps:
        if value >= factor:
            return digits(value / factor) + name + unit
    return digits(value) + plain + unit


def digits(value):
    """Three digits that count, never with an exponent."""
    if value == 0:
        return "0"
    places = 0 if value >= 99.95 else 1 if value >= 9.995 else 2
    return f"{value:.{places}f}"


def times(ratio):
    return "-" if ratio is None else f"{digits(ratio)}×"


def percent(share):
    return "-" if share is None else f"{share * 100:.0f} %"
