# SPDX-License-Identifier: GPL-2.0
"""Pictures by gnuplot: a sheet with a title, a legend and panels.

A panel is a function of this file that returns the lines of a gnuplot script
for one diagram; Sheet puts diagrams side by side and runs gnuplot.
"""

import math
import shutil
import subprocess
from xml.sax.saxutils import escape

from benchlib.tool import BenchError

# Okabe and Ito's colours, which people see apart whatever their eyes are.
BLACK, GREY = "#000000", "#8c8c8c"
ORANGE, BLUE, SKY, GREEN = "#e69f00", "#0072b2", "#56b4e9", "#009e73"
FONT = "sans-serif"
# Above this, small values can't be seen on a linear axis.
LOG_FROM = 10
# Seconds; a sheet takes a fraction of one.
PATIENCE = 60
# Pixels above and below all panels, and around each diagram.
HEAD, FOOT = 92, 6
LEFT, RIGHT, TOP, BOTTOM = 62, 20, 34, 74
# Of a label's letters, lying on their sides.
LETTER = 8


class GnuplotError(BenchError):
    """gnuplot is missing, or didn't like what it was told."""


def text(value):
    """A string of gnuplot's; double quotes would interpret backslashes."""
    return "'" + str(value).replace("'", "''").replace("\n", " ") + "'"


def block(name, rows):
    """Rows of numbers and strings as data; a comma separates columns."""
    lines = [",".join("" if item is None else
                      '"' + item.replace('"', "'") + '"'
                      if isinstance(item, str) else f"{item:.8g}"
                      for item in row) for row in rows]
    return [f"${name} << END_OF_DATA", *lines, "END_OF_DATA"]


def ticks(low, high):
    """1, 2, 5, 10, ... for a logarithmic axis."""
    found, power = [], 10 ** math.floor(math.log10(low))
    while power <= high:
        found += [f"{factor * power:.6g}" for factor in (1, 2, 5)
                  if low <= factor * power <= high]
        power *= 10
    # Over many decades, the powers of ten are enough.
    if len(found) > 9:
        found = [tick for tick in found if tick.strip("0.").startswith("1")
                 or float(tick) == 1]
    return ", ".join(found)


def spans_decades(values):
    known = [value for value in values if value and value > 0]
    return bool(known) and max(known) / min(known) >= LOG_FROM


