# SPDX-License-Identifier: GPL-2.0
"""Who takes part, and what an array of any of them can do.

An array has: device; lose(slots), replace(slot), progress(), missing(),
stop().  A contestant makes arrays: create() brings up a fresh one on members
that were wiped.
"""

import dataclasses
import functools
import secrets

from benchlib.tool import BenchError

NAME = "mqrbench"
# The same word begins the UUID of every array made here: that is how what a
# run left behind is known from what belongs to somebody.
MARK = NAME.encode().hex()


@dataclasses.dataclass
class Shape:
    """What an array is made of; size_kib: of each member, 0 for all."""

    level: str
    devices: list
    chunk_kib: int
    cpus: int
    size_kib: int = 0

    @property
    def number(self):
        return self.level.removeprefix("raid")

    @property
    def chunked(self):
        return self.level != "raid1"


@functools.cache
def our_uuid():
    """32 hexadecimal digits, marked as ours; the same for a whole run, of
    which only one array exists at a time."""
    return MARK + secrets.token_hex(8)


def is_ours(uuid):
    """Does a UUID in any notation carry our mark?"""
    digits = uuid.replace("-", "").replace(":", "").lower()
    return len(digits) == 32 and digits.startswith(MARK)


class Contestant:
    """about: for the report; settings and commands are known after use."""

    name = ""
    about = ""

    def __init__(self):
        self.settings = {}
        self.commands = []

    def create(self, shape, purpose):
        """A fresh array; @purpose: works or rebuild."""
        raise NotImplementedError

    def report(self):
        return {"name": self.name, "about": self.about,
                "settings": self.settings, "commands": self.commands}

    def remember(self, what, array):
        """Keep the settings for a level, and each command once."""
        self.settings.setdefault(what, dict(array.settings))
        self.commands += [command for command in array.commands
                          if command not in self.commands]


class Raw(Contestant):
    """The members themselves, which is the limit."""

    name = "raw"
    about = "all members at once, without any RAID"

    def create(self, shape, purpose):
        raise BenchError("raw has no arrays")


def check_members(array, lost):
    """No member may have been lost but those that we took away."""
    missing = array.missing()
    if missing != lost:
        raise BenchError(f"{array.device}: {missing} members are missing "
                         f"where {lost} should be: see the kernel's log")
