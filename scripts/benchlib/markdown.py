# SPDX-License-Identifier: GPL-2.0
"""result.md: the report."""

import os

from benchlib import charts, names, table
from benchlib import work as works
from benchlib.stats import median_of

INTRO = """\
Each figure is the median of {repetitions} repetitions, in brackets the \
smallest and the largest.  Contestants take turns repetition by repetition, on \
the same drives.  *× md* is how many times better than the better one of the \
md contestants, *of limit* the share of what the raw members would allow (the \
formulas are below).  {noisy} marks figures whose repetitions differ by more \
than a factor of {noise_limit:g}."""

DISCARD = """\
The drives ({drive_kind}) are memory that mostly forgets what is written: \
there is no DMA, and its share of the memory's bandwidth is missing in every \
figure of bandwidth."""


def render(data, pictures=None, base="."):
    """The text.  @pictures: paths of images, shown relative to @base; by
    default those that charts.py writes into the same directory."""
    if pictures is None:
        pictures = charts.file_names(data)
    pictures = [os.path.relpath(path, base) for path in pictures]
    parts = [
        heading(data), how(data), remarks(data),
        glance(data), images(pictures), *map(figures, places(data)),
        rebuilds(data), locks(data), sweep(data), limits(data),
        contestants(data), commands(data), skipped(data)]
    return "\n\n".join(part for part in parts if part) + "\n"


def cell_text(text):
    """Text in a table."""
    return str(text).replace("|", "\\|").replace("\n", " ")


def grid(header, rows, right=()):
    """A table; columns in @right are aligned to the right."""
    rule = ["---:" if at in right else "---" for at in range(len(header))]
    return "\n".join("| " + " | ".join(map(cell_text, row)) + " |"
                     for row in (header, rule, *rows))


def code(lines):
    return "```\n" + "\n".join(lines) + "\n```"


def shown(settings):
    """'a=1, b=2', or for each level so."""
    if any(isinstance(value, dict) for value in settings.values()):
        return "; ".join(f"{names.LEVELS.get(key, key)}: {shown(value)}"
                         for key, value in settings.items() if value)
    return ", ".join(f"{key}={value}" for key, value in settings.items())


# --- head ------------------------------------------------------------------

def heading(data):
    return "\n".join([
        "# mqraid against md", "",
        f"Made by `{data['command']}` on {data['started']}, in "
        f"{table.clock(data['seconds'])} (profile: {data['profile']})."])


def how(data):
    machine, parameters = data["machine"], data["parameters"]
    where = (f"guest: {machine['guest']}" if machine["guest"]
             else "no guest, the machine itself")
    rows = [
        ("CPU", f"{machine['cpu']}, {machine['cpus']} CPUs ({where})"),
        ("memory", f"{machine['memory_mib']} MiB"),
        ("kernel", machine["kernel"])]
    rows += [(name, version or "unknown")
             for name, version in data["versions"].items()]
    rows += [
        ("drives", f"{parameters['drives']} × {parameters['drive_kind']} of "
                   f"{parameters['drive_mib']:g} MiB"),
        ("chunk", f"{parameters['chunk_kib']} KiB"),
        ("each measurement", f"{parameters['seconds']:g} s, "
                             f"{parameters['repetitions']} repetitions")]
    text = [grid(["", ""], rows), INTRO.format(noisy=table.NOISY,
                                               **parameters)]
    if machine["guest"] and "sink" in parameters["drive_kind"]:
        text.append(DISCARD.format(**parameters))
    return "\n\n".join(text)


def remarks(data):
    return "\n".join(f"> {note}\n>" for note in data["notes"]).removesuffix(
        "\n>")


def images(pictures):
    return "\n".join(f"![{os.path.basename(path).removesuffix('.svg')}]"
                     f"({path})" for path in pictures)


def glance(data):
    """All ratios of the driver's default in one table."""
    cells = [cell for cell in data["cells"] if cell["contestant"] == "mqraid"
             and cell["ratio_to_md"]]
    present = list(table.by_contestant(
        sorted(cells, key=lambda cell: names.rank(works.WORKS,
                                                  cell["work"]))))
    rows = []
    for at in table.places({"cells": cells}):
        here = {cell["work"]: names.times(cell["ratio_to_md"]) +
                table.mark(cell) for cell in table.cells_at(
                    {"cells": cells}, *at)}
        rows.append([table.title(data, *at),
                     *(here.get(work, "-") for work in present)])
    if not rows:
        return ""
    return ("## mqraid at a glance\n\nTimes better than md at its best:\n\n" +
            grid(["", *present], rows, range(1, len(present) + 1)))


# --- figures ---------------------------------------------------------------

