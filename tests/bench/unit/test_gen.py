# SPDX-License-Identifier: GPL-2.0
"""The generator's words, and the works that they are for."""

import unittest

from benchlib import gen, objects, work as works
from benchlib.tool import BenchError

RESULT = """\
running=0
ns=500000000
ios=1000
bytes=4096000
read_ios=700
write_ios=300
errors=0
"""
LATENCY = """\
lat_mean_ns=2500
lat_p50_ns=2000
lat_p99_ns=9000
lat_p999_ns=20000
lat_max_ns=30000
"""


class Words(unittest.TestCase):
    def settings(self, name, **more):
        return gen.settings_of(works.WORKS[name], ["/dev/a", "/dev/b"], 2,
                               786432, 0.25, **more)

    def test_random_writes(self):
        self.assertEqual(
            gen.words(**self.settings("randwrite-4k")),
            "dev=/dev/a,/dev/b op=write pattern=rand bs=4096 qd=64 threads=2 "
            "ms=250 plug=1 lat=0")

    def test_one_job(self):
        self.assertEqual(self.settings("seqwrite-1m")["threads"], 1)

    def test_rows(self):
        self.assertEqual(self.settings("rowwrite")["bs"], 786432)

    def test_mix(self):
        self.assertEqual(self.settings("mix70-4k")["rwmix"], 70)
        self.assertNotIn("rwmix", self.settings("randread-4k"))

    def test_latency_is_taken_where_it_is_the_point(self):
        self.assertEqual(self.settings("lat-read-4k")["lat"], 1)
        self.assertEqual(self.settings("lat-read-4k")["qd"], 1)

    def test_a_part_of_each_device(self):
        found = self.settings("randread-4k", size=64 << 20)
        self.assertEqual(found["span_mb"], 64)

    def test_never_zero_milliseconds(self):
        found = gen.settings_of(works.WORKS["seqread-1m"], ["/dev/a"], 1,
                                None, 0.0001)
        self.assertEqual(found["ms"], 1)


class Results(unittest.TestCase):
    def sample(self, name, text=RESULT):
        return gen.sample(works.WORKS[name], gen.parse(text), 0.5)

    def test_iops(self):
        found = self.sample("randwrite-4k")
        self.assertEqual(found["value"], 2000)
        self.assertEqual(found["cpu_seconds"], 0.5)
        self.assertIsNone(found["latency_us"])

    def test_mib(self):
        self.assertAlmostEqual(self.sample("seqread-128k")["value"],
                               4096000 / (1 << 20) / 0.5)

    def test_latency(self):
        found = self.sample("lat-read-4k", RESULT + LATENCY)
        self.assertEqual(found["value"], 2.5)
        self.assertEqual(found["latency_us"],
                         {"mean": 2.5, "p50": 2.0, "p99": 9.0, "p999": 20.0})

    def test_errors_are_failures(self):
        with self.assertRaisesRegex(BenchError, "3 I/O errors"):
            self.sample("randwrite-4k", RESULT.replace("errors=0",
                                                       "errors=3"))

    def test_nothing_done_is_a_failure(self):
        with self.assertRaisesRegex(BenchError, "not one I/O"):
            self.sample("randwrite-4k", RESULT.replace("ios=1000", "ios=0"))

    def test_what_is_no_result(self):
        for text in ("ns=1 ios=2", RESULT + "lat=x", "what"):
            with self.assertRaises(BenchError):
                gen.parse(text)


class Works(unittest.TestCase):
    def test_rows(self):
        self.assertEqual(works.row_bytes("raid6", 8, 128), 6 * 128 << 10)
        self.assertEqual(works.row_bytes("raid5", 8, 128), 7 * 128 << 10)
        self.assertEqual(works.row_bytes("raid10", 8, 64), 4 * 64 << 10)
        self.assertIsNone(works.row_bytes("raid1", 2, 128))

    def test_better(self):
        for work in works.WORKS.values():
            self.assertEqual(work.better == "lower",
                             work.name.startswith("lat-"))


class Objects(unittest.TestCase):
    TEXT = ("objects=500\nbytes=16384000\nseconds=0.250000\nmean_ns=990000\n"
            "p50_ns=900000\np99_ns=2000000\np999_ns=3000000\nerrors=0\n")

    def test_parse(self):
        found = objects.parse(self.TEXT, 0.1)
        self.assertEqual(found["value"], 2000)
        self.assertEqual(found["latency_us"]["p99"], 2000)

    def test_errors(self):
        with self.assertRaises(BenchError):
            objects.parse(self.TEXT.replace("errors=0", "errors=1"), 0.1)
        with self.assertRaises(BenchError):
            objects.parse("objects=1\n", 0.1)
