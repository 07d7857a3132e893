# SPDX-License-Identifier: GPL-2.0
"""scripts/bench: from the command line to the exit status."""

import dataclasses
import os
import signal
import sys

from benchlib import collect, display, guestrun, inside, members, options
from benchlib import output, plan as plans, result as results, sweep
from benchlib.tool import BenchError

INTERRUPTED = 130


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
    if args.against:
        data = load(args.against)
        return int(output.compared(args.compare, data, args.percent))
    if args.compare:
        # Not after ten minutes.
        load(args.compare)
    plan = options.plan_of(args)
    if args.list:
        return list_plan(plan, args)
    collector = run(args, plan)
    status = verdict(collector, args)
    output.write(collector.result, args.out)
    if args.compare:
        status |= int(output.compared(args.compare, collector.data,
                                      args.percent))
    return status


def load(path):
    try:
        return results.load(path)
    except results.ResultError as error:
        raise BenchError(str(error)) from None


def cpus_of(args):
    return args.cpus or [min(os.cpu_count(), 8)]


def list_plan(plan, args):
    for cpus in cpus_of(args):
        plan.cpus = cpus
        for step in plans.steps(plan, sweep.candidates):
            print(f"{step.seconds:6.1f} s  {step.kind:8} "
                  f"{step.level or '-':7} {step.state or '-':13} "
                  f"#{step.repetition + 1} {step.contestant:10} "
                  f"{' '.join(step.works)}".rstrip())
    total = sum(plans.total_seconds(dataclasses.replace(plan, cpus=cpus),
                                    sweep.candidates)
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
    announce(plan, collector)
    in_guests(args, plan, collector)
    return collector


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
        job = {"plan": dataclasses.asdict(plan), "drives": members.SINK,
               "drive_mib": options.drive_mib(args)}
        guestrun.run(guest_for(args, plan), job, collector, args.share)
        collector.display.end()


def guest_for(args, plan):
    kind = options.guest_kind(args)
    return guestrun.Guest(
        kind=kind, cpus=plan.cpus, mem=args.mem or "3G",
        out=os.path.join(args.out, f"guest-{plan.cpus}"),
        seconds=plans.total_seconds(plan, sweep.candidates))


def verdict(collector, args):
    """0, or 1 if what was asked for by name is missing."""
    absent = collect.missing(collector.data, options.named(args))
    for kind, names in absent.items():
        print(f"scripts/bench: {kind} asked for, but not measured: "
              f"{', '.join(names)}", file=sys.stderr)
    return int(bool(absent))
