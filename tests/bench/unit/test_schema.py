# SPDX-License-Identifier: GPL-2.0
"""The schema, its validator, and figures that must agree."""

import copy
import json
import unittest

import made
from benchlib import schema


def whole():
    one = made.add_rebuilds(made.full())
    one.add_sweep("raid6", {"group_thread_cnt": 2}, "randwrite-4k", 5.0,
                  "iops", True)
    return one.finish()


class Valid(unittest.TestCase):
    def test_whole_and_empty(self):
        self.assertEqual(schema.validate(whole()), [])
        self.assertEqual(schema.validate(made.empty().finish()), [])

    def test_as_read_from_a_file(self):
        self.assertEqual(schema.validate(json.loads(json.dumps(whole()))), [])


class Broken(unittest.TestCase):
    """One thing is wrong, and is said to be."""

    @classmethod
    def setUpClass(cls):
        cls.whole = whole()

    def check(self, complaint, change):
        data = copy.deepcopy(self.whole)
        change(data)
        errors = schema.validate(data)
        self.assertTrue(any(complaint in error for error in errors),
                        errors or "nothing was found")

    def cell(self, complaint, **fields):
        """Of the first cell that isn't raw."""
        def change(data):
            cell = next(cell for cell in data["cells"] if cell["level"])
            cell.update(fields)
        self.check(complaint, change)

    def test_missing_and_unknown(self):
        self.check("result: has no 'cells'", lambda data: data.pop("cells"))
        self.check("'extra' is not part of it",
                   lambda data: data.update(extra=1))
        self.check("cells[0]: has no 'median'",
                   lambda data: data["cells"][0].pop("median"))
        self.check("machine: has no 'cpu'",
                   lambda data: data["machine"].pop("cpu"))

    def test_types(self):
        self.check("result.seconds: \"5\" is not number",
                   lambda data: data.update(seconds="5"))
        self.check("machine.cpus: true is not integer",
                   lambda data: data["machine"].update(cpus=True))
        self.check("versions.mdadm: 4.2 is not string or null",
                   lambda data: data["versions"].update(mdadm=4.2))
        self.cell("NaN is not number", median=float("nan"))
        self.check("notes[0]: 1 is not string",
                   lambda data: data.update(notes=[1]))

    def test_values(self):
        self.check("schema_version: 2 is none of 1",
                   lambda data: data.update(schema_version=2))
        self.check("started: \"today\" is not like",
                   lambda data: data.update(started="today"))
        self.cell("state: \"lost3\" is none of", state="lost3")
        self.cell("unit: \"bogo\" is none of", unit="bogo")
        self.cell("needs 1 items or more", samples=[])
        self.cell("limit: -1 is below 0", limit=-1)

    def test_deep_inside(self):
        self.check("cells[2].samples[1].ios: -1 is below 0",
                   lambda data: data["cells"][2]["samples"][1].update(ios=-1))
        self.check("rebuilds[0].series[3]: has no 't'",
                   lambda data: data["rebuilds"][0]["series"][3].pop("t"))

    def test_figures_agree(self):
        self.cell("median is not between", median=1.0)
        self.cell("min and max are not those", max=1e12)
        self.cell("noise is not max / min", noise=1.1)
        self.cell("noisy does not follow", noisy=True)
        self.cell("share_of_limit does not follow", share_of_limit=0.5)
        self.cell("limit and limit_formula", limit_formula=None)
        self.cell("md_best does not say", md_best=None)
        self.cell("better lower does not fit", better="lower")

    def test_raw(self):
        self.cell("go together", level=None)
        self.check("neither compared", lambda data: data["cells"][-1].update(
            limit=1.0) if data["cells"][-1]["state"] == "raw" else
            data["cells"][0].update(contestant="raw"))

    def test_twice(self):
        self.check("the same cell", lambda data: data["cells"].append(
            data["cells"][0]))
        self.check("a repetition occurs twice", lambda data: data["cells"][0][
            "samples"][1].update(repetition=0))
        self.check("a name occurs twice", lambda data: data[
            "contestants"].append(data["contestants"][0]))

    def test_names(self):
        self.check("'mqraid' has figures, but is not described",
                   lambda data: data.update(contestants=[
                       one for one in data["contestants"]
                       if one["name"] != "mqraid"]))

    def test_series(self):
        self.check("time runs backwards", lambda data: data["rebuilds"][0][
            "series"].reverse())
        self.check("loses ground", lambda data: data["rebuilds"][0]["series"][
            -1].update(done_mib=0.0))

    def test_sweep(self):
        self.check("more than one is chosen", lambda data: data[
            "sweep"].append(data["sweep"][0]))


class Validator(unittest.TestCase):
    def test_unknown_keyword(self):
        with self.assertRaisesRegex(ValueError, "maxItems"):
            list(schema.Validator({}).check([], {"maxItems": 1}, ""))

    def test_null_is_not_zero(self):
        check = schema.Validator({}).check
        self.assertTrue(list(check(False, {"enum": [0]}, "")))
        self.assertTrue(list(check(None, {"enum": [0, ""]}, "")))

    def test_not_too_many(self):
        data = whole()
        for cell in data["cells"]:
            del cell["median"], cell["min"], cell["max"]
        self.assertEqual(len(schema.validate(data)), schema.ERRORS)
