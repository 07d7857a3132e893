# SPDX-License-Identifier: GPL-2.0
"""The terminal: progress while it runs, tables of figures.

sections() is what markdown.py prints as well.
"""

import sys
import unicodedata
from typing import NamedTuple

from benchlib import names
from benchlib.stats import median_of

# Behind figures whose repetitions differ by more than the noise limit.
NOISY = "~"


class Section(NamedTuple):
    """A table; cells[i] are those that rows[i] was made of."""

    title: str
    header: list
    rows: list
    cells: list


# --- progress --------------------------------------------------------------

def clock(seconds):
    """'3:07' or '1:02:45'"""
    minutes, seconds = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes:02}:{seconds:02}"
    return f"{minutes}:{seconds:02}"


def progress_line(done, total, elapsed, what):
    """@done of @total, in any unit of work, took @elapsed seconds."""
    share = done / total if total else 1
    left = clock(elapsed / share * (1 - share)) if share > 0 else "?"
    return f"{share * 100:3.0f} %  {left:>7} left  {what}"


def print_progress(done, total, elapsed, what, stream=None):
    """On a terminal, over the line before."""
    stream = stream or sys.stdout
    line = progress_line(done, total, elapsed, what)
    stream.write(f"\r{line}\x1b[K" if stream.isatty() else line + "\n")
    stream.flush()


def end_progress(stream=None):
    """So that what comes next has a line of its own."""
    stream = stream or sys.stdout
    if stream.isatty():
        stream.write("\r\x1b[K")
        stream.flush()


# --- tables ----------------------------------------------------------------

def mark(cell):
    return f" {NOISY}" if cell["noisy"] else ""


def figure(cell, spread=False):
    """The median, and with @spread from where to where."""
    if not cell:
        return "-"
    text = names.amount(cell["median"], cell["unit"])
    if spread and cell["min"] != cell["max"]:
        low, high = (names.amount(cell[key], cell["unit"])
                     for key in ("min", "max"))
        units = {name.partition(" ")[2] for name in (text, low, high)}
        # A unit that all have is not repeated.
        if len(units) == 1:
            low, high = (name.partition(" ")[0] for name in (low, high))
        text += f" ({low} to {high})"
    return text + mark(cell)


def by_contestant(cells):
    """{work: {contestant: cell}}, in the order of @cells"""
    found = {}
    for cell in cells:
        found.setdefault(cell["work"], {})[cell["contestant"]] = cell
    return found


def contestants(cells):
    present = {cell["contestant"] for cell in cells}
    return sorted(present, key=lambda name: names.rank(names.CONTESTANTS,
                                                       name))


def places(data):
    """(level, state, fs, cpus) of all cells, in the order of tables."""
    return list(dict.fromkeys(
        (cell["level"], cell["state"], cell["fs"], cell["cpus"])
        for cell in sorted(data["cells"], key=names.cell_rank)))


def cells_at(data, level, state, fs, cpus):
    return sorted((cell for cell in data["cells"]
                   if (cell["level"], cell["state"], cell["fs"],
                       cell["cpus"]) == (level, state, fs, cpus)),
                  key=names.cell_rank)


def title(data, level, state, fs, cpus):
    parts = [names.STATES.get(state, state)]
    if level:
        parts.insert(0, names.level(level, data["parameters"]["drives"]))
    if fs:
        parts.append(f"files on {fs}")
    parts.append(f"{cpus} CPU{'s' * (cpus != 1)}")
    return ", ".join(parts)


def section(data, level, state, fs, cpus, spread=False):
    """All works and contestants at one place, side by side."""
    cells = cells_at(data, level, state, fs, cpus)
    present = contestants(cells)
    header = ["work"]
    for name in present:
        header.append(name)
        if name not in names.MD and name != "raw":
            header += ["× md", "of limit"]
    rows = []
    for work, found in by_contestant(cells).items():
        row = [work]
        for name in present:
            cell = found.get(name)
            row.append(figure(cell, spread))
            if name not in names.MD and name != "raw":
                row += [names.times(cell and cell["ratio_to_md"]),
                        names.percent(cell and cell["share_of_limit"])]
        rows.append(row)
    return Section(title(data, level, state, fs, cpus), header, rows, cells)


def sections(data, spread=False):
    """All of them, raw members first."""
    found = [section(data, *place, spread=spread) for place in places(data)]
    return sorted(found, key=lambda one: one.cells[0]["contestant"] != "raw")


def rebuild_section(data):
    """Rebuilds: how fast, and what the load got meanwhile (medians)."""
    groups = {}
    for one in data["rebuilds"]:
        key = (one["level"], one["load"], one["contestant"])
        groups.setdefault(key, []).append(one)
    rows = []
    for (level, load, contestant), group in groups.items():
        points = [point for one in group for point in one["series"]]
        rows.append([
            names.LEVELS.get(level, level), load or "idle", contestant,
            names.amount(median_of(one["mib_s"] for one in group), "MiB/s"),
            names.amount(median_of(p["load_iops"] for p in points), "iops"),
            names.amount(median_of(p["load_p99_us"] for p in points), "us"),
            f"{sum(one['complete'] for one in group)} of {len(group)}"])
    return Section("Rebuilds", ["level", "load", "contestant", "speed",
                                "load gets", "p99 of the load", "complete"],
                   rows, [])


def locks_section(data):
    """Locks that were taken per I/O, the driver's own first."""
    rows = []
    for path in data["locks"] or ():
        rows += [[path["path"], "own", lock["name"],
                  f"{lock['per_io']:.4f}", "-"] for lock in path["own"]]
        if not path["own"]:
            rows.append([path["path"], "own", "none", "0", "-"])
        rows += [[path["path"], "below", lock["name"],
                  f"{lock['per_io']:.4f}", str(lock["contentions"])]
                 for lock in path["contended"]]
    return Section("Locks", ["path", "whose", "lock", "per I/O",
                             "contentions"], rows, [])


# --- as text ---------------------------------------------------------------

def width(text):
    return sum(0 if unicodedata.combining(character) else 1
               for character in text)


def pad(text, columns, left):
    space = " " * (columns - width(text))
    return text + space if left else space + text


def text_of(one):
    """A section in columns; words to the left, figures to the right."""
    lines = [one.header, *one.rows]
    widths = [max(width(line[at]) for line in lines)
              for at in range(len(one.header))]
    left = [not all(row[at] == "-" or row[at][:1].isdigit()
                    for row in one.rows) for at in range(len(one.header))]
    left[0] = True
    return "\n".join([one.title, "-" * width(one.title)] + [
        "  ".join(pad(*column) for column in zip(line, widths, left)).rstrip()
        for line in lines])


def render(data):
    """All figures for a terminal."""
    found = sections(data)
    found += [one for one in (rebuild_section(data), locks_section(data))
              if one.rows]
    parts = [text_of(one) for one in found]
    foot = []
    if any(cell["noisy"] for cell in data["cells"]):
        foot.append(f"{NOISY}  repetitions differ by more than a factor of "
                    f"{data['parameters']['noise_limit']:g}")
    foot += [f"note: {text}" for text in data["notes"]]
    foot += [f"skipped: {entry['what']}: {entry['why']}"
             for entry in data["skipped"]]
    if foot:
        parts.append("\n".join(foot))
    return "\n\n".join(parts) + "\n"
