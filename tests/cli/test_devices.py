# SPDX-License-Identifier: GPL-2.0
"""Superblocks in files, and on loop devices what is refused and what written."""

import json
import hashlib
import os
import re
import shutil
import struct
import subprocess

import lib
from lib import (DISK_NAME, DISK_UUID, DISK_UUID_TEXT, FAILED, OK, SYSTEM,
                 USAGE, Dev, Loops, device_uuid, image, lose, status,
                 superblock, write_at)

OWNER = 1 << 31
BITMAP = 1


def examine(tap, work):
    """name, superblock, exit code, text"""
    cases = [
        ("md", superblock(1), OK, r"owner +md\n(.*\n)*.*role +slot 1"),
        ("mqraid", superblock(features=OWNER), OK, r"owner +mqraid"),
        ("spare", superblock(4), OK, r"role +spare"),
        ("dirty", superblock(resync=4096), OK, r"clean +no\n +resync from +4096"),
        ("degraded", superblock(roles=[0, 0xfffe, 2, 3]), OK,
         r"active slots +0 - 2 3"),
        ("name", superblock(name=b"\x1b]0;x\x07" + b"n" * 25), OK,
         r"name +\\x1b\]0;x\\x07n{25}\n"),
        ("block size", superblock(block_size=4096), OK, r"block size +4096"),
        ("checksum", superblock(checksum=1), FAILED, r"damaged +.*checksum"),
        ("reshape", superblock(features=4), OK, r"unsupported +.*reshape"),
        ("journal", superblock(features=512), OK, r"unsupported +.*journal"),
        ("unknown feature", superblock(features=1 << 20), OK, r"unsupported +.*unknown"),
        ("level", superblock(level=4), OK, r"unsupported +"),
        ("padding", superblock(pad0=1), OK, r"unsupported +.*byte 12"),
        ("far", superblock(level=10, layout=0x201), OK, r"unsupported +.*far"),
        ("none", None, FAILED, r"none +"),
    ]
    for name, sb, rc, text in cases:
        path = image(work, "examined", 64, sb)
        done = lib.run("examine", path)
        tap.ok(done.rc == rc and re.search(text, done.out),
               f"examine: {name}", done)
        have = json.loads(lib.run("examine", "--json", path).out)
        tap.ok(have["schema"] == 1 and len(have["devices"]) == 1,
               f"examine --json: {name}", have)
        if shutil.which("mdadm") and sb and rc == OK and name == "md":
            said = subprocess.run(["mdadm", "--examine", path], check=False,
                                  capture_output=True, text=True).stdout
            tap.ok(re.search(r"Checksum : \w+ - correct", said) and
                   "Active device 1" in said,
                   "mdadm reads our image as we do", said)
        os.unlink(path)
    for size in (0, 1, 4096, 8191):
        path = os.path.join(work, "tiny")
        with open(path, "wb") as f:
            f.truncate(size)
        tap.ok(lib.run("examine", path).rc == FAILED,
               f"examine: a file of {size} bytes")


# What raidctl or libblkid could want to write to lies in here.
HEAD_BYTES, TAIL_BYTES = 2 << 20, 256 << 10


def digest(path, *holes):
    """
    Of what lies before and behind the data, but @holes: offset, length,
    offset, length, ...
    """
    with open(path, "rb") as f:
        data = bytearray(f.read(HEAD_BYTES))
        f.seek(-TAIL_BYTES, os.SEEK_END)
        data += f.read()
    for at, length in zip(holes[::2], holes[1::2]):
        data[at:at + length] = bytes(length)
    return hashlib.sha256(data).digest()


def make(loops, n=4, **change):
    return [loops.make(f"d{i}", 64, superblock(i, **change))
            for i in range(n)]


def untouched(tap, fake, loops, name, args, message, rc=USAGE, lines=1):
    """@args are refused, and no device is written."""
    before = {d: digest(d) for d in loops.device.values()}
    calls = fake.log().count("assemble")
    done = fake(*args)
    after = {d: digest(d) for d in loops.device.values()}
    said = [s for s in done.err.splitlines() if s.startswith("raidctl: ")]
    tap.ok(done.rc == rc and re.search(message, done.err) and
           before == after and (not lines or len(said) == lines) and
           fake.log().count("assemble") == calls, name, done)


