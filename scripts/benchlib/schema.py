# SPDX-License-Identifier: GPL-2.0
"""Is something a result.json?  schema.json says what has to be where, and
consistency() what figures must agree with others.

The validator knows as much of JSON Schema as schema.json uses, and refuses
keywords that it doesn't know instead of passing over them.
"""

import json
import math
import os
import re

PATH = os.path.join(os.path.dirname(os.path.realpath(__file__)), "schema.json")
# More would drown the first, which matters most.
ERRORS = 50
# Figures are compared after they have been through text.
TOLERANCE = 1e-6

TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: (isinstance(value, int) and
                              not isinstance(value, bool)),
    "number": lambda value: (isinstance(value, (int, float)) and
                             not isinstance(value, bool) and
                             math.isfinite(value)),
}


def load():
    with open(PATH, encoding="utf-8") as file:
        return json.load(file)


def validate(data):
    """What is wrong, a line each; nothing if all is well."""
    schema = load()
    errors = list(Validator(schema).check(data, schema, ""))
    # A thing of another shape can't be asked for its figures.
    if not errors:
        errors = list(consistency(data))
    return errors[:ERRORS]


class Validator:
    """check() yields errors; @path says where, like cells[3].median."""

    def __init__(self, root):
        self.root = root
        self.rules = {
            "type": self.check_type, "enum": self.check_enum,
            "pattern": self.check_pattern, "minimum": self.check_minimum,
            "minItems": self.check_min_items, "items": self.check_items,
            "required": self.check_required,
            "properties": self.check_properties,
            "additionalProperties": self.check_additional,
            "$ref": self.check_ref,
        }
        self.silent = {"$comment", "$defs", "title"}

    def check(self, value, schema, path):
        unknown = set(schema) - set(self.rules) - self.silent
        if unknown:
            raise ValueError(f"schema.json uses {sorted(unknown)}, "
                             "which schema.py does not know")
        for keyword, rule in self.rules.items():
            if keyword in schema:
                yield from rule(value, schema, path or "result")

    def check_type(self, value, schema, path):
        wanted = schema["type"]
        wanted = [wanted] if isinstance(wanted, str) else wanted
        if not any(TYPES[name](value) for name in wanted):
            yield f"{path}: {show(value)} is not {' or '.join(wanted)}"

    def check_enum(self, value, schema, path):
        if not any(type(value) is type(allowed) and value == allowed
                   for allowed in schema["enum"]):
            allowed = ", ".join(map(show, schema["enum"]))
            yield f"{path}: {show(value)} is none of {allowed}"

    def check_pattern(self, value, schema, path):
        if isinstance(value, str) and not re.search(schema["pattern"], value):
            yield f"{path}: {show(value)} is not like {schema['pattern']}"

    def check_minimum(self, value, schema, path):
        if TYPES["number"](value) and value < schema["minimum"]:
            yield f"{path}: {show(value)} is below {schema['minimum']}"

    def check_min_items(self, value, schema, path):
        if isinstance(value, list) and len(value) < schema["minItems"]:
            yield f"{path}: needs {schema['minItems']} items or more"

    def check_items(self, value, schema, path):
        if isinstance(value, list):
            for at, item in enumerate(value):
                yield from self.check(item, schema["items"], f"{path}[{at}]")

    def check_required(self, value, schema, path):
        if isinstance(value, dict):
            for name in schema["required"]:
                if name not in value:
                    yield f"{path}: has no '{name}'"

    def check_properties(self, value, schema, path):
        if isinstance(value, dict):
            for name, inner in schema["properties"].items():
                if name in value:
                    yield from self.check(value[name], inner,
                                          f"{path}.{name}")

    def check_additional(self, value, schema, path):
        if not isinstance(value, dict):
            return
        rule = schema["additionalProperties"]
        for name in value:
            if name in schema.get("properties", {}):
                continue
            if rule is False:
                yield f"{path}: '{name}' is not part of it"
            elif isinstance(rule, dict):
                yield from self.check(value[name], rule, f"{path}.{name}")

    def check_ref(self, value, schema, path):
        target = self.root
        for name in schema["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        yield from self.check(value, target, path)


def show(value):
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


# --- what must agree -------------------------------------------------------

def consistency(data):
    """Of a result that has the right shape."""
    limit = data["parameters"]["noise_limit"]
    seen = set()
    for at, cell in enumerate(data["cells"]):
        path = f"cells[{at}]"
        key = cell_key(cell)
        if key in seen:
            yield f"{path}: the same cell as one before"
        seen.add(key)
        for error in (*check_place(cell), *check_figures(cell, limit),
                      *check_comparison(cell)):
            yield f"{path} ({label(cell)}): {error}"
    for at, rebuild in enumerate(data["rebuilds"]):
        for error in check_series(rebuild):
            yield f"rebuilds[{at}]: {error}"
    yield from check_names(data)
    yield from check_sweep(data["sweep"])


def cell_key(cell):
    """What makes a cell this cell; compare.py finds it again by this."""
    return tuple(cell[name] for name in ("level", "state", "work", "fs",
                                         "cpus", "contestant"))


def label(cell):
    return " ".join(str(part) for part in cell_key(cell) if part is not None)


def same(a, b):
    return (a is None) == (b is None) and (
        a is None or math.isclose(a, b, rel_tol=TOLERANCE))


def check_place(cell):
    raw = cell["contestant"] == "raw"
    if raw != (cell["state"] == "raw") or raw != (cell["level"] is None):
        yield "contestant raw, state raw and level null go together"
    if (cell["better"] == "lower") != (cell["unit"] == "us"):
        yield f"better {cell['better']} does not fit {cell['unit']}"


def check_figures(cell, limit):
    values = [sample["value"] for sample in cell["samples"]]
    if not (same(cell["min"], min(values)) and
            same(cell["max"], max(values))):
        yield "min and max are not those of the samples"
    if not cell["min"] <= cell["median"] <= cell["max"]:
        yield "the median is not between min and max"
    noise = cell["max"] / cell["min"] if cell["min"] else None
    if cell["max"] and not same(cell["noise"], noise):
        yield "noise is not max / min"
    if cell["noisy"] != (cell["noise"] is None or cell["noise"] > limit):
        yield f"noisy does not follow from noise and the limit of {limit}"
    repetitions = [sample["repetition"] for sample in cell["samples"]]
    if len(set(repetitions)) != len(repetitions):
        yield "a repetition occurs twice"


def check_comparison(cell):
    raw = cell["contestant"] == "raw"
    if raw and (cell["ratio_to_md"] is not None or cell["limit"] is not None):
        yield "raw members are neither compared with md nor limited"
    if cell["ratio_to_md"] is not None and cell["md_best"] is None:
        yield "a ratio to md, but md_best does not say to which"
    if (cell["limit"] is None) != (cell["limit_formula"] is None):
        yield "limit and limit_formula go together"
    share = None
    if cell["limit"] and cell["median"]:
        share = cell["median"] / cell["limit"]
        if cell["better"] == "lower":
            share = 1 / share
    if not same(cell["share_of_limit"], share):
        yield "share_of_limit does not follow from median and limit"


def check_series(rebuild):
    times = [point["t"] for point in rebuild["series"]]
    done = [point["done_mib"] for point in rebuild["series"]]
    if times != sorted(times):
        yield "time runs backwards in the series"
    if done != sorted(done):
        yield "the rebuild loses ground in the series"


def check_names(data):
    names = [contestant["name"] for contestant in data["contestants"]]
    if len(set(names)) != len(names):
        yield "contestants: a name occurs twice"
    used = {item["contestant"] for item in data["cells"] + data["rebuilds"]}
    for name in sorted(used - set(names)):
        yield f"contestants: '{name}' has figures, but is not described"


def check_sweep(sweep):
    tried, chosen = set(), {}
    for row in sweep:
        key = (row["level"], row["work"])
        tried.add(key)
        chosen[key] = chosen.get(key, 0) + row["chosen"]
    for level, work in sorted(tried):
        if chosen[level, work] > 1:
            yield f"sweep: more than one is chosen for {level}, {work}"
