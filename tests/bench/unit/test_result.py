# SPDX-License-Identifier: GPL-2.0
"""What finish() works out of samples."""

import json
import os
import tempfile
import unittest

import made
from benchlib import result, schema


def find(data, contestant, work="randwrite-4k", state="healthy", cpus=2):
    return next(cell for cell in data["cells"]
                if (cell["contestant"], cell["work"], cell["state"],
                    cell["cpus"]) == (contestant, work, state, cpus))


class Figures(unittest.TestCase):
    def test_median_and_noise(self):
        one = made.empty()
        made.add(one, "raid6", "healthy", "randwrite-4k", "mqraid", 100, 130,
                 110)
        made.add(one, "raid6", "healthy", "randread-4k", "mqraid", 100, 110)
        cells = {cell["work"]: cell for cell in one.finish()["cells"]}
        cell = cells["randwrite-4k"]
        self.assertEqual((cell["median"], cell["min"], cell["max"]),
                         (110, 100, 130))
        self.assertEqual(cell["noise"], 1.3)
        self.assertTrue(cell["noisy"])
        self.assertFalse(cells["randread-4k"]["noisy"])

    def test_cpu_costs(self):
        data = made.full().finish()
        cell = find(data, "mqraid")
        self.assertAlmostEqual(cell["cpu_seconds_per_million_ios"], 250)
        self.assertAlmostEqual(cell["cpu_seconds_per_gb"], 0.25 / 4.096e-3)

    def test_repetitions_are_numbered(self):
        cell = find(made.full().finish(), "md")
        self.assertEqual([one["repetition"] for one in cell["samples"]],
                         [0, 1, 2])

    def test_samples_of_another_kind_are_refused(self):
        one = made.full()
        with self.assertRaises(ValueError):
            made.add(one, "raid6", "healthy", "randwrite-4k", "md", 1,
                     tool="fio")

    def test_order_is_that_of_tables(self):
        one = made.empty()
        for level in ("raid1", "raid6"):
            for work in ("randread-4k", "seqwrite-1m"):
                made.add(one, level, "healthy", work, "md", 1)
        self.assertEqual([(cell["level"], cell["work"])
                          for cell in one.finish()["cells"]],
                         [("raid6", "seqwrite-1m"), ("raid6", "randread-4k"),
                          ("raid1", "seqwrite-1m"), ("raid1", "randread-4k")])

    def test_finish_again(self):
        one = made.full()
        first = json.dumps(one.finish()["cells"])
        self.assertEqual(json.dumps(one.finish()["cells"]), first)
        self.assertEqual(len(one.data["notes"]), 1)


class Ratios(unittest.TestCase):
    def test_of_the_better_md(self):
        data = made.full().finish()
        self.assertEqual(find(data, "mqraid")["md_best"], "md-tuned")
        self.assertAlmostEqual(find(data, "mqraid")["ratio_to_md"], 5)
        self.assertAlmostEqual(find(data, "md")["ratio_to_md"], 0.5)
        self.assertAlmostEqual(find(data, "md-tuned")["ratio_to_md"], 1)

    def test_latency_is_the_other_way_round(self):
        cell = find(made.full().finish(), "mqraid", "lat-write-4k")
        self.assertAlmostEqual(cell["ratio_to_md"], 5)

    def test_defaults_may_be_best(self):
        one = made.empty()
        for contestant, value in (("md", 10), ("md-tuned", 8), ("mqraid", 40)):
            made.add(one, "raid6", "healthy", "randwrite-4k", contestant,
                     value)
        cell = find(one.finish(), "mqraid")
        self.assertEqual((cell["md_best"], cell["ratio_to_md"]), ("md", 4))

    def test_raw_and_without_md(self):
        one = made.empty()
        made.add(one, None, "raw", "randwrite-4k", "raw", 9)
        made.add(one, "raid6", "healthy", "randwrite-4k", "mqraid", 4)
        for cell in one.finish()["cells"]:
            self.assertIsNone(cell["ratio_to_md"])
            self.assertIsNone(cell["md_best"])

    def test_only_with_as_many_cpus(self):
        one = made.empty()
        made.add(one, "raid6", "healthy", "randwrite-4k", "md", 9, cpus=1)
        made.add(one, "raid6", "healthy", "randwrite-4k", "mqraid", 4, cpus=2)
        self.assertIsNone(find(one.finish(), "mqraid")["ratio_to_md"])


