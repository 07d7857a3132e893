# SPDX-License-Identifier: GPL-2.0
"""fio: its command line for a work, and its results.

The works of the engine run on io_uring as cheaply as fio can (registered
buffers and files, batches, no clock per I/O), since what fio itself costs is
part of every figure.  Latencies and the works of system calls use psync, one
call for each I/O.
"""

import json

from benchlib import work as works
from benchlib.tool import BenchError

# Taken and reaped at once, where the queue is deep enough.
BATCH = 16
PERCENTILES = {"p50": "50.000000", "p99": "99.000000", "p999": "99.900000"}


class FioError(BenchError):
    """fio failed, or says something that cannot be understood."""


def arguments(work, filename, jobs, seconds, bs_row=None, size=None):
    """The command that does a work for some seconds, with a JSON report.

    @work: a name or a Work;  @filename: path, or several in a list
    @bs_row: bytes of a full stripe
    @size: bytes to use of each file or device
    """
    work = works.WORKS[work] if isinstance(work, str) else work
    if work.rows and not bs_row:
        raise ValueError(f"{work.name} needs the size of a full stripe")
    paths = [filename] if isinstance(filename, str) else list(filename)
    size_of_io = works.bytes_of(work, bs_row)
    words = {
        "name": work.name, "filename": ":".join(map(escape, paths)),
        "rw": direction(work), "bs": size_of_io, "direct": 1,
        "time_based": None, "runtime": f"{max(1, round(seconds * 1000))}ms",
        "numjobs": jobs, "thread": None, "group_reporting": None}
    if size:
        words |= extent(paths, size, size_of_io)
    if work.op == "mix":
        words["rwmixread"] = 70
    if work.pattern == "rand":
        # Remembering what was visited costs more than the I/O.
        words["norandommap"] = None
    words |= engine(work)
    return ["fio", "--output-format=json"] + [
        f"--{key}" if value is None else f"--{key}={value}"
        for key, value in words.items()]


def escape(path):
    """Colons separate names."""
    return path.replace("\\", "\\\\").replace(":", "\\:")


def direction(work):
    """rw=: randread, write, randrw, ..."""
    op = {"mix": "rw"}.get(work.op, work.op)
    return ("rand" if work.pattern == "rand" else "") + op


def extent(paths, size, size_of_io):
    """A part of each; whole I/Os, or the last one would be short.

    Files are laid out first: what is measured is writing, not allocating.
    """
    size -= size % size_of_io
    if all(path.startswith("/dev/") for path in paths):
        return {"size": size * len(paths)}
    return {"filesize": size, "overwrite": 1, "fallocate": "none"}


def engine(work):
    if work.tool == "engine" and not work.latency:
        words = {"ioengine": "io_uring", "iodepth": work.qd,
                 "fixedbufs": None, "registerfiles": None, "gtod_reduce": 1}
        if work.qd >= 4 * BATCH:
            words |= {"iodepth_batch_submit": BATCH,
                      "iodepth_batch_complete_min": BATCH}
        return words
    words = {"ioengine": "psync", "lat_percentiles": 1, "clat_percentiles": 0,
             "percentile_list": "50:99:99.9"}
    if work.name == "dsync-4k":
        words["sync"] = "dsync"
    return words


def parse(text, work=None):
    """A sample, without repetition and CPU time, of the report of one run.

    The value is in the unit of @work, or else of the work that the job is
    named after.
    """
    job = only_job(text)
    work = work or job.get("jobname")
    if isinstance(work, str):
        if work not in works.WORKS:
            raise FioError(f"the job '{work}' is no work of ours")
        work = works.WORKS[work]
    try:
        return sample(job, work)
    except (KeyError, TypeError, ZeroDivisionError) as error:
        raise FioError("fio's report is not as expected: "
                       f"{type(error).__name__} {error}") from None


def only_job(text):
    """Warnings may stand before the report and behind it."""
    begin = text.find("{\n")
    if begin < 0:
        said = " ".join(text.split()) or "nothing"
        raise FioError(f"fio has no report; it said: {said[:300]}")
    try:
        report, _ = json.JSONDecoder().raw_decode(text, begin)
        jobs = report["jobs"]
    except (ValueError, KeyError) as error:
        raise FioError(f"fio's report cannot be read: {error}") from None
    if not isinstance(jobs, list) or len(jobs) != 1:
        raise FioError("fio's report is not of exactly one job")
    return jobs[0]


def sample(job, work):
    done = [job[way] for way in ("read", "write") if job[way]["total_ios"]]
    ios = sum(way["total_ios"] for way in done)
    size = sum(way["io_bytes"] for way in done)
    # Milliseconds; reads and writes of a mix end at about the same time.
    seconds = max((way["runtime"] for way in done), default=0) / 1000
    if not ios or not seconds:
        raise FioError(f"{work.name}: fio completed no I/O "
                       f"(its error code: {job.get('error', 0)})")
    latency = latency_us(done)
    mean_ns = latency["mean"] * 1000 if latency else None
    return {"value": works.value_of(work, ios, size, seconds, mean_ns),
            "seconds": seconds, "ios": ios, "bytes": size,
            "errors": job.get("total_err", 0) or int(bool(job["error"])),
            "cpu_seconds": None, "latency_us": latency}


def latency_us(done):
    """Of one direction only: percentiles of a mix can't be joined."""
    if len(done) != 1:
        return None
    times = done[0]["lat_ns"]
    if not times.get("N") or "percentile" not in times:
        return None
    return {"mean": times["mean"] / 1000} | {
        key: times["percentile"][name] / 1000
        for key, name in PERCENTILES.items()}
