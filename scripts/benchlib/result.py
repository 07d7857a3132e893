# SPDX-License-Identifier: GPL-2.0
"""The result of a run: collects samples, works out figures, is result.json."""

import datetime
import json
import os
import time

from benchlib import limits, names, stats
from benchlib.schema import cell_key
from benchlib.tool import BenchError

SCHEMA = {"schema": "mqraid-bench", "schema_version": 1}
# Fewer say nothing about noise.
REPETITIONS = 3


class ResultError(BenchError):
    """A file that is no result, or not one of a version that we know."""


class Result:
    """data is what result.json holds; finish() may be called at any time,
    and again, to bring its figures up to date."""

    def __init__(self, command, profile, machine, versions, parameters,
                 contestants=()):
        self.clock = time.monotonic()
        now = datetime.datetime.now(datetime.timezone.utc)
        self.data = SCHEMA | {
            "started": now.strftime("%Y-%m-%dT%H:%M:%SZ"), "seconds": 0.0,
            "command": command, "profile": profile, "machine": machine,
            "versions": versions, "parameters": parameters, "notes": [],
            "contestants": list(contestants), "sweep": [], "cells": [],
            "rebuilds": [], "locks": None, "skipped": []}
        self.index = {}
        self.remarks = []

    def add_sample(self, level, state, work, fs, cpus, contestant, tool,
                   command, unit, sample):
        """@sample: as the schema describes it; repetition and latency may be
        missing."""
        cell = {"level": level, "state": state, "work": work, "fs": fs,
                "cpus": cpus, "contestant": contestant, "tool": tool,
                "command": command, "unit": unit,
                "better": "lower" if unit == "us" else "higher",
                "samples": []}
        cell = self.index.setdefault(cell_key(cell), cell)
        if (cell["tool"], cell["unit"]) != (tool, unit):
            raise ValueError(f"{work}: {tool} in {unit}, but earlier samples "
                             f"are of {cell['tool']} in {cell['unit']}")
        if not cell["samples"]:
            self.data["cells"].append(cell)
        cell["samples"].append({"repetition": len(cell["samples"]),
                                "cpu_seconds": None, "latency_us": None,
                                **sample})
        return cell

    def add_rebuild(self, level, load, contestant, repetition, complete,
                    seconds, mib_s, series):
        self.data["rebuilds"].append({
            "level": level, "load": load, "contestant": contestant,
            "repetition": repetition, "complete": complete,
            "seconds": seconds, "mib_s": mib_s, "series": series})

    def add_sweep(self, level, settings, work, value, unit, chosen=False):
        row = {"level": level, "settings": settings, "work": work,
               "value": value, "unit": unit, "chosen": chosen}
        self.data["sweep"].append(row)
        return row

    def add_locks(self, path, ios, own, contended):
        self.data["locks"] = (self.data["locks"] or []) + [
            {"path": path, "ios": ios, "own": own, "contended": contended}]

    def skip(self, what, why):
        entry = {"what": what, "why": why}
        if entry not in self.data["skipped"]:
            self.data["skipped"].append(entry)

    def note(self, text):
        if text not in self.data["notes"]:
            self.data["notes"].append(text)

    def finish(self):
        """Work out all figures; returns the data."""
        self.data["seconds"] = round(time.monotonic() - self.clock, 3)
        work_out(self.data)
        notes = self.data["notes"]
        notes[:] = [text for text in notes if text not in self.remarks]
        self.remarks = [text for text in remarks(self.data)
                        if text not in notes]
        notes += self.remarks
        return self.data

    def dump(self, path):
        """Replaces the file as a whole: what can be read is complete."""
        with open(path + ".tmp", "w", encoding="utf-8") as file:
            json.dump(self.data, file, ensure_ascii=False, indent=1,
                      allow_nan=False)
            file.write("\n")
        os.replace(path + ".tmp", path)


def load(path):
    """The data of a result.json; ResultError says why not."""
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except OSError as error:
        raise ResultError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise ResultError(f"{path} is no JSON: {error}") from None
    for key, value in SCHEMA.items():
        found = data.get(key) if isinstance(data, dict) else None
        if found != value:
            raise ResultError(f"{path}: {key} is {found!r}, and {value!r} is "
                              "what this program reads")
    return data


# --- figures ---------------------------------------------------------------

def work_out(data):
    """Everything in cells that follows from their samples."""
    data["cells"].sort(key=names.cell_rank)
    for cell in data["cells"]:
        summarise(cell, data["parameters"]["noise_limit"])
    for group in groups(data["cells"]):
        compare_to_md(group)
    for cell in data["cells"]:
        set_limit(cell, data)


def summarise(cell, noise_limit):
    found = stats.summary(sample["value"] for sample in cell["samples"])
    per_gb, per_million = stats.cpu_costs(cell["samples"])
    cell |= {"median": found.median, "min": found.minimum,
             "max": found.maximum, "noise": found.noise,
             "noisy": stats.noisy(found.noise, noise_limit),
             "cpu_seconds_per_gb": per_gb,
             "cpu_seconds_per_million_ios": per_million}


def groups(cells):
    """Cells that differ in nothing but the contestant."""
    found = {}
    for cell in cells:
        found.setdefault(cell_key(cell)[:-1], []).append(cell)
    return found.values()


def compare_to_md(group):
    best = None
    for cell in group:
        if cell["contestant"] in names.MD and cell["median"] and (
                not best or stats.better(cell["median"], best["median"],
                                         cell["better"]) > 1):
            best = cell
    for cell in group:
        known = best and cell["contestant"] != "raw"
        cell["md_best"] = best["contestant"] if known else None
        cell["ratio_to_md"] = stats.better(
            cell["median"], best["median"], cell["better"]) if known else None


def set_limit(cell, data):
    found = limit_of(cell, data)
    cell["limit"], cell["limit_formula"] = found or (None, None)
    cell["share_of_limit"] = found and stats.better(
        cell["median"], found[0], cell["better"])


def limit_of(cell, data):
    if cell["contestant"] == "raw":
        return None
    raw = {other["work"]: other for other in data["cells"]
           if other["contestant"] == "raw" and not other["fs"] and
           other["cpus"] == cell["cpus"]}
    # What a load generator costs is in both, or the share says nothing.
    twin = "seqwrite-128k" if cell["work"] == "rowwrite" else cell["work"]
    if raw.get(twin, cell)["tool"] != cell["tool"]:
        return None
    drives = data["parameters"]["drives"]
    return limits.limit(
        cell["level"], limits.members(cell["level"], drives), cell["state"],
        cell["work"], {work: other["median"] for work, other in raw.items()},
        cpus=cell["cpus"],
        raw_disks=None if data["machine"]["guest"] else drives)


def remarks(data):
    """What readers must know, and figures alone don't tell."""
    guest, cpus = data["machine"]["guest"], data["machine"]["cpus"]
    if guest:
        yield (f"Measured in a guest ({guest}) of {cpus} CPUs on drives that "
               "are no hardware: ratios are those of CPU cost per I/O, and "
               "nothing here is the throughput of a server.")
    if data["cells"] and max(len(cell["samples"])
                             for cell in data["cells"]) < REPETITIONS:
        yield (f"Fewer than {REPETITIONS} repetitions: how noisy the figures "
               "are isn't known.")
    for cell in data["cells"]:
        errors = sum(sample["errors"] for sample in cell["samples"])
        if errors:
            where = " ".join(str(part) for part in cell_key(cell) if part)
            yield f"{errors} I/O errors in {where}: don't believe its figure."