class Sheet:
    """Panels in rows, each row a list of (weight, lines)."""

    def __init__(self, title, subtitle, legend, width=1280, row_height=360):
        """@legend: [(label, colour)]"""
        self.title, self.subtitle, self.legend = title, subtitle, legend
        self.width, self.row_height = width, row_height
        self.rows = []

    def add_row(self, *panels):
        self.rows.append(panels)

    def height(self):
        return HEAD + FOOT + self.row_height * len(self.rows)

    def script(self, terminal="svg"):
        lines = [
            f"set terminal {terminal} size {self.width},{self.height()} "
            f"font '{FONT},13' background '#ffffff' noenhanced",
            "set encoding utf8", "set datafile separator ','",
            "set multiplot", *self.head()]
        top = 1 - HEAD / self.height()
        step = self.row_height / self.height()
        for at, panels in enumerate(self.rows):
            lines += self.row(panels, top - step * (at + 1), step)
        return "\n".join([*lines, "unset multiplot", ""])

    def row(self, panels, bottom, height):
        lines = []
        total = sum(weight for weight, _ in panels)
        left = 0.0
        for weight, panel in panels:
            share = weight / total
            lines += ["reset", "set datafile separator ','", *LOOK,
                      *self.margins(left, left + share, bottom,
                                    bottom + height), *panel]
            left += share
        return lines

    def margins(self, left, right, bottom, top):
        """Where the diagram of a panel is, in shares of the sheet."""
        return [
            f"set lmargin at screen {left + LEFT / self.width:.6f}",
            f"set rmargin at screen {right - RIGHT / self.width:.6f}",
            f"set bmargin at screen {bottom + BOTTOM / self.height():.6f}",
            f"set tmargin at screen {top - TOP / self.height():.6f}"]

    def head(self):
        """Title and legend, drawn on a diagram without anything."""
        pixel = 1 / self.height()
        lines = [
            "unset border; unset tics; unset key",
            f"set label 1 {text(self.title)} at screen 0.012,screen "
            f"{1 - 26 * pixel:.6f} left font '{FONT},19'",
            f"set label 2 {text(self.subtitle)} at screen 0.012,screen "
            f"{1 - 50 * pixel:.6f} left font '{FONT},12' tc rgb '#555555'"]
        x = 0.012
        for at, (label, colour) in enumerate(self.legend):
            y = 1 - 76 * pixel
            lines += [
                f"set object {at + 1} rectangle from screen {x:.6f},screen "
                f"{y - 6 * pixel:.6f} to screen {x + 14 / self.width:.6f},"
                f"screen {y + 6 * pixel:.6f} fc rgb '{colour}' "
                "fs solid noborder",
                f"set label {at + 3} {text(label)} at screen "
                f"{x + 20 / self.width:.6f},screen {y:.6f} left"]
            x += (50 + 8.3 * len(label)) / self.width
        return lines + ["set xrange [0:1]; set yrange [0:1]",
                        "plot NaN notitle"]

    def write(self, path):
        draw(f"set output {text(path)}\n{self.script()}")
        # Browsers show it as the page's name.
        with open(path, encoding="utf-8") as file:
            picture = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(picture.replace(
                "<title>Gnuplot</title>",
                f"<title>{escape(self.title)}</title>", 1))


LOOK = (
    "unset key", "set border 3 lc rgb '#555555'", "set tics nomirror",
    "set grid ytics lc rgb '#dddddd' lt 1 lw 1",
    "set style fill solid noborder",
    f"set title font '{FONT},13' offset 0,-0.5",
    "set style textbox opaque noborder margins 0.2,0.2")


def draw(script):
    if not shutil.which("gnuplot"):
        raise GnuplotError("gnuplot is not installed (Debian: gnuplot-nox)")
    try:
        done = subprocess.run(["gnuplot", "-"], input=script, text=True,
                              stdout=subprocess.PIPE, timeout=PATIENCE,
                              stderr=subprocess.PIPE, check=False)
    except subprocess.TimeoutExpired:
        raise GnuplotError(f"gnuplot: no end after {PATIENCE} s") from None
    if done.returncode:
        raise GnuplotError(f"gnuplot: {done.stderr.strip()}")


# --- panels ----------------------------------------------------------------

def value_axis(values, log, base, share):
    """The y axis; @share of its length is for labels above the bars."""
    high = max(values)
    if not log:
        return [f"set yrange [0:{high / (1 - share):.8g}]"]
    bottom = bottom_of(values, base)
    high *= max(1.5, (high / bottom) ** (share / (1 - share)))
    return ["set logscale y", f"set yrange [{bottom:.8g}:{high:.8g}]",
            f"set ytics ({ticks(bottom, high)})"]


def bottom_of(values, base):
    """Of a logarithmic axis: @base, or lower if a bar goes down from it."""
    return base if base and min(values) >= base else min(values) / 1.6


