# SPDX-License-Identifier: GPL-2.0
"""Tests that need no guest."""

import os
import re

from testlib.places import LOGS, read_text
from testlib.process import run
from testlib.report import Result

FUZZ_SECONDS = 20


class HostJob:
    """A command; counts() makes the counts of its log, or TAP does."""

    def __init__(self, name, argv, needs=(), counts=None, after=()):
        self.name = name
        self.argv = argv
        self.needs = needs
        self.after = after
        self.counts = counts or Result.count

    def describe(self):
        return [f"host   {self.name}"]

    def run(self):
        path = os.path.join(LOGS, f"{self.name}.log")
        status, seconds = run(self.argv, path)
        result = Result(self.name, "host", read_text(path), seconds)
        self.counts(result, status)
        return [result]


def count_unit(result, status):
    """The last line sums up, see tests/unit/run.sh."""
    match = re.search(r"(?m)^tests/unit: (\d+) passed, (\d+) failed$",
                      result.log)
    if match:
        result.passed = int(match[1])
        result.failed = int(match[2])
    if status and not result.failed or not match:
        result.add_failure("the unit tests run", f"status {status}")


def count_whole(result, status):
    """The command is one assertion; check.sh may say that it skips it."""
    if status:
        result.add_failure(f"{result.name} ends with status 0",
                           f"it ended with status {status}")
    elif re.match(r"skip ", result.log):
        result.skipped = 1
    else:
        result.passed = 1


def build_job(gate, needs):
    return HostJob(f"build-{gate}", ["scripts/check.sh", gate],
                   ("isal", *needs), count_whole)


def host_jobs():
    return [
        HostJob("unit", ["make", "-s", "-C", "tests/unit"], (), count_unit),
        HostJob("cli", ["tests/cli/run"]),
        HostJob("bench", ["tests/bench/unit/run"]),
        HostJob("fuzz", ["make", "-s", "-C", "tests/fuzz", "run",
                         f"SECS={FUZZ_SECONDS}"], (), count_whole),
        build_job("6.1", ["qemu"]),
        build_job("6.1-no-isal", ["qemu"]),
        build_job("6.12", ["headers-6.12"]),
        build_job("7.3", ["uml"]),
        HostJob("bench-run", ["tests/bench/end-to-end"], ("isal", "uml"),
                after=["build-7.3"]),
    ]
