# SPDX-License-Identifier: GPL-2.0
"""Run jobs, a few at a time, each when what it needs is there.

A job has: name; needs, the components of scripts/setup without which it can't
run; after, the names of jobs that it must not run beside, and follows; and
run(), which returns a list of results.  Components are obtained one
at a time, as their builds use all CPUs, while jobs go on.
"""

import os
import threading

from testlib.places import LOGS, SCRIPTS, read_text
from testlib.process import run
from testlib.report import Result, say


# What is only fetched comes first, so that jobs have something to begin with;
# then the kernels, in the order in which their tests run.
ORDER = ("isal", "qemu", "headers-6.12", "uml", "uml-debug")


class Setup:
    """Obtains a component; its result is none, unless it fails."""

    needs = ()

    def __init__(self, component):
        self.name = component
        self.ok = False

    def run(self):
        path = os.path.join(LOGS, f"setup-{self.name}.log")
        status, seconds = run([os.path.join(SCRIPTS, "setup"), self.name],
                              path)
        self.ok = status == 0
        if self.ok:
            if seconds > 5:
                say(f"      setup  {self.name}: {seconds:.0f} s")
            return []
        result = Result(f"setup of {self.name}", "host", read_text(path),
                        seconds)
        return [result.add_failure(f"{self.name} can be obtained")]


class Schedule:
    """All jobs, from waiting to done."""

    def __init__(self, jobs, workers):
        needed = {need for job in jobs for need in job.needs}
        self.setups = {name: Setup(name)
                       for name in sorted(needed, key=ORDER.index)}
        self.waiting = list(jobs)
        self.workers = workers
        self.results = []
        self.done = set()
        self.unfinished = {job.name for job in jobs}
        self.changed = threading.Condition()

    def ready(self, job):
        return (all(self.setups[need] in self.done for need in job.needs)
                and self.unfinished.isdisjoint(job.after))

    def take(self):
        """The next job, or None when all are gone; may wait."""
        with self.changed:
            while self.waiting:
                for job in self.waiting:
                    if self.ready(job):
                        self.waiting.remove(job)
                        return job
                self.changed.wait()
            return None

    def put(self, job, results):
        with self.changed:
            self.done.add(job)
            self.unfinished.discard(job.name)
            self.results += results
            self.changed.notify_all()

    def run_job(self, job):
        broken = [need for need in job.needs if not self.setups[need].ok]
        if broken:
            result = Result(job.name, "host", "")
            return [result.add_failure(f"{job.name} can run", "it needs "
                                       + ", ".join(broken))]
        try:
            return job.run()
        except Exception as error:  # pylint: disable=broad-except
            result = Result(job.name, "host", "")
            return [result.add_failure(f"{job.name} can run", repr(error))]

    def do(self, job):
        results = self.run_job(job)
        # First, as others wait for it even if nobody reads what we say.
        self.put(job, results)
        for result in results:
            say(result.line())

    def work(self):
        while (job := self.take()) is not None:
            self.do(job)

    def obtain(self):
        for setup in self.setups.values():
            self.do(setup)

    def run(self):
        threads = [threading.Thread(target=self.obtain)]
        threads += [threading.Thread(target=self.work)
                    for _ in range(self.workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self.results