def create_refused(tap, fake, loops):
    d = [loops.make(f"d{i}", 64) for i in range(4)]
    create = ["create", "data", "--level", "6"]
    fake.set()
    untouched(tap, fake, loops, "create: a device twice",
              create + d[:3] + ["/proc/self/root" + d[0]],
              f"the same device as {d[0]}")
    untouched(tap, fake, loops, "create: a spare that is a member",
              create + d + ["--spare", d[1]], "given twice")
    untouched(tap, fake, loops, "create: --size beyond the device",
              create + d + ["--size", "1T"], "has room for 63 MiB only")
    untouched(tap, fake, loops, "create: --data-offset beyond the device",
              create + d + ["--data-offset", "1T"], "beyond the end")
    untouched(tap, fake, loops, "create: chunk that is no power of two",
              create + d + ["--chunk", "12K"], "power of two")
    untouched(tap, fake, loops, "create: RAID 10 far",
              ["create", "data", "--level", "10", "--layout", "far=2"] + d,
              "far=2")
    untouched(tap, fake, loops, "create: too many missing",
              create + d[:1] + ["missing"] * 3, "can't work without them")
    untouched(tap, fake, loops, "create: parity that can't be initialised",
              create + d[:3] + ["missing"], "--assume-clean")
    untouched(tap, fake, loops, "create: RAID 0 with a missing device",
              ["create", "data", "--level", "0", d[0], "missing"],
              "RAID 0 needs all")
    fake.set(status())
    untouched(tap, fake, loops, "create: name that is taken", create + d,
              "mqr0 has this name already")
    fake.set()
    small = loops.make("small", 1)
    untouched(tap, fake, loops, "create: too small", create + d[:3] + [small],
              "too small")
    held = os.open(d[2], os.O_RDWR | os.O_EXCL)
    for more in ([], ["--force"]):
        untouched(tap, fake, loops, f"create {more}: in use", create + d + more,
                  f"{d[2]}: the device is in use.*--force does not")
    os.close(held)
    loops.clear()


def create_signatures(tap, fake, loops):
    create = ["create", "data", "--level", "1"]
    fake.set()
    # XFS wants 300 MiB
    d = [loops.make("d0", 64), loops.make("d1", 320)]
    makers = [
        ("ext4", ["mkfs.ext4", "-q", d[1]], "ext4 file system"),
        ("XFS", ["mkfs.xfs", "-q", "-f", d[1]], "xfs file system"),
        ("swap", ["mkswap", d[1]], "swap"),
        ("GPT", ["sfdisk", "-q", d[1]], "gpt partition table"),
        ("LUKS", ["cryptsetup", "luksFormat", "-q", "--pbkdf-force-iterations",
                  "1000", "--pbkdf", "pbkdf2", d[1]], "crypto_LUKS"),
        ("LVM", ["pvcreate", "-q", d[1]], "LVM2_member"),
    ]
    for name, command, message in makers:
        if not shutil.which(command[0]):
            tap.skip(f"create over {name}", f"no {command[0]}")
            continue
        with open(d[1], "r+b") as f:
            f.write(bytes(4 << 20))
        subprocess.run(command, check=False, capture_output=True,
                       input=b"label: gpt\n")
        untouched(tap, fake, loops, f"create over {name}", create + d,
                  f"{d[1]}: carries data: {message}")
    loops.clear()


def create_over_members(tap, fake, loops):
    """Living arrays, whose are they whatever: force alone isn't enough."""
    create = ["create", "data", "--level", "6"]
    for owner, hint in ((0, "mdadm --assemble"), (OWNER, "raidctl assemble")):
        fake.set()
        d = make(loops, features=owner)
        message = (f"array {DISK_UUID_TEXT}.*RAID 6 of 4 devices, slot 0, "
                   f"last update 2023-11-14.*{hint}.*{DISK_UUID_TEXT}")
        for more in ([], ["--force"],
                     ["--force", "--destroy", "f" * 32],
                     ["--destroy", DISK_UUID_TEXT]):
            untouched(tap, fake, loops, f"create over members {more}",
                      create + d + more, message, lines=4)
            untouched(tap, fake, loops, "create over members, shuffled",
                      create + d[::-1] + more, message, lines=4)
        done = fake(*create, *d, "--force", "--destroy", DISK_UUID_TEXT,
                    "--uuid", "e" * 32)
        tap.ok("assemble " + "e" * 32 + " flags=0 members=4" in fake.log(),
               "create over members, destroyed by UUID", done)
        loops.clear()
    for version in ("0.90", "1.0", "1.1"):
        old_version(tap, fake, loops, version)


