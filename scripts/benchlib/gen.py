# SPDX-License-Identifier: GPL-2.0
"""The load generator in the kernel, tests/bench/mqrgen."""

import os

from benchlib import work as works
from benchlib.tool import BenchError, run, read

DIRECTORY = "/sys/kernel/debug/mqrgen"
# A run that is asked to end does so soon; more than this is a hang.
GRACE = 60


def words(**settings):
    """Settings in the generator's notation."""
    return " ".join(f"{key}={value}" for key, value in settings.items())


def settings_of(work, devices, cpus, row, seconds, size=None):
    """What makes the generator do a work.

    @row: bytes of a full stripe; @size: bytes to use of each device.
    """
    settings = {
        "dev": ",".join(devices), "op": work.op, "pattern": work.pattern,
        "bs": works.bytes_of(work, row), "qd": work.qd,
        "threads": works.jobs_of(work, cpus), "ms": max(1, int(seconds * 1000)),
        "plug": 1, "lat": int(work.latency)}
    if work.op == "mix":
        settings["rwmix"] = 70
    if size:
        settings["span_mb"] = size // works.MIB
    return settings


def parse(text):
    """{key: number} of a result."""
    numbers = {}
    for word in text.split():
        key, equals, value = word.partition("=")
        if not equals or not value.isdigit():
            raise BenchError(f"mqrgen: unexpected word '{word}' in its result")
        numbers[key] = int(value)
    missing = {"ns", "ios", "bytes", "errors"} - set(numbers)
    if missing:
        raise BenchError("mqrgen: its result has no " +
                         ", ".join(sorted(missing)))
    return numbers


def latency_us(numbers):
    """Latencies in µs, or None if they weren't taken."""
    if "lat_mean_ns" not in numbers:
        return None
    return {key: numbers[f"lat_{key}_ns"] / 1000
            for key in ("mean", "p50", "p99", "p999")}


def sample(work, numbers, cpu_seconds):
    """A sample as the result wants it; errors and idleness are failures."""
    if numbers["errors"]:
        raise BenchError(f"{work.name}: {numbers['errors']} I/O errors")
    if not numbers["ios"] or not numbers["ns"]:
        raise BenchError(f"{work.name}: not one I/O was completed")
    seconds = numbers["ns"] / 1e9
    value = works.value_of(work, numbers["ios"], numbers["bytes"], seconds,
                           numbers.get("lat_mean_ns"))
    return {"value": value, "seconds": seconds,
            "ios": numbers["ios"], "bytes": numbers["bytes"],
            "errors": numbers["errors"], "cpu_seconds": cpu_seconds,
            "latency_us": latency_us(numbers)}


def available():
    return os.path.isdir(DIRECTORY)


def load():
    """Load the module, built by scripts/guest --extra-module."""
    if not available():
        run("guest-module", "extra", "mqrgen")
    if not available():
        raise BenchError(f"mqrgen is loaded, but there is no {DIRECTORY}")


def start(settings):
    """Start a run; the kernel's log explains a refusal."""
    text = words(**settings)
    try:
        with open(f"{DIRECTORY}/start", "w", encoding="ascii") as file:
            file.write(text)
    except OSError as error:
        raise BenchError(f"mqrgen refuses '{text}': {error.strerror}; "
                         f"the kernel said: {last_words()}") from None


def last_words():
    """What the module said last."""
    lines = [line for line in run("dmesg").splitlines() if "mqrgen" in line]
    return lines[-1] if lines else "nothing"


def wait():
    """Until the run is over: its numbers."""
    return parse(read(f"{DIRECTORY}/wait"))


def interval():
    """Numbers of the time since the last call."""
    return parse(read(f"{DIRECTORY}/interval"))


def stop():
    """End a run early: its numbers."""
    with open(f"{DIRECTORY}/stop", "w", encoding="ascii") as file:
        file.write("1")
    return wait()


def go(settings):
    start(settings)
    return wait()
