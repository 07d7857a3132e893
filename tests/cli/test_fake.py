# SPDX-License-Identifier: GPL-2.0
"""raidctl against a stand-in for the module: status, members, checks."""

import json
import os
import re

import lib
from lib import (A_DEGRADED, A_DIRTY, A_FAILED, ABSENT, CHECK, DEGRADED, FAILED,
                 FAULTY, GONE, IDLE, OK, REBUILD, REBUILDING, REPAIR, SPARE,
                 SYSTEM, USAGE, append, device_uuid, lose, status)
from test_text import GOLDEN, difference, read


def rebuilding():
    s = lose(status(), 2)
    append(s, REBUILDING, 99, 4)
    s.member[2] = s.member[4]
    s.member[2].slot = 2
    s.member[2].recovery_offset = 4096
    s.members = 4
    s.sync_action, s.sync_done, s.sync_total = REBUILD, 44118, 129024
    s.sync_speed = 20480
    return s


def faulty():
    return append(lose(status(), 1), FAULTY, 32, 1)


# name, exit code, state, what text must say
CONDITIONS = [
    ("well", status, OK, "well", r"data, well$"),
    ("first slot absent", lambda: lose(status(), 0), DEGRADED, "degraded",
     r"slot 0 has no member in sync$"),
    ("last slot absent", lambda: lose(status(), 3), DEGRADED, "degraded",
     r"raidctl add mqr0 DEVICE"),
    ("two slots absent", lambda: lose(status(), 1, 2), DEGRADED, "degraded",
     r"slot 1, 2 has no member in sync; losing one more member loses data"),
    ("faulty member", faulty, DEGRADED, "degraded", r"raidctl remove mqr0 failed"),
    ("rebuilding", rebuilding, DEGRADED, "degraded", r"rebuild +34\.1 %, 10 MiB/s, 5 s left"),
    ("failed", lambda: lose(status(state=A_FAILED), 0, 1, 2), FAILED, "failed",
     r"too few members are left.*\n.*raidctl stop mqr0.*\n +raidctl assemble 0001"),
    ("mismatches", lambda: status(mismatches=8, unmended=8,
                                  last_action=CHECK), FAILED,
     "inconsistent", r"disagreed in 4 KiB.*\n.*raidctl repair mqr0"),
    ("mended", lambda: status(mismatches=8, last_action=REPAIR), OK, "well",
     r"data, well$"),
    ("a check dropped after a repair", lambda: status(mismatches=8,
     last_action=CHECK, last_result=-125), OK, "well", r"data, well$"),
    ("a repair dropped after a check", lambda: status(mismatches=8,
     unmended=8, last_action=REPAIR, last_result=-125), FAILED,
     "inconsistent", r"disagreed in 4 KiB.*\n.*raidctl repair mqr0"),
    ("being mended", lambda: status(unmended=8, last_action=CHECK,
     sync_action=REPAIR, sync_total=8), FAILED, "inconsistent",
     r"repair +0\.0 %(?s:(?!.*last check +0)(?!.*raidctl repair))"),
    ("mismatches, then degraded", lambda: lose(status(unmended=8), 1), FAILED,
     "inconsistent", r"(?s:raidctl add mqr0(?!.*raidctl repair))"),
    ("lost sectors", lambda: status(lost_sectors=16), FAILED, "inconsistent",
     r"8 KiB could not be reconstructed"),
    ("lost sectors, by a check", lambda: status(lost_sectors=16,
     last_action=CHECK), FAILED, "inconsistent",
     r"(?s:\A(?!.*last check).*8 KiB could not be reconstructed)"),
    ("checked", lambda: status(last_action=CHECK), OK, "well",
     r"last check +0 mismatches"),
    ("resync due", lambda: status(state=A_DIRTY), OK, "well", r"well$"),
    ("no name", lambda: status(name=b""), OK, "well", r"^/dev/mqr0: , well"),
]