def old_version(tap, fake, loops, version):
    """Superblocks of other versions are found by libblkid."""
    d = [loops.make(f"d{i}", 64) for i in range(2)]
    if version == "1.1":
        write_at(d[0], 0, superblock(0, super_offset=0))
    elif version == "1.0":
        sectors = ((64 << 11) - 16) & ~7
        write_at(d[0], sectors * 512, superblock(0, super_offset=sectors))
    else:
        # magic, major, minor, patch; uuid, ctime, level, size in KiB, disks
        write_at(d[0], (64 << 20) - 65536,
                 struct.pack("<11I", 0xa92b4efc, 0, 90, 3, 0, 1, 2, 1, 65408,
                             2, 2).ljust(4096, b"\0"))
    fake.set()
    untouched(tap, fake, loops, f"create over a member of version {version}",
              ["create", "data", "--level", "1", "--force"] + d,
              f"{d[0]}: carries .*{version}", lines=0)
    loops.clear()


def written(tap, fake, loops):
    """What create writes, as mdadm and we ourselves read it."""
    fake.set(status())
    d = [loops.make(f"d{i}", 64 + i) for i in range(5)]
    log_at = 4096 + 16 * 512
    write_at(d[0], log_at, b"\1" * 4096)
    done = fake("create", "new", "--level", "5", "--chunk", "64K", *d[:4],
                "--spare", d[4], "--uuid", "a" * 32)
    tap.ok(done.rc == OK and "members=5" in fake.log(), "create", done)
    have = json.loads(lib.run("examine", "--json", *d).out)["devices"]
    tap.ok([x["slot"] for x in have] == [0, 1, 2, 3, None], "slots", have)
    tap.ok(all(x["superblock"] == "ok" and x["owner"] == "mqraid" and
               x["chunk_bytes"] == 65536 and not x["clean"] and
               x["logical_block_size"] is None and
               x["member_size_bytes"] == have[0]["data_size_bytes"]
               for x in have), "superblocks", have)
    tap.ok(len({x["device_uuid"] for x in have}) == 5, "device UUIDs differ")
    with open(d[0], "rb") as f:
        f.seek(log_at)
        tap.ok(f.read(4096) == b"\xff" * 4096, "stale bad-block log is gone")
    if shutil.which("mdadm"):
        said = subprocess.run(["mdadm", "--examine", d[2]], check=False,
                              capture_output=True, text=True).stdout
        for line in ("Raid Level : raid5", "- correct", "Chunk Size : 64K",
                     "Active device 2", r"AAAA \(", "Layout : left-symmetric"):
            tap.ok(re.search(line, said), f"mdadm --examine: {line}", said)
    fake.set(fail="assemble 22 no, because of this")
    done = fake("create", "new", "--level", "5", *d[:3], "--uuid", "b" * 32,
                "--force", "--destroy", "a" * 32)
    tap.ok(done.rc == SYSTEM and re.search(
        "superblocks are written.*no, because of this.*raidctl assemble bbbb",
        done.err), "create: the module refuses", done)
    loops.clear()


