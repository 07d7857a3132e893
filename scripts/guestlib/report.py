# SPDX-License-Identifier: GPL-2.0
"""Find what the kernel complains about in its log."""

import contextlib
import os
import re

from guestlib.host import read_text

# Each begins a report of a fault in the kernel.
FAULT = re.compile(
    r"BUG: |WARNING: |KASAN: |UBSAN: |Oops|ODEBUG: |kernel BUG at|"
    r"INFO: task .* blocked for more than|INFO: trying to register non-static|"
    r"suspicious RCU usage|possible (circular|recursive) locking|"
    r"inconsistent lock state|sleeping function called|"
    r"general protection fault|unable to handle|refcount_t: |"
    r"list_(add|del) corruption|rcu: INFO: .*stall|soft lockup|"
    r"hard LOCKUP|scheduling while atomic|Kernel panic|"
    r"blocked for more than \d+ seconds|leaked (lock|reference)")

# The end of a report, when it has one.
END = re.compile(r"---\[ end trace|<\/TASK>|={20,}$")

# A stack word that only might be a return address: most of uml's traces.
GUESS = re.compile(r"^(\[.*?\])? *(\[<[0-9a-f]+>\] )?\? ")

# So much of each is printed; $MQR_OUT/dmesg has it all.
LINES = 45
REPORTS = 5


def find(space):
    """The fault reports of a run as text; empty when there are none."""
    log = ""
    for path in (os.path.join(space.out, "dmesg"), space.console):
        with contextlib.suppress(OSError):
            log = read_text(path)
            break
    found = excerpts([line for line in log.splitlines()
                      if not GUESS.match(line)])
    with contextlib.suppress(OSError):
        found += leaks(read_text(os.path.join(space.out, "kmemleak")))
    text = "\n".join(found[:REPORTS])
    if len(found) > REPORTS:
        text += f"\nand {len(found) - REPORTS} more"
    return text


def excerpts(lines):
    """Each report from its first line on."""
    result = []
    at = 0
    while at < len(lines):
        if not FAULT.search(lines[at]):
            at += 1
            continue
        begin = at
        at += 1
        while at < len(lines) and at - begin < LINES:
            at += 1
            # A separator may also follow the headline directly.
            if at - begin > 4 and END.search(lines[at - 1]):
                break
        result.append("\n".join(lines[begin:at]))
    return result


def leaks(text):
    """Kmemleak's reports whose stack trace goes through our module.

    What its init function lost counts too.  That code is gone by then and so
    has no name; only guest-module uses insmod.
    """
    reports = re.split(r"(?m)^(?=unreferenced object)", text)
    return [report.rstrip() for report in reports
            if "[mqraid]" in report or
            'comm "insmod"' in report and
            re.search(r"(?m)^ +0x[0-9a-f]+$", report)]
