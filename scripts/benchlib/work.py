# SPDX-License-Identifier: GPL-2.0
"""The works: what is done to a device, by which tool, in which unit."""

import dataclasses

KIB = 1 << 10
MIB = 1 << 20
# Instead of a size: one full stripe.
ROW = "row"
# Instead of a number of jobs: one for each CPU.
CPUS = "cpus"


@dataclasses.dataclass(frozen=True)
class Work:
    """One row of the table below.

    tool: engine for those that an in-kernel generator can make, fio for those
    that are about system calls; other works have measurements of their own.
    """

    name: str
    about: str
    unit: str
    tool: str = "engine"
    op: str = "read"
    pattern: str = "seq"
    bs: object = 4 * KIB
    qd: int = 1
    jobs: object = 1

    @property
    def better(self):
        return "lower" if self.unit == "us" else "higher"

    @property
    def latency(self):
        return self.unit == "us"

    @property
    def rows(self):
        return self.bs == ROW


def table(*works):
    return {work.name: work for work in works}


WORKS = table(
    Work("seqwrite-1m", "sequential writes of 1 MiB, QD32, 1 job", "MiB/s",
         op="write", bs=MIB, qd=32),
    Work("seqread-1m", "sequential reads of 1 MiB, QD32, 1 job", "MiB/s",
         bs=MIB, qd=32),
    Work("rowwrite", "writes of one full stripe each, QD32, 1 job", "MiB/s",
         op="write", bs=ROW, qd=32),
    Work("seqwrite-128k", "sequential writes of 128 KiB, QD32, 1 job",
         "MiB/s", op="write", bs=128 * KIB, qd=32),
    Work("seqread-128k", "sequential reads of 128 KiB, QD32, 1 job", "MiB/s",
         bs=128 * KIB, qd=32),
    Work("randwrite-4k", "random 4K writes, QD64, a job each CPU", "iops",
         op="write", pattern="rand", qd=64, jobs=CPUS),
    Work("randread-4k", "random 4K reads, QD64, a job each CPU", "iops",
         pattern="rand", qd=64, jobs=CPUS),
    Work("mix70-4k", "random 4K, 70 % reads, QD64, a job each CPU", "iops",
         op="mix", pattern="rand", qd=64, jobs=CPUS),
    Work("lat-read-4k", "random 4K reads, QD1: mean latency", "us",
         pattern="rand"),
    Work("lat-write-4k", "random 4K writes, QD1: mean latency", "us",
         op="write", pattern="rand"),
    Work("dsync-4k", "random 4K O_DSYNC writes, psync, a job each CPU",
         "iops", "fio", op="write", pattern="rand", jobs=CPUS),
    Work("classic-1m-write", "1 MiB sequential writes, psync, 1 job", "MiB/s",
         "fio", op="write", bs=MIB),
    Work("classic-1m-read", "1 MiB sequential reads, psync, 1 job", "MiB/s",
         "fio", bs=MIB),
    Work("classic-4k-write", "random 4K writes, psync, 4 jobs", "iops",
         "fio", op="write", pattern="rand", jobs=4),
    Work("classic-4k-read", "random 4K reads, psync, 4 jobs", "iops",
         "fio", pattern="rand", jobs=4),
    Work("objects", "small files: create, write 4K to 64K, fsync, rename",
         "objects/s", "objects", op="write", jobs=CPUS),
    Work("rebuild", "the replaced member, as far as it got", "MiB/s",
         "driver", op="write"),
)

# The load during a rebuild.
LOAD = Work("mix70-4k", "random 4K, 70 % reads, QD16, a job each CPU", "iops",
            op="mix", pattern="rand", qd=16, jobs=CPUS)

ENGINE = [name for name, work in WORKS.items() if work.tool == "engine"]
FIO = [name for name, work in WORKS.items() if work.tool == "fio"]


def jobs_of(work, cpus):
    return cpus if work.jobs == CPUS else work.jobs


def bytes_of(work, row):
    """Bytes of one I/O; @row is the data of a full stripe."""
    return row if work.rows else work.bs


def value_of(work, ios, size, seconds, mean_ns=None):
    """The figure of a measurement, in the work's unit."""
    if work.unit == "us":
        return mean_ns / 1000
    if work.unit == "MiB/s":
        return size / MIB / seconds
    return ios / seconds


def row_bytes(level, disks, chunk_kib):
    """Data of a full stripe; None where there are no stripes to fill."""
    data = {"raid6": disks - 2, "raid5": disks - 1, "raid0": disks,
            "raid10": disks // 2}.get(level)
    return data * chunk_kib * KIB if data else None