def block_sizes(tap, fake, loops):
    """RB-35: the array's block size never depends on who is there."""
    fake.set(status())
    try:
        d = [loops.make("f0", 64), loops.make("f1", 64),
             loops.make("c0", 64, options=["--sector-size", "4096"])]
    except subprocess.CalledProcessError:
        tap.skip("block sizes", "no --sector-size")
        loops.clear()
        return

    def sizes(*args):
        for device in d:
            subprocess.run(["wipefs", "-qa", device], check=False)
        done = fake("create", "new", "--level", "1", *args)
        used = [a for a in args if a in d]
        have = json.loads(lib.run("examine", "--json", *used).out)
        return done, [x.get("logical_block_size") for x in have["devices"]]

    done, have = sizes(d[0], d[1])
    tap.ok(have == [None, None], "512 only: not recorded", done)
    done, have = sizes(d[0], d[2])
    tap.ok(have == [4096, 4096], "512 and 4096: 4096 recorded", done)
    done, have = sizes(d[0], d[1], "--logical-block-size", "4096")
    tap.ok(have == [4096, 4096], "asked for: recorded", done)
    untouched(tap, fake, loops, "smaller than a member's",
              ["create", "new", "--level", "1", d[0], d[2],
               "--logical-block-size", "512"], "can't be smaller")
    untouched(tap, fake, loops, "neither 512 nor 4096",
              ["create", "new", "--level", "1", d[0], d[1],
               "--logical-block-size", "1024"], "accepted are 512 and 4096")
    fake.set(lose(status(), 0))
    subprocess.run(["wipefs", "-qa", d[2]], check=False)
    untouched(tap, fake, loops, "add: coarser than the array",
              ["add", "data", d[2]], "members can't be coarser")
    loops.clear()


def number(device):
    rdev = os.stat(device).st_rdev
    return Dev(os.major(rdev), os.minor(rdev))


def running(devices, *absent):
    """The status of an array on these devices."""
    s = status()
    s.uuid[:] = DISK_UUID
    for i, device in enumerate(devices):
        s.member[i].dev = number(device)
    return lose(s, *absent) if absent else s


def add(tap, fake, loops):
    d = make(loops, features=OWNER, roles=[0, 1, 2, 0xfffe])
    new = loops.make("new", 64)
    fake.set(running(d, 3))
    done = fake("add", "data", new)
    have = json.loads(lib.run("examine", "--json", new).out)["devices"][0]
    tap.ok(done.rc == OK and re.match("add 0 7:", fake.log()) and
           have["role"] == "spare" and have["device_number"] == 3 and
           have["events"] == 7 and have["array_uuid"] == DISK_UUID_TEXT and
           have["data_size_bytes"] >= 129024 * 512, "add a spare",
           f"{done}{have}")
    fake.set(running(d, 3))
    before = digest(d[3])
    done = fake("add", "data", d[3])
    tap.ok(done.rc == OK and digest(d[3]) == before and
           device_uuid(3).hex() in fake.log(),
           "add a former member: left to the module", done)
    fake.set(running(d, 3))
    small = loops.make("small", 63)
    untouched(tap, fake, loops, "add: too small", ["add", "data", small],
              r"too small: it has 63 MiB, the array needs 64 MiB \(129024 of "
              "at least 131072 sectors")
    other = loops.make("other", 64, superblock(set_uuid=b"o" * 16))
    untouched(tap, fake, loops, "add: a member of another array",
              ["add", "data", "--force", other], "carries a superblock")
    held = os.open(new, os.O_RDWR | os.O_EXCL)
    untouched(tap, fake, loops, "add: in use", ["add", "data", new],
              "the device is in use")
    os.close(held)
    loops.clear()


def renamed(tap, fake, loops):
    """RB-23: a name that belongs to another drive by now."""
    d = make(loops, features=OWNER)
    s = running(d)
    s.member[1].dev, s.member[2].dev = number(d[2]), number(d[1])
    fake.set(s)
    for command in ("fail", "remove"):
        untouched(tap, fake, loops, f"{command}: the name has moved",
                  [command, "data", d[1]], "not the member of mqr0 that it was")
        tap.ok(not fake.log(), f"{command}: the module isn't called")
    fake.set(running(d))
    done = fake("fail", "data", d[1])
    tap.ok(done.rc == OK and device_uuid(1).hex() in fake.log(),
           "fail by device", done)
    loops.clear()


