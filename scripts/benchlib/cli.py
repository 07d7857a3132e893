# SPDX-License-Identifier: GPL-2.0
"""scripts/bench: from the command line to the exit status."""

import dataclasses
import os
import signal
import sys

from benchlib import collect, direct, display, guestrun, inside, members
from benchlib import objects, options, output, plan as plans
from benchlib import result as results
from benchlib.tool import BenchError

INTERRUPTED = 130
# The debug kernel is slow: small drives, or the rebuild takes minutes.
LOCKS_SECONDS, LOCKS_MIB = 60, 512


def main():
    p = options.parser()
    args = p.parse_args()
    if args.inside is not None:
        return inside.main(args.inside)
    options.check(p, args)
    # Through the finally clauses, which stop arrays and guests.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(INTERRUPTED))
    try:
        return do(args)
    except BenchError as error:
        print(f"scripts/bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nscripts/bench: interrupted", file=sys.stderr)
        return INTERRUPTED


def do(args):
    # Now, as it may be unreadable, or be where our result goes.
    old = args.compare and results.load(args.compare)
    if args.against:
        return int(output.compared(old, results.load(args.against),
                                   args.percent))
    plan = options.plan_of(args)
    plan.member_mib = direct.wished_mib(args) if args.drives else \
        options.drive_mib(args)
    if args.list:
        return list_plan(plan, args)
    collector = run(args, plan)
    status = verdict(collector, args)
    output.write(collector.result, args.out)
    if old:
        status |= int(output.compared(old, collector.data, args.percent))
    return status


def cpus_of(args):
    return args.cpus or [min(os.cpu_count(), 8)]


def list_plan(plan, args):
    for cpus in cpus_of(args):
        plan.cpus = cpus
        for step in plans.steps(plan):
            print(f"{step.seconds:6.1f} s  {step.kind:8} "
                  f"{step.level or '-':7} {step.state or '-':13} "
                  f"#{step.repetition + 1} {step.contestant:10} "
                  f"{' '.join(step.works)}".rstrip())
    total = sum(plans.total_seconds(dataclasses.replace(plan, cpus=cpus))
                for cpus in cpus_of(args))
    print(f"about {total / 60:.1f} minutes")
    for what, why in plans.skips(plan):
        print(f"not: {what}: {why}")
    return 0


def run(args, plan):
    """Measure; the collector of everything."""
    drives = {"kind": members.SINK, "mib": options.drive_mib(args)}
    collector = collect.Collector(output.command(), plan, drives,
                                  display.Display())
    try:
        if not options.locks_only(args):
            announce(plan, collector)
            bench(args, plan, collector)
        if args.locks:
            count_locks(args, plan, collector)
    except BenchError:
        output.keep_partial(collector.result, args.out)
        raise
    return collector


def bench(args, plan, collector):
    if args.fs:
        objects.build()
    if args.drives:
        collector.session(os.cpu_count(), True)
        direct.run_plan(plan, args, collector)
    else:
        in_guests(args, plan, collector)
    collector.display.end()


def announce(plan, collector):
    """What is left out is part of the result."""
    for what, why in plans.skips(plan):
        collector("skip", what=what, why=why)
    for where, works in plans.left_out(plan).items():
        collector("skip", what=f"{where}: {', '.join(works)}",
                  why=f"not part of the profile {plan.profile}")
    collector("parameters", works={
        f"{level} {state}": list(plans.works_of(plan, level, state))
        for level, state in plans.groups(plan)
        if state not in plans.REBUILDS})


def in_guests(args, plan, collector):
    counts = cpus_of(args)
    for cpus in counts:
        plan.cpus = cpus
        collector.session(cpus, cpus == counts[-1])
        guest, drives = guest_for(args, plan)
        job = {"plan": dataclasses.asdict(plan), "drives": drives,
               "drive_mib": options.drive_mib(args), "locks": False}
        guestrun.run(guest, job, collector, args.share)


def guest_for(args, plan):
    """How to call scripts/guest, and which drives to use there."""
    guest = guestrun.Guest(
        kind=options.guest_kind(args), cpus=plan.cpus, mem=args.mem or "3G",
        out=os.path.join(args.out, f"guest-{plan.cpus}"),
        seconds=plans.total_seconds(plan))
    if guest.kind == "uml" and not plan.fs:
        return guest, members.SINK
    mib = options.drive_mib(args)
    guest.drives, guest.size = plan.drives, f"{mib}M"
    if plan.fs:
        guest.drive_type = "brd"
        # Beside what the drives hold.
        guest.mem = args.mem or f"{plan.drives * mib + 2048}M"
    return guest, "guest"


def count_locks(args, plan, collector):
    plan.cpus = cpus_of(args)[-1]
    guest = guestrun.Guest(
        kind="uml", cpus=plan.cpus, mem=args.mem or "4G", debug=True,
        out=os.path.join(args.out, "guest-locks"), seconds=LOCKS_SECONDS)
    job = {"plan": dataclasses.asdict(plan), "drives": members.SINK,
           "drive_mib": LOCKS_MIB, "locks": True,
           "also_bench": bool(args.profile)}
    collector("note", text=f"Locks were counted on the debug kernel, with "
              f"{plan.levels[0]}; an I/O of the rebuild is one of a member.")
    guestrun.run(guest, job, collector, args.share)


def verdict(collector, args):
    """0, or 1 if what was asked for by name is missing."""
    if options.locks_only(args):
        return 0
    absent = collect.missing(collector.data, options.named(args))
    for kind, names in absent.items():
        print(f"scripts/bench: {kind} asked for, but not measured: "
              f"{', '.join(names)}", file=sys.stderr)
    return int(bool(absent))