def conditions(tap, fake):
    for name, make, rc, state, text in CONDITIONS:
        fake.set(make())
        done = fake("status")
        tap.ok(done.rc == rc and re.search(text, done.out, re.M) and
               not done.err, f"status: {name}", done)
        done = fake("status", "--json", "mqr0")
        array = json.loads(done.out)["arrays"][0]
        tap.ok(done.rc == rc and array["state"] == state,
               f"status --json: {name}", done)
        done = fake("list")
        tap.ok(done.rc == rc and state in done.out, f"list: {name}", done)


def several(tap, fake):
    fake.set()
    done = fake("status")
    tap.ok(done.rc == OK and done.out == "no arrays\n", "no arrays", done)
    done = fake("status", "--json")
    tap.ok(done.rc == OK and json.loads(done.out) ==
           {"schema": 1, "arrays": []}, "no arrays in JSON", done)

    other = lose(status(1, name=b"host:other"), 0)
    other.uuid[:] = bytes(16)
    fake.set(status(), other)
    tap.ok(fake("status").rc == DEGRADED, "the worst array gives the code")
    for ref in ("mqr0", "data", "host:data", lib.ARRAY_UUID_TEXT,
                lib.ARRAY_UUID_TEXT.replace("-", ":").upper()):
        done = fake("list", ref)
        tap.ok(done.rc == OK and "mqr0" in done.out and
               "mqr1" not in done.out, f"array named {ref}", done)
    done = fake("status", "nothing")
    tap.ok(done.rc == SYSTEM and "nothing: no running array" in done.err,
           "no such array", done)
    fake.set(status(), status(1))
    done = fake("status", "data")
    tap.ok(done.rc == USAGE and "both mqr0 and mqr1" in done.err,
           "ambiguous name", done)


def hostile(tap, fake):
    """Names on disk don't reach the terminal as they are."""
    fake.set(status(name=b"\x1b[2J\xff\n\"x"))
    for args in (["status"], ["list"], ["status", "--json"]):
        done = fake(*args)
        tap.ok("\x1b" not in done.out and "\\xff" in done.out and
               "\\x1b[2J" in done.out.replace("\\\\", "\\"),
               f"escapes in a name: {' '.join(args)}", done)
        if "--json" in args:
            json.loads(done.out)


def golden(tap, fake, regenerate):
    for name, make in (("well", status), ("rebuilding", rebuilding),
                       ("faulty", faulty)):
        fake.set(make())
        for suffix, args in (("txt", []), ("json", ["--json"])):
            path = os.path.join(GOLDEN, f"status-{name}.{suffix}")
            have = fake("status", *args).out
            if regenerate:
                with open(path, "w", encoding="ascii") as f:
                    f.write(have)
            tap.ok(read(path) == have, f"status of an array {name} ({suffix})",
                   difference(read(path), have))


def members(tap, fake):
    """Who is meant, and what the module gets to hear."""
    hexes = [device_uuid(i).hex() for i in range(5)]
    cases = [
        (["fail", "data", "slot:2"], f"fail 0 {GONE}:48 {hexes[2]}\n"),
        (["fail", "mqr0", f"{GONE}:16"], f"fail 0 {GONE}:16 {hexes[0]}\n"),
        (["fail", "data", hexes[3]], f"fail 0 {GONE}:64 {hexes[3]}\n"),
        (["fail", "data", "slot:0", "slot:1"],
         f"fail 0 {GONE}:16 {hexes[0]}\nfail 0 {GONE}:32 {hexes[1]}\n"),
    ]
    for args, log in cases:
        fake.set(status())
        done = fake(*args)
        tap.ok(done.rc == OK and fake.log() == log, " ".join(args), done)

    fake.set(faulty())
    for word in ("failed", f"{GONE}:32", hexes[1]):
        fake.set(faulty())
        done = fake("remove", "data", word)
        tap.ok(done.rc == OK and
               fake.log() == f"remove 0 {GONE}:32 {hexes[1]}\n",
               f"remove {word}", done)
    fake.set(status())
    done = fake("remove", "data", "failed")
    tap.ok(done.rc == OK and not fake.log() and "no failed" in done.out,
           "remove failed: there are none", done)
    done = fake("remove", "data", "detached")
    tap.ok(done.rc == OK and fake.log().count("remove 0") == 4,
           "remove detached", done)


