# SPDX-License-Identifier: GPL-2.0
"""The command line of scripts/bench."""

import argparse
import dataclasses
import os
import re

from benchlib import members, plan as plans
from benchlib.tool import CHECKOUT
from benchlib.work import WORKS

OUT = os.path.join(CHECKOUT, "build", "bench")

DESCRIPTION = """\
Measure mqraid and md on the same drives in one run, healthy, degraded and
rebuilding, beside what the drives alone can do.
"""

EPILOG = """\
where:
  By default everything happens in the native guest (scripts/guest uml), on
  drives in memory that discard data, by a load generator in its kernel: what
  is compared is the CPU time that md and mqraid take for an I/O.  --guest
  qemu takes Debian's stock kernel, emulated, and fio.  --drives measures on a
  real server, by fio.

contestants:
  raw        all members at once, which limits everybody
  md         md as mdadm makes it
  md-tuned   md with the best of a sweep over its settings
  mqraid     mqraid as raidctl makes it
  mqraid-zc  mqraid with zero_copy=1 (parity levels)

works:
{works}

profiles:
  quick      RAID 6; healthy, one lost, rebuilding; about 2 minutes
  default    all levels and states; RAID 6 with all works, others with those
             that ten minutes leave time for
  Any of --levels, --states, --works, --contestants, --seconds and the like
  changes a profile; the result then says "custom".

result:
  OUT/result.json   every sample, with machine, versions, commands and
                    settings (scripts/benchlib/schema.json)
  OUT/result.md     the same to read
  OUT/*.svg         charts
  OUT/guest-*       logs of the guests
  A run that fails leaves what it had in OUT/partial.json; what an earlier
  one left is not touched then.
  What could not be measured is listed with the reason; if it was asked for
  by name, the exit status tells.

exit status: 0; 1 if something failed, was asked for and could not be
measured, or is a regression (--compare); 2 for a wrong argument; 130 if
interrupted
"""


def works_text():
    return "\n".join(f"  {name:17}{work.about}"
                     for name, work in WORKS.items())


def names(known, what):
    """A type for argparse: names separated by commas."""
    def parse(text):
        found = tuple(word for word in text.split(",") if word)
        for name in found:
            if name not in known:
                raise argparse.ArgumentTypeError(
                    f"no {what} '{name}'; known: {', '.join(known)}")
        if not found:
            raise argparse.ArgumentTypeError(f"no {what} at all")
        return tuple(dict.fromkeys(found))
    return parse


def levels(text):
    words = [word if word.startswith("raid") else "raid" + word
             for word in text.split(",") if word]
    return names(plans.LEVELS, "level")(",".join(words))


def cpu_counts(text):
    try:
        found = sorted({int(word) for word in text.split(",")})
    except ValueError:
        found = [0]
    if not 1 <= found[0] <= found[-1] <= 8:
        raise argparse.ArgumentTypeError("numbers from 1 to 8, as in 1,2")
    return found


def mebibytes(text):
    match = re.fullmatch(r"(\d+)([KMGT]?)(?:iB)?", text, re.IGNORECASE)
    factor = {"K": 1 / 1024, "": 1, "M": 1, "G": 1024, "T": 1024 ** 2}
    if not match or not int(match[1]):
        raise argparse.ArgumentTypeError("a size such as 512M or 4G")
    return int(match[1]) * factor[match[2].upper()]


def chunk(text):
    kib = mebibytes(text) * 1024 if text[-1:].isalpha() else int(text)
    if kib not in [1 << power for power in range(2, 11)]:
        raise argparse.ArgumentTypeError("a power of two from 4K to 1M")
    return int(kib)


def positive(text):
    value = float(text)
    if value <= 0:
        raise argparse.ArgumentTypeError("more than 0")
    return value


def parser():
    p = argparse.ArgumentParser(
        prog="scripts/bench", description=DESCRIPTION,
        usage="scripts/bench [OPTION...]",
        epilog=EPILOG.format(works=works_text()),
        formatter_class=argparse.RawDescriptionHelpFormatter)
    where(p.add_argument_group("where"))
    what(p.add_argument_group("what"))
    results(p.add_argument_group("result"))
    p.add_argument("--inside", metavar="JOB", help=argparse.SUPPRESS)
    return p


def where(g):
    g.add_argument("--guest", choices=("uml", "qemu"),
                   help="in which guest (default uml)")
    g.add_argument("--cpus", type=cpu_counts, metavar="N[,N...]",
                   help="CPUs of the guest; for each number all is measured "
                        "(default: as many as this machine has, up to 8)")
    g.add_argument("--mem", metavar="SIZE",
                   help="memory of the guest (default: what is needed)")
    g.add_argument("--members", type=int, default=8, metavar="N",
                   help="drives of an array in a guest (default 8; RAID 1 "
                        "always has 2)")
    g.add_argument("--size", type=mebibytes, metavar="SIZE",
                   help="of each drive in a guest (default 4G, 512M if they "
                        "keep data); with --drives how much of each is used "
                        "(default 32G)")
    g.add_argument("--share", action="store_true",
                   help="measure even while other guests run; for tests of "
                        "the harness only")
    g.add_argument("--drives", nargs="+", metavar="DEVICE",
                   help="measure on these drives of this machine; all data "
                        "on them are lost")
    g.add_argument("--destroy-data", action="store_true",
                   help="needed with --drives; you are asked for a sentence "
                        "all the same")
    g.add_argument("--without-asking", action="store_true",
                   help="for scripts: don't ask, and don't need a terminal")


