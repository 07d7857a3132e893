# SPDX-License-Identifier: GPL-2.0
"""System tests in guests: which share a boot, and how a boot is run."""

import itertools
import os

from testlib.places import LOGS, SCRIPTS, SYSTEM, read_text
from testlib.process import run
from testlib.report import Result
from testlib.system import LIMIT, WEIGHT

# How scripts/guest and scripts/setup call the kinds.
ARGUMENTS = {"uml": ["uml"], "qemu": ["qemu"], "debug": ["uml", "--debug"]}
COMPONENT = {"uml": "uml", "qemu": "qemu", "debug": "uml-debug"}
# What builds the module anew, where guests find it.
BUILD = {"uml": ["build-7.3"], "qemu": ["build-6.1"], "debug": []}
# The debugging kernel is that much slower.
PATIENCE = {"uml": 1, "qemu": 1, "debug": 4}
# A boot is worth 5 s: few enough tests in each for boots to run in parallel.
FULL = 6
BOOT_SECONDS = 120


class GuestJob:
    """Tests that share a boot, as far as nothing goes wrong."""

    count = itertools.count(1)

    def __init__(self, kind, tests):
        self.kind = kind
        self.tests = tests
        self.needs = ("isal", COMPONENT[kind])
        self.after = BUILD[kind]
        self.name = f"{kind}-{next(self.count)}"
        self.limit = max(LIMIT[test.time] for test in tests) * PATIENCE[kind]

    def describe(self):
        drives = f"{self.drives()} x {self.tests[0].size}"
        options = " ".join(self.tests[0].options)
        return [f"{self.kind:6} {test.name:28} {self.name}, {drives} {options}"
                .rstrip() for test in self.tests]

    def drives(self):
        return max(test.drives for test in self.tests)

    def argv(self, out, names):
        timeout = BOOT_SECONDS + self.limit * len(names)
        return [os.path.join(SCRIPTS, "guest"), *ARGUMENTS[self.kind],
                "--drives", str(self.drives()), "--size", self.tests[0].size,
                "--out", out, "--timeout", str(timeout),
                *self.tests[0].options, "--",
                os.path.join(SYSTEM, "run-guest"), str(self.limit), *names]

    def run(self):
        names = [test.name for test in self.tests]
        results = []
        for boot in itertools.count(1):
            out = os.path.join(LOGS, f"{self.name}.{boot}")
            boot_results, left = self.boot(out, names)
            results += boot_results
            if not left or len(left) == len(names):
                return results
            names = left
        return results

    def boot(self, out, names):
        """Run tests until all are done or the guest is unfit: what is left."""
        os.makedirs(out)
        path = os.path.join(out, "run")
        status, seconds = run(self.argv(out, names), path)
        log = read_text(path)
        begun, ended = self.events(log)
        results = [self.result(out, name, *ended[name]) for name in ended]
        for name in begun:
            if name not in ended:
                results.append(self.died(out, name, status, log))
        if not begun or (status not in (0, 3) and
                         not any(result.failed for result in results)):
            result = Result(self.name, self.kind, log, seconds)
            results.append(result.add_failure(
                "the guest runs without a fault",
                f"scripts/guest ended with status {status}"))
        return results, [name for name in names if name not in begun]

    @staticmethod
    def events(log):
        """What run-guest has said: tests begun, and {test: how it ended}."""
        begun, ended = [], {}
        for line in log.splitlines():
            match line.split():
                case ["begin", name]:
                    begun.append(name)
                case ["end", name, status, seconds]:
                    ended[name] = (int(status), float(seconds))
        return begun, ended

    def test_log(self, out, name):
        path = os.path.join(out, f"{name}.log")
        return read_text(path) if os.path.exists(path) else ""

    def result(self, out, name, status, seconds):
        return Result(name, self.kind, self.test_log(out, name),
                      seconds).count(status)

    def died(self, out, name, status, log):
        text = self.test_log(out, name)
        result = Result(name, self.kind, text)
        if text:
            result.count(0)
        tail = "\n".join(log.splitlines()[-60:])
        result.add_failure(f"the guest survives {name}",
                           f"scripts/guest ended with status {status}")
        result.log += tail + "\n"
        return result


def guest_jobs(tests, only):
    """Boots: tests of one kind that want the same guest, a few in each."""
    groups = {}
    for test in tests:
        for kind in test.guests:
            if only in (None, kind):
                key = (kind, test.size, tuple(test.options))
                groups.setdefault(key, []).append(test)
    jobs = []
    for (kind, *_), members in groups.items():
        jobs += [GuestJob(kind, part) for part in parts(members)]
    # The debugging kernel takes longest to build, and to run.
    order = {"qemu": 0, "uml": 1, "debug": 2}
    return sorted(jobs, key=lambda job: (order[job.kind], -job.limit))


def parts(tests):
    """Cut a group so that no boot is overfull; long tests are spread."""
    weight = sum(WEIGHT[test.time] for test in tests)
    boots = [[] for _ in range(-(-weight // FULL))]
    for test in sorted(tests, key=lambda test: -WEIGHT[test.time]):
        least = min(boots, key=lambda boot: sum(WEIGHT[other.time]
                                                for other in boot))
        least.append(test)
    return [boot for boot in boots if boot]
