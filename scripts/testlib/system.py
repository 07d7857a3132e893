# SPDX-License-Identifier: GPL-2.0
"""The system tests, and what their headers ask for (tests/system/lib.sh)."""

import glob
import os
import re

from testlib.places import SYSTEM, read_text

GUESTS = ("uml", "qemu", "debug")
# For a test: so many seconds are too many, and what it counts in a boot.
LIMIT = {"short": 600, "long": 1800}
WEIGHT = {"short": 1, "long": 4}


class HeaderError(Exception):
    """A header that lib.sh does not describe."""


class SystemTest:
    """One script."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.basename(path)[:-len(".sh")]
        self.header = dict(re.findall(r"(?m)^# (guest|drives|time): *(.*?) *$",
                                      read_text(path)))
        guests = self.word("guest").replace("both", "uml qemu")
        self.guests = re.split(r"[ ,]+", guests)
        self.time = self.word("time")
        if not set(self.guests) <= set(GUESTS) or self.time not in LIMIT:
            raise HeaderError(f"{path}: unknown guest or time")
        match = re.fullmatch(r"(\d+)(?: size (\w+))?(?: (.*))?",
                             self.word("drives"))
        if not match:
            raise HeaderError(f"{path}: drives must be: N [size S] [OPTION...]")
        self.drives = int(match[1])
        self.size = match[2] or "512M"
        self.options = (match[3] or "").split()

    def word(self, key):
        if key not in self.header:
            raise HeaderError(f"{self.path}: the header has no '# {key}:'")
        return self.header[key]


def find():
    return [SystemTest(path)
            for path in sorted(glob.glob(os.path.join(SYSTEM, "test_*.sh")))]