def what(g):
    g.add_argument("--profile", choices=tuple(plans.PROFILES),
                   help="see below (default: default)")
    g.add_argument("--quick", dest="profile", action="store_const",
                   const="quick", help="--profile quick")
    g.add_argument("--levels", type=levels, metavar="LIST",
                   help="of 6, 5, 10, 0, 1")
    g.add_argument("--states", type=names(plans.STATES, "state"),
                   metavar="LIST", help="of " + ", ".join(plans.STATES))
    g.add_argument("--works", type=names(tuple(WORKS), "work"),
                   metavar="LIST", help="see below")
    g.add_argument("--contestants", metavar="LIST",
                   type=names(plans.CONTESTANTS, "contestant"),
                   help="of " + ", ".join(plans.CONTESTANTS))
    g.add_argument("--chunk", type=chunk, metavar="SIZE",
                   help="default 128K")
    g.add_argument("--seconds", type=positive, metavar="S",
                   help="of each measurement, after a warm-up of a fifth")
    g.add_argument("--repetitions", type=int, metavar="N",
                   help="default 3; fewer say nothing about noise")
    g.add_argument("--rebuild-seconds", type=positive, metavar="S",
                   help="a rebuild is not watched for longer")
    g.add_argument("--fs", choices=("xfs",),
                   help="on files of a file system, on RAM disks in a guest; "
                        "also measures small objects")
    g.add_argument("--locks", action="store_true",
                   help="count locks that the driver takes for an I/O, on a "
                        "kernel with lock statistics; nothing else is "
                        "measured unless --profile is given, too")
    g.add_argument("--list", action="store_true",
                   help="print what would be measured, and how long it takes")


def results(g):
    g.add_argument("--out", default=OUT, metavar="DIR",
                   help="where the result goes (default build/bench)")
    g.add_argument("--compare", metavar="OLD.json",
                   help="say what got slower or faster than in an older "
                        "result, beyond the noise")
    g.add_argument("--with", dest="against", metavar="NEW.json",
                   help="with --compare: measure nothing, compare this one")
    g.add_argument("--percent", type=positive, default=10, metavar="P",
                   help="with --compare: how much slower is a regression "
                        "(default 10)")


CHANGES = ("levels", "states", "works", "contestants", "seconds",
           "repetitions", "rebuild_seconds", "fs")


def plan_of(args):
    """The plan that the options describe, without its number of CPUs."""
    profile = args.profile or "default"
    plan = plans.Plan(profile=profile, **plans.PROFILES[profile])
    changes = {key: getattr(args, key) for key in CHANGES
               if getattr(args, key) is not None}
    if args.chunk is not None:
        changes["chunk_kib"] = args.chunk
    if args.seconds is not None:
        changes |= {"warmup": args.seconds / 5,
                    "sweep_seconds": min(args.seconds, plan.sweep_seconds)}
    if args.members != 8:
        changes["drives"] = args.members
    if changes:
        plan = dataclasses.replace(plan, profile="custom", **changes)
    if args.fs and not args.works:
        plan.works = ()
    if args.drives:
        plan.drives = len(args.drives)
    plan.engine = "mqrgen" if guest_kind(args) == "uml" else "fio"
    return plan


def guest_kind(args):
    return None if args.drives else args.guest or "uml"


def named(args):
    """What was asked for by name, and so must not be missing."""
    return {kind: getattr(args, kind)
            for kind in ("contestants", "levels", "states", "works")
            if getattr(args, kind)}


def locks_only(args):
    return args.locks and not args.profile


def check(p, args):
    """Refuse what makes no sense."""
    if args.drives and args.guest:
        p.error("--drives measures on this machine, not in a guest")
    if args.drives and not args.destroy_data:
        p.error("--drives needs --destroy-data: what is on them is lost")
    if args.drives and (args.cpus or args.mem or args.locks):
        p.error("--cpus, --mem and --locks are for guests")
    if args.locks and args.guest == "qemu":
        p.error("--locks needs the uml guest, whose debug kernel can tell")
    if args.against and not args.compare:
        p.error("--with is for --compare")
    count = len(args.drives) if args.drives else args.members
    if not 4 <= count <= 24:
        p.error("an array needs 4 to 24 members")
    if args.repetitions is not None and args.repetitions < 1:
        p.error("--repetitions must be 1 or more")
    if args.works and "objects" in args.works and not args.fs:
        p.error("the work objects needs --fs xfs")


def drive_mib(args):
    """Of each drive in a guest."""
    if args.size:
        return int(args.size)
    keeps = args.fs or args.guest == "qemu"
    return 512 if keeps else members.SINK_MIB
