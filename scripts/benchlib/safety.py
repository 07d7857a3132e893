# SPDX-License-Identifier: GPL-2.0
"""Real drives: nobody's data may be lost by a slip.

A drive is taken only if nothing is on it and nobody uses it.  The one
exception is what an earlier run of this program left behind, which is known by
the mark in the UUIDs of its arrays.
"""

import contextlib
import errno
import fcntl
import glob
import os
import re
import stat
import sys

from benchlib import mqr
from benchlib.contestants import is_ours
from benchlib.members import describe
from benchlib.tool import (BenchError, block_name, need, read, run,
                           sectors_of)

LOCK = "/run/lock/mqraid-bench"
# Exit statuses of blkid -p: there is something, nothing, too much.
FOUND, NOTHING = 0, 2


@contextlib.contextmanager
def alone():
    """One run at a time: another's arrays would look like leftovers."""
    with open(LOCK, "w", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BenchError("another scripts/bench --drives runs on this "
                             "machine") from None
        yield


# --- what is on a drive, from what tools print: pure ---------------------------

def parse_export(text):
    """{key: value} of blkid -o export or mdadm --export."""
    return dict(line.partition("=")[::2] for line in text.splitlines()
                if "=" in line)


def why_not_empty(export, wipefs):
    """Why a drive isn't free, or None.

    @export: of blkid -p -o export; @wipefs: lines of wipefs --no-act, which
    finds more than one thing.
    """
    found = parse_export(export)
    if found.get("TYPE") == "linux_raid_member" and \
       is_ours(found.get("UUID", "")) and len(wipefs.splitlines()) <= 1:
        return None
    if found:
        what = found.get("TYPE") or found.get("PTTYPE") or "something"
        label = found.get("LABEL")
        return f"it holds {what}" + (f" named {label}" if label else "")
    if wipefs.strip():
        return "wipefs finds: " + ", ".join(wipefs.split("\n")[0].split())
    return None


def mounts(mountinfo, numbers):
    """Mount points of devices (a set of "MAJOR:MINOR")."""
    lines = [line.split() for line in mountinfo.splitlines()]
    return [words[4] for words in lines if len(words) > 4 and
            words[2] in numbers]


# --- asking the machine ---------------------------------------------------------

def probe(device):
    """What blkid and wipefs say."""
    export = run("sh", "-c", 'blkid -p -o export "$1"; s=$?; '
                 f'[ $s -eq {FOUND} ] || [ $s -eq {NOTHING} ] || exit 1',
                 "-", device)
    return export, run("wipefs", "--no-act", "--noheadings", device)


def numbers_of(name):
    """MAJOR:MINOR of a drive and of its partitions."""
    paths = [f"/sys/class/block/{name}/dev",
             *glob.glob(f"/sys/class/block/{name}/{name}*/dev")]
    return {read(path) for path in paths}


def why_in_use(device):
    name = block_name(device)
    if holders := os.listdir(f"/sys/class/block/{name}/holders"):
        return "it is used by " + ", ".join(holders)
    if glob.glob(f"/sys/class/block/{name}/{name}*/partition"):
        return "it has partitions"
    if places := mounts(read("/proc/self/mountinfo"), numbers_of(name)):
        return "it is mounted at " + ", ".join(places)
    try:
        os.close(os.open(device, os.O_RDWR | os.O_EXCL))
    except OSError as error:
        busy = error.errno == errno.EBUSY
        return "somebody uses it" if busy else error.strerror
    return None


def why_not(device):
    """Why a device can't be had, or None."""
    try:
        if not stat.S_ISBLK(os.stat(device).st_mode):
            return "it is no block device"
    except OSError as error:
        return error.strerror
    return why_in_use(device) or why_not_empty(*probe(device))


def check(devices):
    """Fail unless all drives are free; name everything that is wrong."""
    need("blkid", "wipefs")
    if os.geteuid():
        raise BenchError("--drives needs root")
    real = [os.path.realpath(device) for device in devices]
    if len(set(real)) < len(real):
        raise BenchError("a drive is given twice")
    stop_leftovers()
    refused = [f"{device}: {why}" for device in devices
               if (why := why_not(device))]
    if refused:
        raise BenchError("drives are not free, nothing was changed:\n  " +
                         "\n  ".join(refused))


def stop_leftovers():
    """Stop arrays that an earlier run did not get to stop."""
    for path in glob.glob("/sys/block/md*/md"):
        device = "/dev/" + path.split("/")[3]
        # md keeps the names of arrays that are stopped.
        if read(f"{path}/array_state") == "clear":
            continue
        detail = parse_export(run("mdadm", "--detail", "--export", device))
        if is_ours(detail.get("MD_UUID", "")):
            run("mdadm", "--stop", device)
    for path in glob.glob("/sys/block/mqr*/mqraid/uuid"):
        if is_ours(read(path)):
            run(mqr.raidctl(), "stop", "/dev/" + path.split("/")[3])


# --- the last word ---------------------------------------------------------------

def sentence(count):
    return f"destroy data on {count} drives"


def ask(devices, stream=None):
    """Go on only if somebody types the sentence."""
    stream = stream or sys.stdin
    if not stream.isatty():
        raise BenchError("there is no terminal to ask at; scripts that are "
                         "sure use --without-asking")
    print("Everything on these drives will be lost:\n")
    for device in devices:
        gib = sectors_of(device) / (1 << 21)
        print(f"  {device:24} {gib:9.1f} GiB  {describe(device)}")
    print(f"\nType '{sentence(len(devices))}' to go on: ", end="", flush=True)
    typed = re.sub(r"\s+", " ", stream.readline()).strip()
    if typed != sentence(len(devices)):
        raise BenchError("that was something else; nothing was changed")
