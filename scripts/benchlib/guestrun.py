# SPDX-License-Identifier: GPL-2.0
"""Run a part of the harness in a guest and pass on what it records."""

import contextlib
import dataclasses
import fcntl
import json
import os
import subprocess
import sys

from benchlib import record as records
from benchlib.cpu import Others, warning
from benchlib.tool import CHECKOUT, SCRIPTS, BenchError
from guestlib import slot
from guestlib.host import CACHE

MODULES = os.path.join(CHECKOUT, "tests", "bench")
# An estimate is none; but a hang must end some day.
PATIENCE = 4
SPARE_SECONDS = 300
# Of scripts/guest: the kernel reported a fault; it could not be prepared.
FAULTS, UNPREPARED = 99, 126


@dataclasses.dataclass
class Guest:
    """How scripts/guest is called."""

    kind: str
    cpus: int
    mem: str
    out: str
    drives: int = 0
    size: str = "512M"
    drive_type: str = ""
    debug: bool = False
    kernel: str = ""
    seconds: float = 60.0

    def argv(self, job):
        words = [os.path.join(SCRIPTS, "guest"), self.kind,
                 "--cpus", str(self.cpus), "--mem", self.mem,
                 "--drives", str(self.drives), "--size", self.size,
                 "--out", self.out, "--timeout",
                 f"{PATIENCE * self.seconds + SPARE_SECONDS:.0f}"]
        if self.drive_type:
            words += ["--drive-type", self.drive_type]
        if self.kind == "uml":
            words += ["--extra-module", MODULES]
        if self.debug:
            words.append("--debug")
        if self.kernel:
            words += ["--kernel", self.kernel]
        return words + ["--", os.path.join(SCRIPTS, "bench"), "--inside",
                        json.dumps(job)]


@contextlib.contextmanager
def quiet(share):
    """Hold the slots of all guests: a benchmark runs alone.

    Our own guest is then told to do without one.
    """
    count = 0 if share else slot.slots()
    waiting = False
    with contextlib.ExitStack() as stack:
        os.makedirs(CACHE, exist_ok=True)
        for number in range(count):
            file = stack.enter_context(
                open(os.path.join(CACHE, f"guest-slot.{number}"), "w",
                     encoding="ascii"))
            if not slot.free(file):
                if not waiting:
                    print("waiting until no other guest runs ...",
                          file=sys.stderr, flush=True)
                waiting = True
                # Others that wait only try now and then: we are next.
                fcntl.flock(file, fcntl.LOCK_EX)
        yield {"MQRAID_GUESTS": "0"} if count else {}


def run(guest, job, record, share=False):
    """Run a job; its records go to @record, other lines to our output."""
    with quiet(share) as environment:
        others = Others()
        process = subprocess.Popen(
            guest.argv(job), stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, env={**os.environ, **environment},
            errors="replace")
        try:
            for line in process.stdout:
                found = records.parse(line)
                if found:
                    record(found[0], **found[1])
                else:
                    print(line, end="", flush=True)
            status = process.wait()
            if text := warning(*others.shares()):
                record("note", text=text)
        except BaseException:
            # scripts/guest ends its guest when it is told to.
            process.terminate()
            process.wait()
            raise
    if status:
        raise BenchError(f"in the {guest.kind} guest: " + {
            FAULTS: "the kernel reported a fault (above); figures of such a "
                    "kernel are not to be believed",
            UNPREPARED: "it could not be prepared (above)",
        }.get(status, f"the measurement failed (exit status {status})"))
