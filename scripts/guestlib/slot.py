# SPDX-License-Identifier: GPL-2.0
"""As many guests at a time as there are CPUs, or all of them crawl."""

import contextlib
import fcntl
import os
import time


def slots():
    """MQRAID_GUESTS overrides the number of CPUs; 0: no limit."""
    return int(os.environ.get("MQRAID_GUESTS", os.cpu_count() or 1))


def free(file):
    """Take the slot unless somebody has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


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
        while not any(free(file) for file in files):
            # Locks of several files can't be waited for together.
            time.sleep(0.5)
        yield