def assembly(tap, fake, loops):
    d = make(loops, features=OWNER)
    uuid = DISK_UUID_TEXT.replace("-", "")

    def started(name, flags, n, *args):
        fake.set()
        done = fake("assemble", *args)
        tap.ok(f"assemble {uuid} flags={flags} members={n}\n" == fake.log(),
               f"assemble: {name}", done)

    def refused(name, message, *args, rc=FAILED):
        fake.set()
        untouched(tap, fake, loops, f"assemble: {name}", ["assemble", *args],
                  message, rc, lines=1)
        tap.ok(not fake.log(), f"assemble: {name}: not tried")

    started("all, in any order", 0, 4, d[2], d[0], d[3], d[1])
    started("by name", 0, 4, DISK_NAME)
    started("by full name", 0, 4, "host:" + DISK_NAME)
    started("by UUID", 0, 4, DISK_UUID_TEXT)
    fake.set()
    done = fake("assemble", "--scan")
    tap.ok(f"assemble {uuid} flags=0 members=4\n" in fake.log(),
           "assemble: by scan", done)
    refused("one is missing", "slot 3 is active.*--degraded", *d[:3])
    started("degraded", 2, 3, "--degraded", *d[:3])
    refused("too few", "too few", *d[:1])
    refused("no such name", "no device carries", "nothing", rc=SYSTEM)
    stranger = loops.make("stranger", 64, superblock(set_uuid=b"o" * 16))
    refused("a stranger", "are of different arrays", *d, stranger, rc=USAGE)
    loops.drop(stranger)
    write_at(d[3], 4096, superblock(3, features=OWNER, events=2))
    refused("a stale member", "slot 3 is active", *d)
    tap.ok(re.search(r"3 +/dev/loop\d+ +stale +64 MiB +2 ",
                     fake("assemble", *d).err), "and the table shows it")
    write_at(d[3], 4096, superblock(3, features=OWNER))
    clone = loops.make("clone", 64, superblock(1, features=OWNER))
    refused("a clone", "clone", *d, clone)
    refused("a clone is found by scan", "clone.*raidctl new-uuid", DISK_NAME)
    fake.set(running(d))
    untouched(tap, fake, loops, "assemble: a copy of what runs",
              ["assemble", clone],
              f"runs already as /dev/mqr0, without {clone}.*raidctl new-uuid")
    loops.drop(clone)
    for i in range(4):
        write_at(d[i], 4096, superblock(i, features=OWNER, resync=0))
    started("dirty", 0, 4, *d)
    refused("dirty and degraded", "not shut down cleanly.*--force", *d[:3])
    started("dirty and degraded, by force", 3, 3, "--force", *d[:3])
    for i in range(4):
        write_at(d[i], 4096, superblock(i))
    refused("md's", "belongs to md.*raidctl adopt", *d, rc=USAGE)
    loops.clear()


def adoption(tap, fake, loops):
    d = make(loops)

    def owners():
        have = json.loads(lib.run("examine", "--json", *d).out)["devices"]
        return [(x["owner"], x["events"], x["bitmap"]) for x in have]

    fake.set()
    untouched(tap, fake, loops, "adopt: incomplete", ["adopt", *d[:3]],
              "all 4 members are needed", FAILED)
    held = os.open(d[3], os.O_RDWR | os.O_EXCL)
    untouched(tap, fake, loops, "adopt: in use", ["adopt", *d], "in use")
    os.close(held)
    changes = [
        ("dirty", dict(resync=0), r"not stopped cleanly", FAILED),
        ("degraded", dict(roles=[0, 1, 2, 0xfffe]), "all 4 members", FAILED),
        ("bad blocks", dict(features=8), "bad blocks", FAILED),
        ("journal", dict(features=512), "journal", FAILED),
        ("PPL", dict(features=1024), "PPL", FAILED),
        ("reshape", dict(features=4), "reshape", FAILED),
        ("level", dict(level=4), "(?i)level|RAID 4", FAILED),
        ("bitmap", dict(features=BITMAP, bitmap_offset=16), "--remove-bitmap",
         USAGE),
    ]
    for name, change, message, rc in changes:
        write_at(d[2], 4096, superblock(2, **change))
        for i in (0, 1, 3):
            same = {k: v for k, v in change.items() if k != "features" or
                    v == BITMAP}
            write_at(d[i], 4096, superblock(i, **same))
        untouched(tap, fake, loops, f"adopt: {name}", ["adopt", *d], message,
                  rc)
    at = 4096 + 16 * 512
    for i in range(4):
        write_at(d[i], at, b"bitm\4\0\0\0" + b"x" * 100)
    before = [digest(x, 4096, 4096, at, 8) for x in d]
    done = fake("adopt", "--remove-bitmap", *d)
    tap.ok(done.rc == OK and owners() == [("mqraid", 8, False)] * 4,
           "adopt --remove-bitmap", f"{done}{owners()}")
    with open(d[1], "rb") as f:
        f.seek(at)
        tap.ok(f.read(8) == bytes(8), "the bitmap is void")
    tap.ok([digest(x, 4096, 4096, at, 8) for x in d] == before,
           "adopt writes superblock and bitmap only")
    untouched(tap, fake, loops, "adopt again", ["adopt", *d],
              "mqraid's already")
    done = fake("release", DISK_NAME)
    tap.ok(done.rc == OK and owners() == [("md", 9, False)] * 4 and
           "mdadm --assemble" in done.out, "release by name", done)
    untouched(tap, fake, loops, "release again", ["release", *d], "md's already")
    done = fake("adopt", "--uuid", DISK_UUID_TEXT)
    tap.ok(done.rc == OK and owners() == [("mqraid", 10, False)] * 4,
           "adopt --uuid", done)
    fake.set(running(d))
    untouched(tap, fake, loops, "release while it runs", ["release", DISK_NAME],
              "raidctl stop mqr0")
    fake.set()
    write_at(d[0], 4096, superblock(0, events=9))
    done = fake("adopt", *d)
    tap.ok(done.rc == OK and owners() == [("mqraid", 11, False)] * 4,
           "adopt that was interrupted is finished", done)
    write_at(d[0], 4096, superblock(0, features=OWNER, events=3))
    untouched(tap, fake, loops, "release: a stale member", ["release", *d],
              "all 4 members", FAILED)
    loops.clear()


