# SPDX-License-Identifier: GPL-2.0
"""What the tests of raidctl share: TAP, a fake module, members made by hand."""

import ctypes
import os
import struct
import subprocess
import tempfile
import uuid

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
RAIDCTL = os.environ.get("RAIDCTL", os.path.join(TOP, "build", "raidctl"))

# Exit codes
OK, DEGRADED, FAILED, USAGE, SYSTEM = range(5)


class Tap:
    """Counts and prints results."""

    def __init__(self):
        self.n = self.failed = 0

    def ok(self, good, name, detail=""):
        self.n += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.n} - {name}", flush=True)
        if not good:
            for line in str(detail).splitlines():
                print(f"# {line}")
        return good

    def skip(self, name, reason):
        self.n += 1
        print(f"ok {self.n} - {name} # SKIP {reason}", flush=True)

    def end(self):
        print(f"1..{self.n}")
        return 1 if self.failed else 0


class Struct(ctypes.LittleEndianStructure):
    pass


class Dev(Struct):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32)]


class MemberInfo(Struct):
    """struct mqr_member_info"""
    _fields_ = [("dev", Dev), ("slot", ctypes.c_int32),
                ("state", ctypes.c_uint32), ("uuid", ctypes.c_uint8 * 16),
                ("data_offset", ctypes.c_uint64),
                ("data_size", ctypes.c_uint64),
                ("recovery_offset", ctypes.c_uint64),
                ("dev_number", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("read_errors", ctypes.c_uint64),
                ("write_errors", ctypes.c_uint64),
                ("corrected", ctypes.c_uint64), ("reads", ctypes.c_uint64),
                ("writes", ctypes.c_uint64),
                ("read_sectors", ctypes.c_uint64),
                ("write_sectors", ctypes.c_uint64)]


class Status(Struct):
    """struct mqr_ioc_status"""
    _fields_ = [("size", ctypes.c_uint32), ("flags", ctypes.c_uint32),
                ("array", ctypes.c_uint32), ("sync_action", ctypes.c_uint32),
                ("state", ctypes.c_uint32), ("raid_disks", ctypes.c_uint32),
                ("level", ctypes.c_int32), ("layout", ctypes.c_uint32),
                ("chunk_sectors", ctypes.c_uint32),
                ("logical_block_size", ctypes.c_uint32),
                ("array_sectors", ctypes.c_uint64),
                ("member_sectors", ctypes.c_uint64),
                ("uuid", ctypes.c_uint8 * 16), ("name", ctypes.c_char * 36),
                ("members", ctypes.c_uint32), ("events", ctypes.c_uint64),
                ("ctime", ctypes.c_uint64), ("utime", ctypes.c_uint64),
                ("sync_done", ctypes.c_uint64),
                ("sync_total", ctypes.c_uint64),
                ("sync_speed", ctypes.c_uint64),
                ("mismatches", ctypes.c_uint64),
                ("unmended", ctypes.c_uint64),
                ("lost_sectors", ctypes.c_uint64),
                ("last_action", ctypes.c_uint32),
                ("last_result", ctypes.c_int32), ("dev", Dev),
                ("member", MemberInfo * 128)]


IDLE, RESYNC, REBUILD, CHECK, REPAIR = range(5)
ABSENT, SPARE, REBUILDING, IN_SYNC, FAULTY = range(5)
A_DEGRADED, A_FAILED, A_ACTIVE, A_OPEN, A_DIRTY = 1, 2, 4, 8, 16
ALL_DONE = 2**64 - 1

ARRAY_UUID = bytes(range(16))
ARRAY_UUID_TEXT = "00010203-0405-0607-0809-0a0b0c0d0e0f"
# On devices others may look for arrays at the same time.
DISK_UUID = os.urandom(16)
DISK_UUID_TEXT = str(uuid.UUID(bytes=DISK_UUID))
DISK_NAME = f"cli{os.getpid()}"
# Major number of devices that don't exist.
GONE = 511


def device_uuid(i):
    return bytes([0xd0 + i]) + bytes(15)


def status(array=0, **fields):
    """A RAID 6 over four members, all well; @fields change what they name."""
    s = Status(size=ctypes.sizeof(Status), array=array, raid_disks=4, level=6,
               layout=2, chunk_sectors=256, logical_block_size=512,
               array_sectors=258048, member_sectors=129024,
               name=b"host:data", members=4, events=7, ctime=1700000000,
               utime=1700000100, dev=Dev(GONE, array))
    s.uuid[:] = ARRAY_UUID
    for i in range(4):
        m = s.member[i]
        m.dev = Dev(GONE, 16 * (i + 1))
        m.slot, m.state, m.dev_number = i, IN_SYNC, i
        m.uuid[:] = device_uuid(i)
        m.data_offset, m.data_size = 2048, 129024
        m.recovery_offset = ALL_DONE
    for name, value in fields.items():
        setattr(s, name, value)
    return s


def lose(s, *slots):
    """Empty slots."""
    for slot in slots:
        s.member[slot] = MemberInfo(slot=slot, state=ABSENT)
    s.state |= A_DEGRADED
    return s


def append(s, state, minor, number, slot=-1):
    """One more device behind the slots."""
    m = s.member[s.members]
    m.dev, m.slot, m.state, m.dev_number = Dev(GONE, minor), slot, state, number
    m.uuid[:] = device_uuid(number)
    s.members += 1
    return s


class Fake:
    """raidctl with a stand-in for the module."""

    def __init__(self, directory):
        self.dir = os.path.join(directory, "fake")
        self.lib = os.path.join(directory, "fake_control.so")
        os.makedirs(self.dir)
        subprocess.run(
            ["gcc", "-shared", "-fPIC", "-Wall", "-D_GNU_SOURCE",
             "-I" + os.path.join(TOP, "include"),
             os.path.join(HERE, "fake_control.c"), "-o", self.lib],
            check=True)
        self.set()

    def path(self, name):
        return os.path.join(self.dir, name)

    def set(self, *states, fail=None):
        """What runs, and which call fails; forgets the log."""
        with open(self.path("status"), "wb") as f:
            for s in states:
                f.write(bytes(s))
        with open(self.path("fail"), "w", encoding="ascii") as f:
            f.write(fail or "")
        open(self.path("log"), "w", encoding="ascii").close()

    def log(self):
        with open(self.path("log"), encoding="ascii") as f:
            return f.read()

    def __call__(self, *args):
        env = dict(os.environ, LD_PRELOAD=self.lib, RAIDCTL_FAKE=self.dir)
        return run(*args, env=env)


class Result:
    def __init__(self, done):
        self.rc = done.returncode
        self.out = done.stdout.decode("utf-8", "backslashreplace")
        self.err = done.stderr.decode("utf-8", "backslashreplace")

    def __str__(self):
        return f"exit code {self.rc}\n{self.out}{self.err}"


def run(*args, env=None):
    return Result(subprocess.run([RAIDCTL, *args], env=env, check=False,
                                 stdin=subprocess.DEVNULL,
                                 capture_output=True, timeout=60))


def superblock(slot=0, **change):
    """
    The 4096 bytes of a version 1.2 superblock, written without any of
    mqraid's code.  Names are md's.
    """
    f = dict(magic=0xa92b4efc, major=1, features=0, pad0=0,
             set_uuid=DISK_UUID, name=b"host:" + DISK_NAME.encode(), ctime=1700000000, level=6,
             layout=2, size=129024, chunk=256, disks=4, bitmap_offset=0,
             data_offset=2048, data_size=129024, super_offset=8, recovery=0,
             number=slot, corrected=0, device_uuid=device_uuid(slot),
             bblog_size=8, bblog_offset=8, utime=1700000100, events=7,
             resync=ALL_DONE, max_dev=128, block_size=0,
             roles=[0, 1, 2, 3], checksum=None)
    f.update(change)
    head = struct.pack("<4I16s32sQiIQIIi", f["magic"], f["major"],
                       f["features"], f["pad0"], f["set_uuid"], f["name"],
                       f["ctime"], f["level"], f["layout"], f["size"],
                       f["chunk"], f["disks"], f["bitmap_offset"])
    head += bytes(128 - len(head))
    head += struct.pack("<4QII16sBBHi", f["data_offset"], f["data_size"],
                        f["super_offset"], f["recovery"], f["number"],
                        f["corrected"], f["device_uuid"], 0, 0,
                        f["bblog_size"], f["bblog_offset"])
    head += struct.pack("<3Q", f["utime"], f["events"], f["resync"])
    tail = struct.pack("<II", f["max_dev"], f["block_size"])
    roles = f["roles"] + [0xffff] * (f["max_dev"] - len(f["roles"]))
    rest = tail.ljust(256 - 220, b"\0") + struct.pack(f"<{len(roles)}H", *roles)
    raw = head + bytes(4) + rest
    words = struct.unpack(f"<{len(raw) // 4}I", raw)
    total = sum(words)
    checksum = ((total & 0xffffffff) + (total >> 32)) & 0xffffffff
    if f["checksum"] is not None:
        checksum = f["checksum"]
    raw = head + struct.pack("<I", checksum) + rest
    return raw.ljust(4096, b"\0")


def write_at(path, offset, data):
    with open(path, "r+b") as f:
        f.seek(offset)
        f.write(data)


def image(directory, name, mib=64, sb=None):
    """A file of @mib MiB with superblock @sb; its path."""
    path = os.path.join(directory, name)
    with open(path, "wb") as f:
        f.truncate(mib << 20)
    if sb:
        write_at(path, 4096, sb)
    return path


class Loops:
    """Loop devices that vanish in the end."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="mqr-cli-")
        self.device = {}

    @staticmethod
    def why_not():
        """A reason why there are no loop devices here, or None."""
        if os.geteuid():
            return "needs root"
        done = subprocess.run(["losetup", "--find"], check=False,
                              capture_output=True)
        return None if not done.returncode else "no loop devices"

    def add(self, path, *options):
        done = subprocess.run(
            ["losetup", "--find", "--show", *options, path], check=True,
            capture_output=True, text=True)
        self.device[path] = done.stdout.strip()
        return self.device[path]

    def make(self, name, mib=64, sb=None, options=()):
        return self.add(image(self.dir, name, mib, sb), *options)

    def drop(self, device):
        path = next(p for p, d in self.device.items() if d == device)
        subprocess.run(["losetup", "--detach", device], check=False)
        os.unlink(path)
        del self.device[path]

    def clear(self):
        for device in list(self.device.values()):
            self.drop(device)

    def end(self):
        self.clear()
        os.rmdir(self.dir)
