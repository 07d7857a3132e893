# SPDX-License-Identifier: GPL-2.0
"""Measure on this machine and its own drives."""

import os

from benchlib import files, md, mqr, safety
from benchlib import session as sessions
from benchlib.members import Members, kind_of
from benchlib.tool import BenchError, need, run, sectors_of

USED_MIB = 32 * 1024
LEAST_MIB = 64
# Arrays begin somewhere behind superblock and bitmap, of which small drives
# have less.
BEFORE_DATA_MIB = 256
# Slow drives, and large spans, take their time.
FILL_SECONDS = 24 * 3600


def before_data(devices):
    smallest = min(map(sectors_of, devices)) // 2048
    return min(BEFORE_DATA_MIB, smallest // 4), smallest


def wished_mib(args):
    return int(args.size or USED_MIB)


def used_mib(devices, wanted):
    """MiB of each drive that arrays get."""
    before, smallest = before_data(devices)
    room = smallest - before
    if room < LEAST_MIB:
        raise BenchError(f"the smallest drive has {smallest} MiB: too little")
    if wanted and wanted > room:
        raise BenchError(f"the smallest drive has {room} MiB for data")
    return int(wanted or min(USED_MIB, room))


def fill(devices, mib):
    """Write all that will be read: flash that was never written is answered
    by the controller alone, faster than any data could be."""
    argv = ["fio", "--output-format=terse", "--rw=write", "--bs=1M",
            "--ioengine=libaio", "--iodepth=32", "--direct=1",
            f"--size={mib + before_data(devices)[0]}M"]
    for number, device in enumerate(devices):
        argv += [f"--name=fill{number}", f"--filename={device}"]
    run(*argv, patience=FILL_SECONDS)


def run_plan(plan, args, record):
    """All of it; drives are left without a trace of arrays."""
    need("mdadm", "fio", *files.programs(plan))
    mqr.need()
    with safety.alone():
        safety.check(args.drives)
        if not args.without_asking:
            safety.ask(args.drives)
        mib = used_mib(args.drives, args.size)
        kind = kind_of(args.drives[0])
        members = Members(args.drives, kind, "", mib * 1024)
        try:
            measure(plan, members, record)
        finally:
            safety.stop_leftovers()
            members.wipe()


def measure(plan, members, record):
    plan.cpus = os.cpu_count()
    md.load_modules()
    sessions.facts(record)
    record("parameters", drive_kind=members.kind, drive_mib=members.mib,
           drive_models=members.models())
    print(f"Filling {members.mib} MiB of each drive ...", flush=True)
    members.wipe()
    fill(members.devices, members.mib)
    record("note", text=f"Of each drive {members.mib} MiB are used; they were "
           "written once before. Drives were not preconditioned further.")
    sessions.Session(plan, members, record, files.of(plan)).run()
