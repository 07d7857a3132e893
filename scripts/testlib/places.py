# SPDX-License-Identifier: GPL-2.0
"""Where things are."""

import os

SCRIPTS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
CHECKOUT = os.path.dirname(SCRIPTS)
SYSTEM = os.path.join(CHECKOUT, "tests", "system")
LOGS = os.path.join(CHECKOUT, "build", "test")


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()
