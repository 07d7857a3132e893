# SPDX-License-Identifier: GPL-2.0
"""How a session tells what it finds: as calls, or as lines across a guest's
border.

A record is a kind and fields:

  progress     planned, total, seconds, kind, level, state, contestant,
               repetition
  sample       arguments of Result.add_sample()
  rebuild      arguments of Result.add_rebuild()
  sweep        arguments of Result.add_sweep()
  contestant   name, about, settings, commands
  machine, versions, parameters, locks
  skip         what, why
  note         text
"""

import json
import sys

# Begins a line that is a record; other lines are for people.
MARK = "@bench "


def emit(kind, /, **fields):
    """In a guest: tell the host."""
    sys.stdout.write(MARK + json.dumps({"kind": kind, "fields": fields}) + "\n")
    sys.stdout.flush()


def parse(line):
    """(kind, fields) of a line that is a record, else None."""
    if not line.startswith(MARK):
        return None
    record = json.loads(line[len(MARK):])
    return record["kind"], record["fields"]
