# SPDX-License-Identifier: GPL-2.0
"""What is seen while a run goes on: the time left, and each table as soon as
all of its figures are there."""

import sys

from benchlib import names, table


class Display:
    """progress() is called before each step; @result is the run's own."""

    def __init__(self, stream=None):
        self.stream = stream or sys.stdout
        self.live = self.stream.isatty()
        self.place = None
        self.shown = None

    def progress(self, result, planned, total, seconds, level, state, cpus,
                 **step):
        place = (level, state, cpus) if level and state else self.place
        if self.place and place != self.place:
            self.table(result)
        self.place = place
        text = self.text(level, state, **step)
        # Elsewhere a line for each repetition is enough.
        if self.live or text != self.shown:
            table.print_progress(planned, total, seconds, text, self.stream)
            self.shown = text

    def text(self, level, state, kind, contestant, repetition):
        what = f"{names.LEVELS.get(level, level)} {state}".strip()
        if kind == "sweep":
            return f"{what}: tuning md"
        what = f"{what or names.STATES['raw']}, repetition {repetition + 1}"
        return f"{what}, {contestant}" if self.live else what

    def table(self, result):
        """The figures of the place that is now complete."""
        table.end_progress(self.stream)
        data = result.finish()
        level, state, cpus = self.place
        for place in table.places(data):
            if (place[0], place[1], place[3]) == (level, state, cpus):
                self.stream.write(
                    "\n" + table.text_of(table.section(data, *place)) +
                    "\n\n")
        self.stream.flush()

    def end(self):
        """The rest is in the whole table, which comes next."""
        table.end_progress(self.stream)
        self.place = None
