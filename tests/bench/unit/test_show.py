# SPDX-License-Identifier: GPL-2.0
"""What people see: numbers, tables, the report, charts."""

import io
import os
import re
import shutil
import tempfile
import unittest
from unittest import mock
from xml.etree import ElementTree

import made
from benchlib import charts, gnuplot, markdown, names, table


class Numbers(unittest.TestCase):
    def test_three_digits(self):
        for value, text in ((0, "0"), (0.123, "0.12"), (1.234, "1.23"),
                            (9.996, "10.0"), (12.34, "12.3"), (99.96, "100"),
                            (1234.5, "1234")):
            self.assertEqual(names.digits(value), text)

    def test_units(self):
        for value, unit, text in (
                (950, "iops", "950 IOPS"), (1234567, "iops", "1.23 M IOPS"),
                (155e3, "iops", "155 k IOPS"), (512, "MiB/s", "512 MiB/s"),
                (2048, "MiB/s", "2.00 GiB/s"), (1.5, "us", "1.50 µs"),
                (2500, "us", "2.50 ms"), (12, "objects/s", "12.0 objects/s"),
                (1200, "objects/s", "1.20 k objects/s"), (None, "us", "-")):
            self.assertEqual(names.amount(value, unit), text)

    def test_levels(self):
        self.assertEqual(names.level("raid6", 8), "RAID 6 of 8 (6+2)")
        self.assertEqual(names.level("raid1", 8), "RAID 1 of 2")


class Progress(unittest.TestCase):
    def test_line(self):
        self.assertEqual(table.progress_line(1, 4, 60, "x"),
                         " 25 %     3:00 left  x")
        self.assertEqual(table.progress_line(0, 4, 60, "x"),
                         "  0 %        ? left  x")
        self.assertEqual(table.progress_line(0, 0, 0, "x"),
                         "100 %     0:00 left  x")

    def test_clock(self):
        self.assertEqual(table.clock(59.6), "1:00")
        self.assertEqual(table.clock(3723), "1:02:03")

    def test_terminal_or_not(self):
        stream = io.StringIO()
        table.print_progress(1, 2, 5, "x", stream)
        self.assertEqual(stream.getvalue(), " 50 %     0:05 left  x\n")
        stream = io.StringIO()
        with mock.patch.object(stream, "isatty", lambda: True):
            table.print_progress(1, 2, 5, "x", stream)
        self.assertEqual(stream.getvalue(),
                         "\r 50 %     0:05 left  x\x1b[K")


class Table(unittest.TestCase):
    def test_whole(self):
        one = made.add_rebuilds(made.full())
        one.skip("charts", "no gnuplot")
        text = table.render(one.finish())
        self.assertTrue(text.startswith("raw members, 2 CPUs\n"))
        row = next(line for line in text.splitlines()
                   if line.startswith("randwrite-4k") and "×" in line)
        self.assertEqual(re.split(r"  +", row), [
            "randwrite-4k", "40.0 k IOPS", "80.0 k IOPS", "400 k IOPS",
            "5.00×", "45 %", "600 k IOPS", "7.50×", "68 %"])
        self.assertIn("skipped: charts: no gnuplot", text)
        self.assertIn("no gnuplot", text)
        self.assertNotIn(f"{table.NOISY} ", text)

    def test_noise_is_marked(self):
        one = made.empty()
        made.add(one, "raid6", "healthy", "dsync-4k", "md", 100, 150, 160)
        text = table.render(one.finish())
        self.assertIn(f"150 IOPS {table.NOISY}", text)
        self.assertIn("differ by more than a factor of 1.15", text)

    def test_nothing(self):
        self.assertIn("note:", table.render(made.empty().finish()))

    def test_locks(self):
        one = made.empty()
        one.add_locks("write", 10, [], [{"name": "&q->lock", "per_io": 0.5,
                                         "contentions": 3}])
        self.assertRegex(table.render(one.finish()),
                         r"write +own +none +0 +-\n"
                         r"write +below +&q->lock +0\.5000 +3\n")


