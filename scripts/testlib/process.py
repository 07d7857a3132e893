# SPDX-License-Identifier: GPL-2.0
"""Running programs so that none of them outlives the test run."""

import subprocess
import time

from testlib.places import CHECKOUT


def run(argv, path):
    """Run with all output to the file @path: exit status and seconds."""
    started = time.monotonic()
    with open(path, "wb") as log:
        # Told to end when we are gone, however that came.
        status = subprocess.run(
            ["setpriv", "--pdeathsig", "TERM", *argv], cwd=CHECKOUT,
            check=False, stdin=subprocess.DEVNULL, stdout=log,
            stderr=log).returncode
    return status, time.monotonic() - started