def bars(title, clusters, unit, row_height, base=None):
    """Bars side by side in clusters, in a row of that many pixels.

    @clusters: [(label, [(value, low, high, colour, label)], mark)]; a black
    line is drawn at mark.  @base: bars begin here instead of at the bottom.
    """
    rows, marks = [], []
    for at, (_, group, mark) in enumerate(clusters):
        step = 0.86 / max(1, len(group))
        for place, (value, low, high, colour, label) in enumerate(group):
            left = at - 0.43 + step * place
            rows.append([left + step / 2, left + step * 0.04,
                         left + step * 0.96, value, low, high,
                         int(colour[1:], 16), label])
        if mark:
            marks.append([at - 0.46, mark, 0.92])
    values = [value for value in (
        *(item for row in rows for item in row[3:6]),
        *(mark for _, mark, _ in marks)) if value > 0]
    if not values:
        return empty(f"{title}: no figures")
    log = base is not None or spans_decades(values)
    floor = (base or bottom_of(values, base)) if log else 0
    names = ", ".join(f"{text(label)} {at}"
                      for at, (label, *_) in enumerate(clusters))
    return [
        *block("bars", rows), *(block("marks", marks) if marks else ()),
        f"set title {text(f'{title}: {unit}')}", "set format y '%g'",
        *value_axis(values, log, base, share_of_labels(rows, row_height)),
        f"set xrange [-0.6:{len(clusters) - 0.4:.1f}]",
        f"set xtics ({names}) rotate by 20 right offset 0.8,0 scale 0",
        "plot " + ", ".join(bar_plots(f"{floor:.8g}", bool(marks), base))]


def share_of_labels(rows, row_height):
    letters = max(len(row[-1]) for row in rows)
    return min(0.5, (letters * LETTER + 16) / (row_height - TOP - BOTTOM))


def bar_plots(floor, marks, base):
    """Bars, their ranges, lines, and the labels above all."""
    yield (f"$bars using 1:4:2:3:({floor}):4:7 with boxxyerror "
           "fc rgb variable notitle")
    yield ("$bars using 1:5:(0):($6-$5) with vectors nohead "
           "lc rgb '#333333' lw 1.5 notitle")
    if marks:
        yield ("$marks using 1:2:3:(0) with vectors nohead lc rgb '#000000' "
               "lw 2 notitle")
    if base is not None:
        yield f"{base} with lines lc rgb '#555555' lw 1 notitle"
    yield ("$bars using 1:($4 > $6 ? $4 : $6):8 with labels boxed "
           f"rotate by 90 left offset 0,0.5 font '{FONT},10' notitle")


# --- panels of lines -------------------------------------------------------

def curves(title, lines_of, x_label, y_label, log_x=False, log_y=False,
           integers=False):
    """Lines over time or the like.

    @lines_of: [(points, style, ended)]; a cross at the end of those that have
    not ended.  Points that a logarithm doesn't have are left out.
    """
    data, plots, seen = [], [], []
    for at, (points, style, ended) in enumerate(lines_of):
        points = [(x, y) for x, y in points if y is not None and
                  (x > 0 or not log_x) and (y > 0 or not log_y)]
        if not points:
            continue
        seen += points
        data += block(f"line{at}", points)
        plots.append(f"$line{at} using 1:2 with {style} notitle")
        if not ended:
            data += block(f"end{at}", points[-1:])
            plots.append(f"$end{at} using 1:2 with points pt 2 ps 1 lw 2 "
                         f"lc rgb '#000000' notitle")
    if not plots:
        return empty(f"{title}: no figures")
    lines = [*data, f"set title {text(f'{title}: {y_label}')}",
             f"set xlabel {text(x_label)} offset 0,0.4", "set format y '%g'"]
    lines += ["set logscale x"] * log_x + ["set logscale y"] * log_y
    if not log_y:
        high = max(y for _, y in seen) or 1
        lines.append(f"set yrange [0:{high * 1.08:.8g}]")
    if integers:
        steps = ", ".join(str(x) for x in sorted({x for x, _ in seen}))
        lines.append(f"set xtics ({steps})")
    return lines + ["plot " + ", ".join(plots)]


def line(colour, width=2.5, dots=False, dashed=False):
    """A style for curves()."""
    return (f"{'linespoints pt 7 ps 0.6' if dots else 'lines'} lw {width} "
            f"lc rgb '{colour}'{' dt 2' * dashed}")


def empty(title):
    return [f"set title {text(title)}", "unset border; unset tics",
            "set xrange [0:1]", "set yrange [0:1]", "plot NaN notitle"]
