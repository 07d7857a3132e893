# SPDX-License-Identifier: GPL-2.0
"""As many guests at a time as there are CPUs, or all of them crawl."""

import contextlib
import fcntl
import os
import random


def slots():
    """MQRAID_GUESTS overrides the number of CPUs; 0: no limit."""
    return int(os.environ.get("MQRAID_GUESTS", os.cpu_count() or 1))


@contextlib.contextmanager
def taken(directory):
    """Wait for one of the slots of this machine and hold it."""
    count = slots()
    if not count:
        yield
        return
    os.makedirs(directory, exist_ok=True)
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(
            open(os.path.join(directory, f"guest-slot.{number}"), "w",
                 encoding="ascii")) for number in range(count)]
        for file in files:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
        else:
            fcntl.flock(random.choice(files), fcntl.LOCK_EX)
        yield
