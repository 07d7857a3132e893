# SPDX-License-Identifier: GPL-2.0
"""Help, manual page, completion, and command lines that are refused."""

import difflib
import os
import re
import shutil
import subprocess

import lib
from lib import HERE, OK, TOP, USAGE

GOLDEN = os.path.join(HERE, "golden")
MAN = os.path.join(TOP, "Documentation", "raidctl.8")


def commands():
    """Names, as the overview lists them."""
    lines = lib.run("help").out.split("\n\n")[1].splitlines()
    return [line.split()[0] for line in lines]


def all_help():
    parts = [lib.run("help").out]
    parts += [lib.run("help", name).out for name in commands()]
    return ("\n" + "-" * 76 + "\n").join(parts)


# file -> what makes it
GENERATED = {
    os.path.join(GOLDEN, "help.txt"): all_help,
    os.path.join(GOLDEN, "completion.bash"):
        lambda: lib.run("completion", "bash").out,
    MAN: lambda: lib.run("man").out,
}

# command line -> what its message must say
REFUSED = [
    ("", "^Usage: raidctl COMMAND"),
    ("frobnicate", "frobnicate: no such command.*raidctl help"),
    ("help frobnicate", "frobnicate: no such command"),
    ("status --frob", "--frob: unknown option; accepted are --json$"),
    ("help --frob", "this command has no options"),
    ("man x", "man: too many arguments; usage: raidctl man"),
    ("completion zsh", "zsh: accepted is bash"),
    ("create", "create: too few arguments; usage: raidctl create"),
    ("create data /a /b", "--level is needed: 0, 1, 10, 5 or 6"),
    ("create data --level", "--level needs a value: LEVEL"),
    ("create data --level 7 /a /b", "--level 7: accepted are 0, 1, 10, 5 or 6"),
    ("create data --level=4 /a /b", "--level 4: accepted are"),
    ("create data --force=1 --level 1 /a /b", "--force takes no value, got 1"),
    ("create data --level 5 --chunk 3x /a /b /c", "--chunk 3x: .*4 KiB to 1 MiB"),
    ("create data --level 5 --chunk -1 /a /b /c", "--chunk -1: accepted"),
    ("create data --level 5 --chunk 2M /a /b /c", "--chunk 2M: .*to 1 MiB"),
    ("create data --level 5 --chunk 99999999999999999999 /a /b /c", "--chunk 9"),
    ("create data --level 5 --chunk 16777216T /a /b /c", "--chunk 16777216T: "),
    ("create data --level 5 --chunk 4097 /a /b /c", "--chunk 4097: .*powers of"),
    ("create data --level 1 --chunk 64K /a /b", "--chunk: RAID 1 has no chunks"),
    ("create data --level 5 --layout near=2 /a /b /c",
     "--layout near=2: RAID 5 knows left-symmetric"),
    ("create data --level 1 --layout near=2 /a /b", "RAID 1 has only one"),
    ("create data --level 10 --layout left-symmetric /a /b", "RAID 10 knows near"),
    ("create data --level 5 --uuid 123 /a /b /c", "--uuid 123: .*32 hexadecimal"),
    ("create data --level 5 --spare ,x /a /b /c", "--spare ,x: a name is empty"),
    ("create data --level 5 --wait --no-wait /a /b /c", "exclude each other"),
    ("create data --level 0 /a", "too few arguments"),
    ("create data --level 5 /a /b", "2 devices: RAID 5 takes from 3 to 64"),
    ("create data --level 6 /a /b /c", "3 devices: RAID 6 takes from 4 to 64"),
    ("create data --level 1 " + "/a " * 17, "17 devices: RAID 1 .* 2 to 16"),
    ("create data --level 0 " + "/a " * 65, "65 devices: RAID 0 .* 2 to 64"),
    ("create mqr3 --level 1 /a /b", "mqr3: .*choose a name of your own"),
    ("create a/b --level 1 /a /b", "name a/b: accepted are"),
    ("create -- -a --level 1 /a /b", "--level is needed"),
    ("create " + "n" * 32 + " --level 1 /a /b", "1 to 31 printable"),
    ("create data --level 1 /nowhere/a /b", "/nowhere/a: no such device"),
    ("create data --level 1 /dev/null /b", "/dev/null: not a block device"),
    ("create data --level 1 /etc/passwd /b", "/etc/passwd: not a block device"),
    ("assemble", "assemble: give a name, a UUID, devices, or --scan"),
    ("assemble --scan data", "assemble: give a name"),
    ("stop", "stop: give an array, or --all"),
    ("stop --all data", "stop: give an array, or --all"),
    ("adopt", "adopt: give all devices of the array"),
    ("adopt --uuid 00010203-0405-0607-0809-0a0b0c0d0e0f /dev/null",
     "adopt: give all devices"),
    ("new-uuid", "new-uuid: too few arguments"),
    ("new-uuid --uuid 12 /a", "--uuid 12: .*32 hexadecimal"),
    ("new-uuid --name a/b /a", "new-uuid: name a/b: accepted are"),
    ("new-uuid --name mqr1 /a", "new-uuid: name mqr1: .*of your own"),
    ("new-uuid /nowhere", "/nowhere: no such device"),
    ("new-uuid /etc/passwd", "/etc/passwd: not a block device"),
    ("examine", "examine: too few arguments"),
    ("examine /nowhere", "/nowhere: no such device"),
    ("check", "check: too few arguments"),
    ("check a b", "check: too many arguments"),
    ("set data", "set: too few arguments"),
    ("set data key", "set: key: accepted is KEY=VALUE"),
    ("fail data", "fail: too few arguments"),
    ("add data --destroy 1 /a", "--destroy 1: accepted"),
]


