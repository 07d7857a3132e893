# SPDX-License-Identifier: GPL-2.0
"""The harness in a guest: everything but the terminal and the files."""

import json
import os
import sys

from benchlib import files, gen, locks, md, members, record
from benchlib import session as sessions
from benchlib.plan import Plan
from benchlib.tool import BenchError, need


def main(text):
    """Carry out a job that guestrun.py has passed."""
    if "MQR_GUEST" not in os.environ:
        print("scripts/bench: --inside is for guests", file=sys.stderr)
        return 2
    job = json.loads(text)
    try:
        do = count_locks if job["locks"] else bench
        do(Plan.of(job["plan"]), job)
    except BenchError as error:
        print(f"scripts/bench: {error}", file=sys.stderr, flush=True)
        return 1
    return 0


def bench(plan, job):
    need("mdadm", "dmesg", "fio", *files.programs(plan))
    plan.cpus = os.cpu_count()
    md.load_modules()
    sessions.facts(record.emit)
    if plan.engine == "mqrgen":
        gen.load()
    drives = members_of(plan, job)
    record.emit("parameters", drive_kind=drives.kind, drive_mib=drives.mib)
    if drives.about:
        record.emit("note", text=f"Members: {drives.about}.")
    sessions.Session(plan, drives, record.emit, files.of(plan)).run()


def members_of(plan, job):
    if job["drives"] == members.SINK:
        return members.sinks(plan.drives, plan.cpus, job["drive_mib"])
    return members.of_guest(plan.drives)


def count_locks(plan, job):
    locks.need()
    plan.cpus = os.cpu_count()
    gen.load()
    if not job["also_bench"]:
        sessions.facts(record.emit)
    locks.Locks(plan, members_of(plan, job), record.emit).run()
