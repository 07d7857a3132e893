# SPDX-License-Identifier: GPL-2.0
"""The command line of scripts/test."""

import argparse
import fnmatch
import os
import shutil
import subprocess

from testlib import report
from testlib.guests import guest_jobs
from testlib.host import host_jobs
from testlib.places import CHECKOUT, LOGS
from testlib.schedule import Schedule
from testlib.system import GUESTS, find

EPILOG = """\
Tests are those of the host (unit, cli, bench, fuzz, build-*) and the scripts
tests/system/test_*.sh, which run in guests; several of them share one boot.
Logs are left in build/test.  The last line is "N passed, N failed,
N skipped", counted in assertions.

exit status: 0, or 1 if anything failed, 2 for a wrong argument
"""


def parser():
    p = argparse.ArgumentParser(
        prog="scripts/test", epilog=EPILOG,
        description="Run all tests of mqraid.",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--only", action="append", default=[], metavar="PATTERN",
                   help="tests whose name has PATTERN in it, or matches it as "
                        "a shell pattern; may be given several times")
    p.add_argument("--guest", choices=GUESTS,
                   help="only tests in this kind of guest (debug: uml with "
                        "KASAN, lockdep and the like)")
    p.add_argument("--list", action="store_true",
                   help="print what would run, and where")
    p.add_argument("--jobs", type=int, default=2, metavar="N",
                   help="guests and host tests at a time (default 2)")
    return p


def selected(name, patterns):
    return not patterns or any(
        pattern in name or fnmatch.fnmatchcase(name, pattern)
        for pattern in patterns)


def programs():
    """Build what tests run, before any of them could do so in parallel."""
    for target in (["raidctl"], ["-C", "tests/stress"]):
        made = subprocess.run(["make", "-s", *target], cwd=CHECKOUT,
                              check=False, text=True,
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if made.returncode:
            result = report.Result("make " + " ".join(target), "host",
                                   made.stdout)
            return [result.add_failure("the tests' programs are built")]
    return []


def main():
    args = parser().parse_args()
    tests = [test for test in find() if selected(test.name, args.only)]
    jobs = guest_jobs(tests, args.guest)
    if not args.guest:
        jobs = [job for job in host_jobs()
                if selected(job.name, args.only)] + jobs
    if args.list:
        for job in jobs:
            print("\n".join(job.describe()))
        return 0
    if not jobs:
        print("scripts/test: no test is named so", flush=True)
        return 2
    shutil.rmtree(LOGS, ignore_errors=True)
    os.makedirs(LOGS)
    return report.summary(programs() or Schedule(jobs, args.jobs).run())