def regenerate():
    os.makedirs(GOLDEN, exist_ok=True)
    for path, make in GENERATED.items():
        with open(path, "w", encoding="ascii") as f:
            f.write(make())


def read(path):
    try:
        with open(path, encoding="ascii") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def difference(want, have):
    return "\n".join(difflib.unified_diff(want.splitlines(), have.splitlines(),
                                          "golden", "raidctl", lineterm=""))


def golden(tap):
    for path, make in GENERATED.items():
        want, have = read(path), make()
        tap.ok(want == have,
               f"{os.path.relpath(path, TOP)} is what raidctl says",
               difference(want, have))
    for name in commands():
        tap.ok(lib.run(name, "--help").out == lib.run("help", name).out,
               f"{name} --help")


def widths(tap):
    wide = [line for line in all_help().splitlines() if len(line) > 79]
    tap.ok(not wide, "no line of help is wider than 79", "\n".join(wide))


def lint(tap, tool, command, text):
    if not shutil.which(command[0]):
        tap.skip(tool, f"{command[0]} is not installed")
        return
    done = subprocess.run(command, input=text, check=False, text=True,
                          capture_output=True)
    said = [line for line in (done.stdout + done.stderr).splitlines()
            if "outdated mandoc.db" not in line]
    tap.ok(not said and done.returncode <= 1, tool, "\n".join(said))


def completes(tap, words, expected):
    script = lib.run("completion", "bash").out
    script += ("COMP_WORDS=(raidctl " + words + ")\n"
               "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n"
               "_raidctl; echo \"${COMPREPLY[@]}\"\n")
    have = subprocess.run(["bash"], input=script, check=False, text=True,
                          capture_output=True)
    tap.ok(have.stdout.split() == expected.split() and not have.stderr,
           f"completion of: {words}", have.stdout + have.stderr)


def refused(tap):
    for line, message in REFUSED:
        done = lib.run(*line.split())
        lines = done.err.splitlines()
        one = len(lines) == 1 and lines[0].startswith("raidctl: ")
        tap.ok(done.rc == USAGE and re.search(message, done.err, re.M) and
               not done.out and (one or not line),
               f"refused: {line[:60]}", done)


def run(tap):
    golden(tap)
    widths(tap)
    lint(tap, "mandoc -T lint", ["mandoc", "-T", "lint"], lib.run("man").out)
    lint(tap, "completion is a bash script", ["bash", "-n"],
         lib.run("completion", "bash").out)
    lint(tap, "shellcheck of the completion",
         ["shellcheck", "-s", "bash", "-"], lib.run("completion", "bash").out)
    completes(tap, "cre", "create")
    completes(tap, "create --lev", "--level")
    completes(tap, "create --level ''", "0 1 10 5 6")
    completes(tap, "help asse", "assemble")
    for word in ("--version", "version"):
        done = lib.run(word)
        tap.ok(done.rc == OK and done.out.startswith("raidctl "), word, done)
    refused(tap)