def uuids(devices):
    """(array UUID, device UUID, name, owner) of each, and all else."""
    have = json.loads(lib.run("examine", "--json", *devices).out)["devices"]
    keys = ("array_uuid", "device_uuid", "name", "owner")
    return [tuple(x.pop(k) for k in keys) for x in have], have


def new_uuid_refused(tap, fake, loops):
    d = make(loops, features=OWNER)
    spare = loops.make("d4", 64, superblock(4, features=OWNER))

    def refused(name, message, *args, rc=FAILED):
        untouched(tap, fake, loops, f"new-uuid: {name}", ["new-uuid", *args],
                  message, rc, lines=1)

    def refused_with(name, message, devices=(0, 1, 2, 3), rc=FAILED, **change):
        for i in devices:
            write_at(d[i], 4096, superblock(i, **{"features": OWNER, **change}))
        refused(name, message, *d, rc=rc)
        for i in devices:
            write_at(d[i], 4096, superblock(i, features=OWNER))

    fake.set()
    refused("incomplete", "all 4 members are needed", *d[:3])
    refused("spare only", "all 4 members are needed|too few", spare)
    refused("a device twice", f"the same device as {d[0]}", *d,
            "/proc/self/root" + d[0], rc=USAGE)
    held = os.open(d[3], os.O_RDWR | os.O_EXCL)
    refused("in use", f"{d[3]}: the device is in use", *d, rc=USAGE)
    os.close(held)
    clone = loops.make("clone", 64, superblock(1, features=OWNER))
    refused("original and copy",
            f"{d[1]} and {clone} both say that they are slot 1", *d, clone)
    write_at(clone, 4096, superblock(1, features=OWNER, events=3,
                                     device_uuid=b"x" * 16))
    refused("an older copy",
            f"{d[1]} and {clone} both say that they are slot 1", *d, clone)
    write_at(clone, 4096, superblock(4, features=OWNER))
    refused("a spare and its copy",
            f"{spare} and {clone} both have the same device UUID", *d, spare,
            clone)
    write_at(clone, 4096, superblock(1, set_uuid=b"o" * 16))
    refused("a stranger", f"{d[0]} and {clone} are of different arrays", *d,
            clone, rc=USAGE)
    refused("a UUID that another array has", f"--uuid 6f6f.*{clone} has it",
            "--uuid", "6f" * 16, *d, rc=USAGE)
    fake.set(status())
    refused("a UUID that runs", "--uuid .*data has it, which runs as /dev/mqr0",
            "--uuid", lib.ARRAY_UUID_TEXT, *d, rc=USAGE)
    refused("a name that runs", "name data: mqr0 has this name", "--name",
            "data", *d, rc=USAGE)
    fake.set()
    refused("its own UUID", "has this UUID already", "--uuid", DISK_UUID_TEXT,
            *d, rc=USAGE)
    refused("no superblock", "can't give it a new UUID: no md superblock",
            *d[:3], loops.make("blank", 64))
    refused_with("not clean", "not stopped cleanly", resync=0)
    refused_with("degraded", "all 4 members", roles=[0, 1, 2, 0xfffe])
    refused_with("a stale member", "all 4 members", [2], events=2)
    refused_with("a member of another shape", "contradict", [2], chunk=128)
    refused_with("half adopted", f"one of {d[0]} and {d[2]} belongs", [2],
                 features=0)
    refused_with("damaged", f"{d[3]}: can't .*checksum", [3], checksum=1)
    refused_with("unsupported", f"{d[3]}: can't .*journal", [3], features=512)
    refused_with("bitmap", f"{d[0]}: the array has a write-intent bitmap",
                 features=BITMAP, bitmap_offset=16, rc=USAGE)
    loops.clear()


