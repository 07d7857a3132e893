# SPDX-License-Identifier: GPL-2.0
"""The command line of scripts/guest."""

import argparse
import sys

from guestlib import run

EPILOG = """\
COMMAND runs as root in the checkout, on the machine's own root file system;
what it writes goes to a tmpfs and is gone afterwards.  It finds:

  MQR_DRIVES   device paths of the drives      MQR_GUEST   qemu or uml
  MQR_OUT      directory shared with the host  MQR_KVER    kernel version
  MQR_MODULE   path of mqraid.ko               MQR_EXTRA   see --extra-module
  MQR_DEBUG    1 with --debug, else 0

and on PATH raidctl, guest-drive and guest-module (each has --help).

exit status: COMMAND's, or
   99  the kernel reported a fault; it is printed
  124  --timeout expired
  125  the guest died or did not boot; the end of its console is printed
  126  the guest could not be prepared
  137  COMMAND asked for a power cut (guest-drive powercut)
"""


def parser():
    p = argparse.ArgumentParser(
        prog="scripts/guest", epilog=EPILOG,
        usage="scripts/guest qemu|uml [OPTION...] -- COMMAND [ARGUMENT...]",
        description="Run COMMAND in a guest with mqraid loaded.",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("kind", choices=("qemu", "uml"),
                   help="qemu: Debian's stock kernel, emulated; "
                        "uml: user-mode Linux, at native speed")

    g = p.add_argument_group("drives")
    g.add_argument("--drives", type=int, default=8, metavar="N",
                   help="how many (default %(default)s)")
    g.add_argument("--size", type=size, default="512M",
                   help="of each (default 512M)")
    g.add_argument("--drive-type", metavar="TYPE",
                   choices=("nvme", "file", "null", "discard", "brd"),
                   help="nvme: emulated NVMe, can be pulled (qemu, default); "
                        "null: null_blk in memory (default of uml); "
                        "discard: null_blk that drops data; brd: RAM disk; "
                        "file: kept in a file of the host (uml)")
    g.add_argument("--lba", type=int, choices=(512, 4096), default=512,
                   help="logical block size (default %(default)s)")
    g.add_argument("--keep", metavar="DIR",
                   help="keep the drives' contents in DIR, for a next run")

    g = p.add_argument_group("machine")
    g.add_argument("--cpus", type=int, default=2, metavar="N",
                   help="default %(default)s")
    g.add_argument("--mem", type=size,
                   help="memory (default 3G for qemu, 4G for uml)")
    g.add_argument("--kernel", metavar="VERSION",
                   help="qemu: 6.1 (default) or 6.12")
    g.add_argument("--debug", action="store_true",
                   help="uml: the kernel with KASAN, lockdep and the like")
    g.add_argument("--kmemleak", action="store_true",
                   help="--debug, and look for leaked memory at the end; "
                        "4 times slower")
    g.add_argument("--cmdline", default="", metavar="TEXT",
                   help="more kernel parameters")
    g.add_argument("--icount", action="store_true",
                   help="qemu: count instructions instead of time, so that "
                        "runs repeat exactly; implies --cpus 1")

    g = p.add_argument_group("run")
    g.add_argument("--build", action="store_true",
                   help="compile the module anew for that kernel, with no "
                        "COMMAND to run; fails if there are warnings")
    g.add_argument("--no-module", action="store_true",
                   help="neither build nor load mqraid and raidctl")
    g.add_argument("--params", default="", metavar="TEXT",
                   help="parameters of the module")
    g.add_argument("--extra-module", action="append", default=[],
                   metavar="DIR",
                   help="build the modules of DIR as well, into $MQR_EXTRA")
    g.add_argument("--out", metavar="DIR",
                   help="what $MQR_OUT is on the host (default: thrown away)")
    g.add_argument("--timeout", type=float, default=600, metavar="SEC",
                   help="for everything after the build (default 600)")
    g.add_argument("--allow-warnings", action="store_true",
                   help="print the kernel's fault reports, but pass")
    g.add_argument("-v", "--verbose", action="store_true")
    return p


def size(text):
    """Bytes of a size like 512M."""
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
    factor = units.get(text[-1:].upper(), 1)
    return int(text[:-1] if factor > 1 else text) * factor


def check(p, args):
    """Refuse what makes no sense, and fill in what depends on the kind."""
    args.debug |= args.kmemleak
    if bool(args.command) == args.build:
        p.error("--build takes no COMMAND" if args.build else
                "a COMMAND is required, behind --")
    uml = args.kind == "uml"
    if args.drive_type is None:
        args.drive_type = "nvme" if not uml else \
            "file" if args.keep else "null"
    if args.mem is None:
        args.mem = size("4G" if uml else "3G")
    if args.icount:
        args.cpus = 1
    if args.debug and not uml:
        p.error("--debug is for uml: Debian ships no debugging kernel")
    if uml and (args.kernel or args.icount):
        p.error("--kernel and --icount are for qemu")
    if args.kernel not in (None, "6.1", "6.12"):
        p.error("--kernel knows 6.1 and 6.12")
    if args.drive_type == ("nvme" if uml else "file"):
        p.error(f"{args.kind} has no drive type {args.drive_type}")
    if args.keep and args.drive_type not in ("nvme", "file"):
        p.error(f"--keep cannot keep drives of type {args.drive_type}")
    if not 1 <= args.cpus <= 8:
        p.error("--cpus must be between 1 and 8")
    if not 0 <= args.drives <= 24:
        p.error("--drives must be between 0 and 24")


def main():
    p = parser()
    words = sys.argv[1:]
    # Not for argparse, which would take COMMAND's options for ours.
    end = words.index("--") if "--" in words else len(words)
    args = p.parse_args(words[:end])
    args.command = words[end + 1:]
    check(p, args)
    return run.build_only(args) if args.build else run.run(args)