def refused(tap, fake):
    cases = [
        ("slot:7", "not a member of mqr0"), ("slot:-1", "not a member"),
        ("slot:1x", "not a member"), ("9:9", "not a member"),
        ("/nowhere", "no such device; if it is gone, name it"),
        ("/dev/null", "no such device"),
    ]
    fake.set(status())
    for word, message in cases:
        done = fake("fail", "data", word)
        tap.ok(done.rc == USAGE and message in done.err and not fake.log(),
               f"fail {word} is refused", done)
    fake.set(lose(status(), 0, 1))
    done = fake("fail", "data", "slot:2")
    tap.ok(done.rc == USAGE and "without slot 2 its data are lost" in done.err
           and not fake.log(), "failing the last member is refused", done)
    done = fake("fail", "--force", "data", "slot:2")
    tap.ok(done.rc == OK and fake.log(), "unless by force", done)
    fake.set(status(level=0, layout=2))
    done = fake("add", "data", "/dev/null")
    tap.ok(done.rc == USAGE and "RAID 0 has no use" in done.err,
           "add to RAID 0", done)
    fake.set(status(), fail="stop 16 the array is mounted somewhere")
    done = fake("stop", "data")
    tap.ok(done.rc == SYSTEM and "in use" in done.err, "stop of a busy array",
           done)
    fake.set(status(), fail="fail 22 not this one, because")
    done = fake("fail", "data", "slot:1")
    tap.ok(done.rc == SYSTEM and "not this one, because" in done.err,
           "the module's reason is shown", done)


def scrubs(tap, fake):
    cases = [
        ("check", dict(last_action=CHECK), OK, "check finished, 0 mismatches"),
        ("check", dict(last_action=CHECK, mismatches=8), FAILED,
         r"mismatches in 8 sectors \(4 KiB\)\nto mend them: raidctl repair"),
        ("repair", dict(last_action=REPAIR, mismatches=8), OK, "mended"),
        ("check", dict(last_action=CHECK, last_result=-125), SYSTEM,
         "the check was cancelled"),
        ("check", dict(last_action=CHECK, last_result=-5), SYSTEM,
         "ended with an error: Input/output error"),
        ("check", dict(last_action=CHECK, lost_sectors=8), FAILED,
         "4 KiB could not be read"),
        ("check", dict(last_action=REBUILD), SYSTEM,
         "a rebuild came after the check, whose result is not known"),
        ("repair", dict(last_action=CHECK), SYSTEM,
         "a check came after the repair, whose result is not known"),
    ]
    for command, fields, rc, text in cases:
        fake.set(status(**fields))
        done = fake(command, "data")
        action = CHECK if command == "check" else REPAIR
        tap.ok(done.rc == rc and re.search(text, done.out + done.err) and
               fake.log() == f"sync 0 {action}\n",
               f"{command}: {text[:40]}", done)
    fake.set(status())
    done = fake("check", "--no-wait", "data")
    tap.ok(done.rc == OK and "check started" in done.out, "check --no-wait",
           done)
    done = fake("cancel", "data")
    tap.ok(done.rc == OK and "nothing runs" in done.out, "cancel: nothing",
           done)
    fake.set(rebuilding())
    done = fake("cancel", "data")
    tap.ok(done.rc == OK and f"sync 0 {IDLE}" in fake.log(), "cancel", done)
    fake.set(lose(status(), 1))
    done = fake("wait", "data")
    tap.ok(done.rc == DEGRADED and "slot 1" in done.out, "wait: degraded", done)


def no_module(tap):
    for args in (["status"], ["stop", "data"], ["check", "data"],
                 ["get", "data"]):
        done = lib.run(*args)
        tap.ok(done.rc == SYSTEM and "modprobe mqraid" in done.err,
               f"{args[0]}: no module", done)


def run(tap, fake, regenerate):
    assert ABSENT == 0 and SPARE and A_DEGRADED
    if not os.path.exists("/dev/mqraid-control"):
        no_module(tap)
    conditions(tap, fake)
    several(tap, fake)
    hostile(tap, fake)
    golden(tap, fake, regenerate)
    members(tap, fake)
    refused(tap, fake)
    scrubs(tap, fake)
