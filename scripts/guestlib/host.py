# SPDX-License-Identifier: GPL-2.0
"""What all parts of the runner share: places, messages, failure."""

import hashlib
import os
import subprocess
import sys

LIB = os.path.dirname(os.path.realpath(__file__))
SCRIPTS = os.path.dirname(LIB)
CHECKOUT = os.path.dirname(SCRIPTS)
CACHE = os.environ.get("MQRAID_CACHE", "/var/cache/mqraid")


class Failure(Exception):
    """The run cannot go on; status is what the runner exits with."""

    def __init__(self, message, status=126):
        super().__init__(message)
        self.status = status


def say(text):
    print(f"guest: {text}", file=sys.stderr, flush=True)


def digest(*parts):
    """A short key that changes with any of the strings."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def call(argv, what):
    """Run a program; on failure show all it printed."""
    result = subprocess.run(argv, stdin=subprocess.DEVNULL, text=True,
                            stdout=subprocess.PIPE, check=False,
                            stderr=subprocess.STDOUT)
    if result.returncode:
        sys.stderr.write(result.stdout)
        raise Failure(f"{what} failed")
    return result.stdout
