# SPDX-License-Identifier: GPL-2.0
"""SVG charts of a result: what is shown where.  gnuplot.py draws."""

import os
import re
import statistics

from benchlib import gnuplot, names, table
from benchlib.gnuplot import GnuplotError, Sheet  # noqa: F401 (for callers)

COLOURS = {"raw": gnuplot.BLACK, "md": gnuplot.GREY,
           "md-tuned": gnuplot.ORANGE, "mqraid": gnuplot.BLUE,
           "mqraid-zc": gnuplot.SKY}
UNITS = ("MiB/s", "iops", "us", "objects/s")
STATES = ("healthy", "lost1", "lost2")
# Rebuilds other than the median one are shown, but thin.
THICK, THIN = 2.5, 0.7
IDEAL = "#bbbbbb"
# Panels of a sheet side by side.
ACROSS = 4
# Heights of rows, in pixels.
RATIO_ROW, AMOUNT_ROW = 300, 360


def write(data, directory):
    """Write all charts that there are figures for; returns their paths."""
    os.makedirs(directory, exist_ok=True)
    paths = []
    for name, sheet in sheets(data):
        paths.append(os.path.join(directory, name + ".svg"))
        sheet.write(paths[-1])
    return paths


def file_names(data):
    """What write() calls them."""
    return [name + ".svg" for name, _ in sheets(data)]


def sheets(data):
    """(file name, Sheet), most telling first."""
    cells = [cell for cell in data["cells"] if cell["contestant"] != "raw"]
    levels = sorted({one["level"] for one in cells + data["rebuilds"]},
                    key=lambda level: names.rank(names.LEVELS, level))
    for level in levels:
        mine = [cell for cell in cells if cell["level"] == level]
        for fs in sorted({cell["fs"] for cell in mine},
                         key=lambda fs: fs or ""):
            here = [cell for cell in mine if cell["fs"] == fs and
                    cell["state"] in STATES]
            suffix = f"{level}-{fs}" if fs else level
            if here:
                yield from bar_sheets(data, here, suffix)
                yield from scaling_sheets(data, here, suffix)
        rebuilds = [one for one in data["rebuilds"] if one["level"] == level]
        if rebuilds:
            yield f"rebuild-{level}", rebuild_sheet(data, level, rebuilds)


def subtitle(data, cpus=None):
    machine = data["machine"]
    guest = f", {machine['guest']} guest" if machine["guest"] else ""
    cpus = cpus or machine["cpus"]
    kind = data["parameters"]["drive_kind"]
    return (f"{machine['cpu']}, {cpus} CPU{'s' * (cpus != 1)}{guest}, Linux "
            f"{machine['kernel']}, {data['parameters']['drives']} × {kind}, "
            f"chunk {data['parameters']['chunk_kib']} KiB, "
            f"{data['started'][:10]}")


def place(data, cell):
    level = names.level(cell["level"], data["parameters"]["drives"])
    return level + (f", files on {cell['fs']}" if cell["fs"] else "")


def legend(contestants, extra=()):
    return [(name, colour(name)) for name in contestants] + list(extra)


def colour(contestant):
    return COLOURS.get(contestant, gnuplot.GREEN)


# --- bars ------------------------------------------------------------------

def bar_sheets(data, cells, suffix):
    """Of the largest number of CPUs."""
    cpus = max(cell["cpus"] for cell in cells)
    cells = sorted((cell for cell in cells if cell["cpus"] == cpus),
                   key=names.cell_rank)
    if any(cell["ratio_to_md"] and ours(cell) for cell in cells):
        yield f"ratio-{suffix}", ratio_sheet(data, cells, cpus)
    yield f"throughput-{suffix}", throughput_sheet(data, cells, cpus)


def ours(cell):
    return cell["contestant"] not in names.MD


def by_state(cells):
    found = {}
    for cell in cells:
        found.setdefault(cell["state"], []).append(cell)
    return found.items()


def ratio_sheet(data, cells, cpus):
    """How many times better than md, a row for each state."""
    cells = [cell for cell in cells if cell["ratio_to_md"] and ours(cell)]
    sheet = Sheet(f"{place(data, cells[0])}: times better than md at its best",
                  subtitle(data, cpus), legend(table.contestants(cells)),
                  row_height=RATIO_ROW)
    for state, here in by_state(cells):
        clusters = [
            (work, [ratio_bar(cell) for cell in found.values()], None)
            for work, found in table.by_contestant(here).items()]
        sheet.add_row((1, gnuplot.bars(names.STATES[state], clusters,
                                       "times md", RATIO_ROW, base=1)))
    return sheet


def ratio_bar(cell):
    ratio = cell["ratio_to_md"]
    return (ratio, ratio, ratio, colour(cell["contestant"]),
            names.times(ratio) + table.mark(cell))


def throughput_sheet(data, cells, cpus):
    """Medians with their ranges and limits; rows: states, columns: units."""
    limited = [("limit of the raw members", gnuplot.BLACK)] * any(
        cell["limit"] for cell in cells)
    sheet = Sheet(place(data, cells[0]), subtitle(data, cpus),
                  legend(table.contestants(cells), limited), width=1600,
                  row_height=AMOUNT_ROW)
    for state, here in by_state(cells):
        panels = []
        for unit in UNITS:
            found = table.by_contestant(cell for cell in here
                                        if cell["unit"] == unit)
            if found:
                # A margin is as wide as the bars of one work; titles need
                # some room, too.
                panels.append((1.1 + max(3, len(found)),
                               amount_panel(state, unit, found)))
        sheet.add_row(*panels)
    return sheet


