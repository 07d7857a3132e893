# SPDX-License-Identifier: GPL-2.0
"""The four outputs: a table on the terminal, JSON, Markdown, charts."""

import os
import shlex
import sys

from benchlib import charts, compare, markdown, schema, table
from benchlib.tool import BenchError

PARTIAL = "partial.json"


def command(argv=None):
    return shlex.join(["scripts/bench", *(argv or sys.argv[1:])])


def write(result, out):
    """Finish a result; print it and write its files."""
    data = result.finish()
    errors = schema.validate(data)
    os.makedirs(out, exist_ok=True)
    result.dump(os.path.join(out, "result.json"))
    if errors:
        raise BenchError("the result is not as its schema says:\n  " +
                         "\n  ".join(errors))
    print(table.render(data), flush=True)
    for name in leftovers(out):
        os.unlink(os.path.join(out, name))
    drawn = charts.write(data, out)
    report = os.path.join(out, "result.md")
    with open(report, "w", encoding="utf-8") as file:
        file.write(markdown.render(data, drawn, out))
    paths = [os.path.join(out, "result.json"), report, *drawn]
    print("written: " + " ".join(map(os.path.relpath, paths)), flush=True)


def keep_partial(result, out):
    """What a run had when it failed: to look into, not to believe."""
    if result.data["cells"]:
        result.finish()
        os.makedirs(out, exist_ok=True)
        result.dump(os.path.join(out, PARTIAL))


def leftovers(out):
    """Files of an earlier run that would be taken for this one's."""
    return [name for name in os.listdir(out)
            if name.endswith(".svg") or name == PARTIAL]


def compared(old, data, percent):
    """Print what changed; true if something got slower than it may."""
    lines, regressed = compare.compare(old, data, percent)
    print("\n".join(lines), flush=True)
    return regressed
