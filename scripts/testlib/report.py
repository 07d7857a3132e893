# SPDX-License-Identifier: GPL-2.0
"""Results: counting assertions in logs, and telling people."""

import re
import threading

# So many lines of the log of a failed test are printed.
LINES = 120

LOCK = threading.Lock()


def say(text):
    with LOCK:
        print(text, flush=True)


class Result:
    """Of one test, or of what had to work for some: name, log, counts."""

    def __init__(self, name, where, log, seconds=0.0):
        self.name = name
        self.where = where
        self.log = log
        self.seconds = seconds
        self.passed = self.failed = self.skipped = 0

    def count(self, status):
        """From the log's lines, as lib.sh and TAP print them."""
        for line in self.log.splitlines():
            if re.match(r"(skip\b|ok\b.*# *SKIP)", line):
                self.skipped += 1
            elif re.match(r"ok\b", line):
                self.passed += 1
            elif re.match(r"not ok\b", line):
                self.failed += 1
        if status and not self.failed:
            self.add_failure(f"{self.name} ends with status 0",
                             f"it ended with status {status}")
        if not self.passed + self.failed + self.skipped:
            self.add_failure(f"{self.name} asserts something")
        return self

    def add_failure(self, what, detail=""):
        self.failed += 1
        self.log += f"not ok - {what}\n"
        if detail:
            self.log += f"#   {detail}\n"
        return self

    def line(self):
        word = "FAIL" if self.failed else "ok" if self.passed else "skip"
        counts = f"{self.passed} passed"
        counts += f", {self.failed} failed" if self.failed else ""
        counts += f", {self.skipped} skipped" if self.skipped else ""
        return (f"{word:5} {self.where:6} {self.name:28} {counts}, "
                f"{self.seconds:.0f} s")

    def excerpt(self):
        """The log, or its failures if it is long."""
        lines = self.log.splitlines()
        if len(lines) <= LINES:
            return lines
        kept = []
        failing = False
        for line in lines:
            if re.match(r"(not )?ok\b|skip\b", line):
                failing = line.startswith("not")
            if failing:
                kept.append(line)
        kept = kept or lines[-LINES:]
        return kept[:LINES] + ["..."] * (len(kept) > LINES)


def heading(text):
    return f"--- {text} ".ljust(72, "-")


def summary(results):
    """Print failures and skips, and the sum; the exit status."""
    for result in results:
        if result.failed:
            print(heading(f"{result.where}: {result.name}"))
            print("\n".join(result.excerpt()))
    skips = sorted({line for result in results if result.skipped
                    for line in result.log.splitlines()
                    if re.match(r"(skip\b|ok\b.*# *SKIP)", line)})
    if skips:
        print(heading("skipped"))
        print("\n".join(skips))
    passed = sum(result.passed for result in results)
    failed = sum(result.failed for result in results)
    skipped = sum(result.skipped for result in results)
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed else 0