def new_uuid(tap, fake, loops):
    for owner in (0, OWNER):
        fake.set()
        who = "mqraid" if owner else "md"
        d = [loops.make(f"o{i}", 64, superblock(i, features=owner))
             for i in range(4)]
        copy = [loops.make(f"c{i}", 64, superblock(i, features=owner))
                for i in range(5)]
        original = [digest(x) for x in d]
        rest = [digest(x, 4096, 4096) for x in copy]
        was, fields = uuids(copy)
        # The original may run meanwhile.
        fake.set(running(d))
        done = fake("new-uuid", "--json", *copy[::-1])
        new = json.loads(done.out).get("uuid")
        ids, now = uuids(copy)
        tap.ok(done.rc == OK and new != DISK_UUID_TEXT and
               {x[0] for x in ids} == {new} and
               len({x[1] for x in ids + was}) == 10 and
               {x[2:] for x in ids} == {(f"host:{DISK_NAME}", who)},
               f"new-uuid of {who}'s",
               f"{done}{ids}")
        tap.ok(now == fields and
               [digest(x, 4096, 4096) for x in copy] == rest,
               "nothing else changes", f"{fields}{now}")
        tap.ok([digest(x) for x in d] == original, "the original neither")
        done = fake("new-uuid", "--uuid", "ab" * 16, "--name", "second", *copy)
        ids, _ = uuids(copy)
        wanted = "abababab-abab-abab-abab-abababababab"
        tap.ok(done.rc == OK and {x[0] for x in ids} == {wanted} and
               all(re.fullmatch("([^:]*:)?second", x[2]) for x in ids) and
               ("raidctl assemble" if owner else "mdadm --assemble")
               in done.out, "new-uuid --uuid --name", f"{done}{ids}")
        # As if it had been interrupted.
        for i in (0, 2):
            write_at(copy[i], 4096, superblock(i, features=owner))
        untouched(tap, fake, loops, "new-uuid half done: says what to do",
                  ["new-uuid", *copy], "different arrays.*interrupted, --uuid")
        write_at(copy[2], 4096, superblock(2, features=owner, ctime=1))
        untouched(tap, fake, loops, "new-uuid: another array of this shape",
                  ["new-uuid", "--uuid", "ab" * 16, copy[1], *copy[2:4]],
                  "created at another time")
        write_at(copy[2], 4096, superblock(2, features=owner))
        done = fake("new-uuid", "--uuid", "ab" * 16, *copy)
        ids, _ = uuids(copy)
        tap.ok(done.rc == OK and {x[0] for x in ids} == {wanted} and
               len({x[2] for x in ids}) == 1 and "second" in ids[0][2],
               "new-uuid that was interrupted is finished", f"{done}{ids}")
        loops.clear()


def run(tap, fake, work):
    examine(tap, work)
    reason = Loops.why_not()
    if reason:
        tap.skip("everything with devices", reason)
        return
    loops = Loops()
    try:
        for test in (create_refused, create_signatures, create_over_members,
                     written, block_sizes, add, renamed, assembly, adoption,
                     new_uuid_refused, new_uuid):
            test(tap, fake, loops)
    finally:
        loops.end()