class Limits(unittest.TestCase):
    def test_of_this_run(self):
        cell = find(made.full().finish(), "mqraid")
        self.assertAlmostEqual(cell["limit"], 1 / (3 / 8e6 + 3 / 4e6))
        self.assertAlmostEqual(cell["share_of_limit"], 4e5 / cell["limit"])
        self.assertIn("3 reads + 3 writes", cell["limit_formula"])

    def test_latency(self):
        cell = find(made.full().finish(), "mqraid", "lat-write-4k")
        self.assertAlmostEqual(cell["limit"], 3)
        self.assertAlmostEqual(cell["share_of_limit"], 3 / 20)

    def test_same_tool(self):
        one = made.full()
        for work in ("randread-4k", "rowwrite"):
            made.add(one, "raid6", "lost2", work, "mqraid", 9, tool="fio")
            self.assertIsNone(find(one.finish(), "mqraid", work,
                                   "lost2")["limit"])

    def test_real_drives_are_the_bottleneck(self):
        guest, real = (find(made.full(guest=where).finish(), "mqraid",
                            "randread-4k", "lost1")
                       for where in ("uml", None))
        self.assertAlmostEqual(real["limit"], guest["limit"] * 7 / 8)

    def test_as_many_cpus(self):
        data = made.full(cpus=(1, 2)).finish()
        for cell in data["cells"]:
            if cell["contestant"] == "raw" and cell["cpus"] == 1:
                self.assertIsNone(cell["limit"])
        self.assertIsNotNone(find(data, "mqraid", cpus=1)["limit"])


class Remarks(unittest.TestCase):
    def notes(self, one):
        return "\n".join(one.finish()["notes"])

    def test_guests_are_no_servers(self):
        self.assertIn("guest (uml) of 2 CPUs", self.notes(made.full()))
        self.assertEqual(self.notes(made.full(guest=None)), "")

    def test_few_repetitions(self):
        one = made.empty(guest=None)
        made.add(one, "raid6", "healthy", "randwrite-4k", "md", 1, 2)
        self.assertIn("Fewer than 3 repetitions", self.notes(one))
        made.add(one, "raid6", "healthy", "randwrite-4k", "md", 3)
        self.assertEqual(self.notes(one), "")

    def test_errors(self):
        one = made.full(guest=None)
        made.add(one, "raid6", "lost2", "randwrite-4k", "md", 1, 2, errors=3)
        self.assertIn("6 I/O errors in raid6 lost2 randwrite-4k",
                      self.notes(one))

    def test_said_once(self):
        one = made.empty()
        for _ in range(2):
            one.note("note")
            one.skip("what", "why")
        self.assertEqual(one.data["notes"], ["note"])
        self.assertEqual(one.data["skipped"], [{"what": "what", "why": "why"}])


class Files(unittest.TestCase):
    def test_round_trip(self):
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "result.json")
            one = made.add_rebuilds(made.full())
            one.add_sweep("raid6", {"a": 1}, "randwrite-4k", 5.0, "iops", True)
            one.add_locks("write", 10, [], [{"name": "&q->lock", "per_io": 1,
                                             "contentions": 0}])
            data = one.finish()
            self.assertEqual(schema.validate(data), [])
            one.dump(path)
            self.assertEqual(result.load(path), data)
            self.assertEqual(os.listdir(work), ["result.json"])

    def test_what_is_no_result(self):
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "file")
            with self.assertRaisesRegex(result.ResultError, "cannot read"):
                result.load(path)
            for text, complaint in (("{", "is no JSON"), ("[]", "schema is"),
                                    ('{"schema": "mqraid-bench", '
                                     '"schema_version": 2}', "is 2, and 1")):
                with open(path, "w", encoding="ascii") as file:
                    file.write(text)
                with self.assertRaisesRegex(result.ResultError, complaint):
                    result.load(path)