def places(data):
    return table.sections(data, spread=True)


def figures(one):
    """All of one place: results, CPU, latencies."""
    right = range(1, len(one.header))
    parts = [f"## {one.title}", grid(one.header, one.rows, right)]
    for caption, rows in (("CPU time, of the whole machine", cpu_rows(one)),
                          ("Latencies (mean; p50 / p99 / p99.9)",
                           latency_rows(one))):
        if rows:
            names_of = table.contestants(one.cells)
            parts += [f"{caption}:", grid(["work", *names_of], rows,
                                          range(1, len(names_of) + 1))]
    parts.append(tools(one.cells))
    return "\n\n".join(parts)


def matrix(one, text_of):
    """Rows of works, columns of contestants; rows without text left out."""
    rows = []
    present = table.contestants(one.cells)
    for work, found in table.by_contestant(one.cells).items():
        texts = [found.get(name) and text_of(found[name]) for name in present]
        if any(texts):
            rows.append([work, *(text or "-" for text in texts)])
    return rows


def cpu_rows(one):
    return matrix(one, cpu_text)


def cpu_text(cell):
    """Seconds per million I/Os are microseconds per I/O."""
    if cell["unit"] == "MiB/s" and cell["cpu_seconds_per_gb"] is not None:
        return f"{cell['cpu_seconds_per_gb']:.3f} s per GB"
    if cell["unit"] != "MiB/s" and (
            cell["cpu_seconds_per_million_ios"] is not None):
        per_io = cell["cpu_seconds_per_million_ios"]
        return f"{names.amount(per_io, 'us')} per I/O"
    return None


def latency_rows(one):
    return matrix(one, latency_text)


def latency_text(cell):
    known = [sample["latency_us"] for sample in cell["samples"]
             if sample["latency_us"]]
    if not known:
        return None
    mean, *rest = (names.amount(median_of(one[key] for one in known), "us")
                   for key in ("mean", "p50", "p99", "p999"))
    return f"{mean}; {' / '.join(rest)}"


def tools(cells):
    """Which load generator made which figures."""
    made = {}
    for cell in cells:
        made.setdefault(cell["tool"], {})[cell["work"]] = None
    return "Made by " + "; ".join(f"{tool}: {', '.join(works)}"
                                  for tool, works in made.items()) + "."


# --- the rest --------------------------------------------------------------

def optional(title, one):
    if not one.rows:
        return ""
    return f"## {title}\n\n" + grid(one.header, one.rows,
                                    range(3, len(one.header)))


def rebuilds(data):
    return optional("Rebuilds", table.rebuild_section(data))


def locks(data):
    return optional("Locks taken per I/O", table.locks_section(data))


def sweep(data):
    if not data["sweep"]:
        return ""
    rows = [[names.LEVELS.get(row["level"], row["level"]),
             shown(row["settings"]), row["work"],
             names.amount(row["value"], row["unit"]),
             "chosen" if row["chosen"] else ""] for row in data["sweep"]]
    return "## What md was tuned to\n\n" + grid(
        ["level", "settings", "work", "figure", ""], rows, (3,))


def limits(data):
    """A row for each formula; the same for all contestants."""
    rows = {}
    for cell in data["cells"]:
        if cell["limit"] is not None:
            key = tuple(cell[name] for name in ("level", "state", "work",
                                                "cpus"))
            rows[key] = [names.LEVELS.get(cell["level"], cell["level"]),
                         names.STATES[cell["state"]], cell["work"],
                         cell["cpus"],
                         names.amount(cell["limit"], cell["unit"]),
                         cell["limit_formula"]]
    if not rows:
        return ""
    return "## Limits\n\n" + grid(
        ["level", "state", "work", "CPUs", "limit", "formula"],
        rows.values(), (3, 4))


def contestants(data):
    parts = ["## Contestants"]
    for one in data["contestants"]:
        settings = shown(one["settings"])
        parts.append(f"**{one['name']}**: {one['about']}" +
                     f" ({settings})" * bool(settings))
        if one["commands"]:
            parts.append(code(one["commands"]))
    return "\n\n".join(parts)


def commands(data):
    """Exactly what made each figure, folded away."""
    seen = {}
    for cell in data["cells"]:
        if cell["command"]:
            seen.setdefault(f"{cell['tool']}: {cell['command']}")
    if not seen:
        return ""
    return "\n\n".join([
        "## Commands", "<details><summary>The exact command of each "
        "measurement</summary>", code(seen), "</details>"])


def skipped(data):
    if not data["skipped"]:
        return ""
    return "## Skipped\n\n" + grid(
        ["what", "why"],
        [[entry["what"], entry["why"]] for entry in data["skipped"]])