def amount_panel(state, unit, found):
    """@found: {work: {contestant: cell}}"""
    factor, name = axis(unit, [cell["median"] for group in found.values()
                               for cell in group.values()])
    clusters = [
        (work, [amount_bar(cell, factor) for cell in group.values()],
         next((cell["limit"] / factor for cell in group.values()
               if cell["limit"]), None)) for work, group in found.items()]
    return gnuplot.bars(names.STATES[state], clusters, name, AMOUNT_ROW)


def axis(unit, values):
    """What to divide figures by, and the name of the result."""
    steps = {"MiB/s": ((1024, "GiB/s"),),
             "iops": ((1e6, "M IOPS"), (1e3, "k IOPS"))}.get(unit, ())
    for factor, name in steps:
        if max(values) >= factor:
            return factor, name
    return 1, {"iops": "IOPS", "us": "latency in µs"}.get(unit, unit)


def amount_bar(cell, factor):
    """Labels of bandwidths are in the unit of the axis."""
    label = names.digits(cell["median"] / factor)
    if cell["unit"] == "iops":
        label = names.amount(cell["median"], "iops").removesuffix(" IOPS")
    return (cell["median"] / factor, cell["min"] / factor,
            cell["max"] / factor, colour(cell["contestant"]),
            label + table.mark(cell))


# --- CPUs ------------------------------------------------------------------

def scaling_sheets(data, cells, suffix):
    """A sheet for each state that was measured on several CPU counts."""
    for state, here in by_state(sorted(cells, key=names.cell_rank)):
        if len({cell["cpus"] for cell in here}) > 1:
            yield (f"scaling-{suffix}-{state}",
                   scaling_sheet(data, state, here))


def scaling_sheet(data, state, cells):
    """A panel for each work."""
    contestants = table.contestants(cells)
    sheet = Sheet(f"{place(data, cells[0])}, {names.STATES[state]}: "
                  "scaling over CPUs", subtitle(data),
                  legend(contestants, [("ideal from the best on the fewest "
                                        "CPUs", IDEAL)]), row_height=290)
    found = {}
    for cell in cells:
        found.setdefault(cell["work"], []).append(cell)
    panels = [(1, scaling_panel(work, contestants, here))
              for work, here in found.items()]
    panels += [(1, [])] * (-len(panels) % ACROSS)
    for at in range(0, len(panels), ACROSS):
        sheet.add_row(*panels[at:at + ACROSS])
    return sheet


def scaling_panel(work, contestants, cells):
    unit = cells[0]["unit"]
    factor, name = axis(unit, [cell["median"] for cell in cells])
    lines = []
    if unit != "us":
        lines.append((ideal(cells, factor),
                      gnuplot.line(IDEAL, 1.5, dashed=True), True))
    for contestant in contestants:
        points = sorted((cell["cpus"], cell["median"] / factor)
                        for cell in cells if cell["contestant"] == contestant)
        lines.append((points, gnuplot.line(colour(contestant), dots=True),
                      True))
    return gnuplot.curves(work, lines, "CPUs", name, integers=True)


def ideal(cells, factor):
    """What the best has on the fewest CPUs, times CPUs."""
    few, many = (pick(cell["cpus"] for cell in cells) for pick in (min, max))
    best = max(cell["median"] for cell in cells if cell["cpus"] == few)
    return [(cpus, best / factor * cpus / few) for cpus in (few, many)]


# --- rebuilds --------------------------------------------------------------

def rebuild_sheet(data, level, rebuilds):
    """Progress, and beside it what the load felt."""
    contestants = table.contestants(rebuilds)
    idle = [one for one in rebuilds if not one["load"]]
    loaded = [one for one in rebuilds if one["load"]]
    drives = data["parameters"]["drives"]
    sheet = Sheet(f"{names.level(level, drives)}: rebuilding a member",
                  subtitle(data) + "; × stopped before the end",
                  legend(contestants), row_height=330)
    progress = [(1, progress_panel(title, group))
                for title, group in (("idle", idle), ("under load", loaded))
                if group]
    if loaded:
        sheet.add_row(*progress)
        sheet.add_row((1, load_panel("what the load gets meanwhile",
                                     "load_iops", "iops", loaded)),
                      (1, load_panel("p99 latency of the load", "load_p99_us",
                                     "us", loaded)))
    else:
        sheet.add_row(*progress)
    return sheet


def progress_panel(title, rebuilds):
    ends = [one["seconds"] for one in rebuilds]
    return gnuplot.curves(
        title, series(rebuilds, lambda point: point["done_mib"] / 1024),
        "seconds", "GiB rebuilt", log_x=gnuplot.spans_decades(ends))


def load_panel(title, key, unit, rebuilds):
    values = [point[key] for one in rebuilds for point in one["series"]
              if point[key] is not None]
    factor, name = axis(unit, values or [0])
    lines = series(rebuilds, lambda point: point[key] is not None and
                   point[key] / factor or None)
    ends = [one["seconds"] for one in rebuilds]
    return gnuplot.curves(title, lines, "seconds", name,
                          log_x=gnuplot.spans_decades(ends),
                          log_y=gnuplot.spans_decades(values))


def series(rebuilds, value_of):
    """A line for each repetition, the median one of a contestant thick."""
    lines = []
    for contestant in table.contestants(rebuilds):
        mine = [one for one in rebuilds if one["contestant"] == contestant]
        middle = statistics.median_low(one["mib_s"] for one in mine)
        thick = next(one for one in mine if one["mib_s"] == middle)
        for one in sorted(mine, key=lambda one: one is thick):
            points = [(point["t"], value_of(point)) for point in one["series"]]
            style = gnuplot.line(colour(contestant),
                                 THICK if one is thick else THIN)
            lines.append((points, style, one["complete"]))
    return lines
