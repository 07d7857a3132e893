# SPDX-License-Identifier: GPL-2.0
"""Small objects, as an object store writes them: tests/bench/objects."""

import os

from benchlib import work as works
from benchlib.cpu import Meter
from benchlib.tool import CHECKOUT, BenchError, run

PROGRAM = os.path.join(CHECKOUT, "build", "objects")
WORK = works.WORKS["objects"]
PERCENTILES = {"mean": "mean_ns", "p50": "p50_ns", "p99": "p99_ns",
               "p999": "p999_ns"}


def build():
    run("make", "-s", "-C", os.path.join(CHECKOUT, "tests", "bench"),
        patience=300)


def parse(text, cpu_seconds):
    """A sample of what the program prints.  Pure."""
    found = dict(line.partition("=")[::2] for line in text.splitlines())
    try:
        objects, size = int(found["objects"]), int(found["bytes"])
        seconds, errors = float(found["seconds"]), int(found["errors"])
        latency = {key: int(found[name]) / 1000
                   for key, name in PERCENTILES.items()}
    except (KeyError, ValueError) as error:
        raise BenchError(f"objects: cannot read its result: {error}") from None
    if errors or not objects or not seconds:
        raise BenchError(f"objects: {objects} objects, {errors} errors")
    return {"value": works.value_of(WORK, objects, size, seconds),
            "seconds": seconds, "ios": objects, "bytes": size,
            "errors": errors, "cpu_seconds": cpu_seconds,
            "latency_us": latency}


def argv(place, jobs, seconds):
    return [PROGRAM, "--dir", place, "--threads", str(jobs),
            "--seconds", f"{seconds:g}"]


def measure(place, plan):
    """(tool, command, sample) of the work in an empty directory."""
    jobs = works.jobs_of(WORK, plan.cpus)
    words = argv(place, jobs, plan.seconds)
    for directory in (place, place + ".warmup"):
        os.makedirs(directory)
    run(*argv(place + ".warmup", jobs, plan.warmup))
    meter = Meter()
    text = run(*words, patience=60 + 10 * plan.seconds)
    return "objects", " ".join(words), parse(text, meter.seconds())