class Markdown(unittest.TestCase):
    def test_whole(self):
        one = made.add_rebuilds(made.full(command="make bench QUICK=1"))
        one.add_sweep("raid6", {"group_thread_cnt": 2}, "randwrite-4k", 5e4,
                      "iops", True)
        one.skip("objects", "no | file system")
        one.data["contestants"][2]["settings"] = {
            "raid6": {"group_thread_cnt": 2}, "raid0": {}}
        one.data["contestants"][1]["commands"] = ["mdadm --create"]
        text = markdown.render(one.finish(), ["a.svg"])
        for part in ("Made by `make bench QUICK=1`", "Test CPU, 2 CPUs",
                     "nothing here is the throughput of a server",
                     "there is no DMA", "![a](a.svg)",
                     "## RAID 6 of 8 (6+2), healthy, 2 CPUs",
                     "| randwrite-4k | 40.0 k IOPS (39.2 to 40.8)",
                     "## Rebuilds", "| RAID 6 | idle | md | 400 MiB/s |",
                     "group_thread_cnt=2 | randwrite-4k | 50.0 k IOPS | chosen",
                     "raw randread-4k ÷ 1.625 (7/8·1 + 1/8·6 reads)",
                     "(RAID 6: group_thread_cnt=2)", "mdadm --create",
                     "mqrgen: mqrgen randwrite-4k",
                     "| objects | no \\| file system |"):
            self.assertIn(part, text)

    def test_tables_are_even(self):
        text = markdown.render(made.add_rebuilds(made.full()).finish(), [])
        for block in text.split("\n\n"):
            if block.startswith("|"):
                columns = {len(re.findall(r"(?<!\\)\|", line))
                           for line in block.splitlines()}
                self.assertEqual(len(columns), 1, block)

    def test_nothing(self):
        self.assertIn("# mqraid against md",
                      markdown.render(made.empty().finish()))

    def test_names_the_charts(self):
        data = made.full().finish()
        self.assertIn("(ratio-raid6.svg)", markdown.render(data))
        self.assertIn("(b/c.svg)", markdown.render(data, ["a/b/c.svg"], "a"))


class Axes(unittest.TestCase):
    def test_log_where_small_values_would_vanish(self):
        self.assertFalse(gnuplot.spans_decades([1, 9]))
        self.assertTrue(gnuplot.spans_decades([1, None, 0, 10]))
        self.assertFalse(gnuplot.spans_decades([]))

    def test_ticks(self):
        self.assertEqual(gnuplot.ticks(0.9, 25), "1, 2, 5, 10, 20")
        self.assertEqual(gnuplot.ticks(0.02, 0.5), "0.02, 0.05, 0.1, 0.2, 0.5")
        self.assertEqual(gnuplot.ticks(0.9, 20000),
                         "1, 10, 100, 1000, 10000")

    def test_text_is_quoted(self):
        self.assertEqual(gnuplot.text("it's\n\\n"), "'it''s \\n'")


@unittest.skipUnless(shutil.which("gnuplot"), "gnuplot is not installed")
class Charts(unittest.TestCase):
    def written(self, data):
        """{file name: all text in it}"""
        with tempfile.TemporaryDirectory() as work:
            paths = charts.write(data, os.path.join(work, "new"))
            self.assertEqual([os.path.basename(path) for path in paths],
                             charts.file_names(data))
            return {os.path.basename(path): " ".join(
                ElementTree.parse(path).getroot().itertext())
                for path in paths}

    def test_whole(self):
        found = self.written(made.add_rebuilds(
            made.full(cpus=(1, 2))).finish())
        self.assertEqual(list(found), [
            "ratio-raid6.svg", "throughput-raid6.svg",
            "scaling-raid6-healthy.svg", "scaling-raid6-lost1.svg",
            "rebuild-raid6.svg"])
        for text in found.values():
            self.assertIn("RAID 6 of 8 (6+2)", text)
            self.assertIn("Test CPU", text)
            self.assertIn("Linux 7.3.4", text)
            self.assertNotIn("Gnuplot ", text)
        self.assertIn("5.00×", found["ratio-raid6.svg"])
        self.assertIn("400 k", found["throughput-raid6.svg"])

    def test_slower_than_md(self):
        one = made.empty()
        for contestant, value in (("md", 100), ("mqraid", 20)):
            made.add(one, "raid6", "healthy", "dsync-4k", contestant, value)
        self.assertIn("0.20×", self.written(one.finish())["ratio-raid6.svg"])

    def test_only_raw_or_nothing(self):
        one = made.empty()
        made.add(one, None, "raw", "randwrite-4k", "raw", 9)
        self.assertEqual(self.written(one.finish()), {})

    def test_nothing_measured(self):
        one = made.empty()
        made.add(one, "raid6", "healthy", "dsync-4k", "mqraid", 0, 0)
        self.assertEqual(list(self.written(one.finish())),
                         ["throughput-raid6.svg"])

    def test_files(self):
        one = made.empty()
        made.add(one, "raid6", "healthy", "objects", "md", 10, fs="xfs",
                 tool="objects")
        self.assertIn("files on xfs", self.written(one.finish())[
            "throughput-raid6-xfs.svg"])

    def test_rebuilds_that_did_not_end(self):
        one = made.add_rebuilds(made.empty(), complete=False)
        for rebuild in one.data["rebuilds"]:
            rebuild["series"] = rebuild["series"][:1]
        self.assertEqual(list(self.written(one.finish())),
                         ["rebuild-raid6.svg"])

    def test_gnuplot_is_missing(self):
        with mock.patch("shutil.which", return_value=None), \
                self.assertRaisesRegex(gnuplot.GnuplotError, "gnuplot-nox"):
            gnuplot.draw("")

    def test_gnuplot_complains(self):
        with self.assertRaisesRegex(gnuplot.GnuplotError, "nonsense"):
            gnuplot.draw("nonsense")
