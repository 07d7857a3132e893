# SPDX-License-Identifier: GPL-2.0
"""fio's command line, and what is understood of its reports."""

import json
import shutil
import subprocess
import unittest

from benchlib import fio
from benchlib import work as works

ROW = 768 << 10
OURS = [work for work in works.WORKS.values()
        if work.tool in ("engine", "fio")]


def options(argv):
    """{name: value or None}"""
    words = [word.removeprefix("--").partition("=") for word in argv[1:]]
    return {name: value if equals else None for name, equals, value in words}


def of(work, filename="/dev/mqr0", jobs=2, seconds=0.4, **more):
    return options(fio.arguments(work, filename, jobs, seconds, bs_row=ROW,
                                 **more))


class Arguments(unittest.TestCase):
    def test_random_writes(self):
        found = of("randwrite-4k", jobs=4)
        self.assertEqual(found["rw"], "randwrite")
        self.assertEqual(found["bs"], "4096")
        self.assertEqual(found["iodepth"], "64")
        self.assertEqual(found["numjobs"], "4")
        self.assertEqual(found["ioengine"], "io_uring")
        self.assertEqual(found["runtime"], "400ms")
        self.assertEqual(found["direct"], "1")
        self.assertIn("time_based", found)
        self.assertIn("norandommap", found)

    def test_mix(self):
        found = of("mix70-4k")
        self.assertEqual((found["rw"], found["rwmixread"]), ("randrw", "70"))

    def test_streams(self):
        found = of("seqread-128k", jobs=1)
        self.assertEqual((found["rw"], found["bs"], found["iodepth"]),
                         ("read", "131072", "32"))
        # Half of the queue would be idle.
        self.assertNotIn("iodepth_batch_complete_min", found)

    def test_full_stripe(self):
        self.assertEqual(of("rowwrite")["bs"], str(ROW))
        with self.assertRaises(ValueError):
            fio.arguments("rowwrite", "/dev/mqr0", 1, 1)

    def test_latency_is_taken_where_it_is_the_point(self):
        self.assertEqual(of("lat-read-4k")["ioengine"], "psync")
        self.assertIn("lat_percentiles", of("lat-write-4k"))
        self.assertEqual(of("randread-4k")["gtod_reduce"], "1")

    def test_dsync(self):
        found = of("dsync-4k")
        self.assertEqual((found["sync"], found["ioengine"], found["rw"]),
                         ("dsync", "psync", "randwrite"))
        self.assertNotIn("sync", of("classic-4k-write"))

    def test_several_devices(self):
        found = of("randread-4k", ["/dev/a", "/dev/b:1"], size=1 << 20)
        self.assertEqual(found["filename"], "/dev/a:/dev/b\\:1")
        # fio divides it.
        self.assertEqual(found["size"], str(2 << 20))

    def test_files_are_laid_out_first(self):
        found = of("rowwrite", "/mnt/file", size=(10 << 20) + 5)
        self.assertEqual(found["filesize"], str((10 << 20) // ROW * ROW))
        self.assertEqual(found["overwrite"], "1")
        self.assertNotIn("size", found)

    @unittest.skipUnless(shutil.which("fio"), "fio is not installed")
    def test_fio_takes_them(self):
        for work in OURS:
            for size in (None, 8 << 20):
                with self.subTest(work=work.name, size=size):
                    argv = fio.arguments(work, "/nonexistent", 2, 0.1,
                                         bs_row=ROW, size=size)
                    done = subprocess.run(
                        [*argv, "--parse-only"], check=False, text=True,
                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                    self.assertEqual(done.returncode, 0, done.stdout)


def report(name="randread-4k", reads=0, writes=0, size=4096, runtime=500,
           latency=True, error=0):
    """As fio 3.33 prints it, without what isn't read."""
    def way(ios):
        lat = {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
        if ios and latency:
            lat = {"min": 900, "max": 90000, "mean": 12500.5, "stddev": 9.0,
                   "N": ios, "percentile": {"50.000000": 10000,
                                            "99.000000": 40000,
                                            "99.900000": 80000}}
        return {"io_bytes": ios * size, "total_ios": ios, "lat_ns": lat,
                "runtime": runtime if ios else 0}
    return json.dumps({
        "fio version": "fio-3.33", "jobs": [{
            "jobname": name, "error": error, "read": way(reads),
            "write": way(writes), "trim": way(0), "usr_cpu": 1.0}]}, indent=2)


class Parse(unittest.TestCase):
    def test_iops(self):
        found = fio.parse(report(reads=1000))
        self.assertEqual(found["value"], 2000)
        self.assertEqual((found["ios"], found["bytes"], found["seconds"]),
                         (1000, 4096000, 0.5))
        self.assertEqual(found["errors"], 0)
        self.assertIsNone(found["cpu_seconds"])

    def test_bandwidth(self):
        found = fio.parse(report("seqwrite-1m", writes=100, size=1 << 20,
                                 latency=False))
        self.assertEqual(found["value"], 200)
        self.assertIsNone(found["latency_us"])

    def test_latency(self):
        found = fio.parse(report("lat-write-4k", writes=10))
        self.assertEqual(found["value"], 12.5005)
        self.assertEqual(found["latency_us"], {
            "mean": 12.5005, "p50": 10, "p99": 40, "p999": 80})

    def test_mix_adds_up_and_has_no_percentiles(self):
        found = fio.parse(report("mix70-4k", reads=700, writes=300))
        self.assertEqual((found["value"], found["ios"]), (2000, 1000))
        self.assertIsNone(found["latency_us"])

    def test_named_work(self):
        text = report("anything", reads=1000)
        self.assertEqual(fio.parse(text, "randread-4k")["value"], 2000)
        with self.assertRaisesRegex(fio.FioError, "no work of ours"):
            fio.parse(text)

    def test_words_around_the_report(self):
        text = f"note: both iodepth >= 1\n{report(reads=1)}\nbye\n"
        self.assertEqual(fio.parse(text)["ios"], 1)

    def test_io_errors(self):
        self.assertEqual(fio.parse(report(reads=5, error=5))["errors"], 1)

    def test_nothing_was_done(self):
        with self.assertRaisesRegex(fio.FioError, "error code: 13"):
            fio.parse(report(error=13))

    def test_no_report(self):
        for text in ("", "fio: failed to open", "{\n  broken", '{\n"jobs":1}',
                     '{\n"jobs": []}', "{\n}"):
            with self.subTest(text=text), self.assertRaises(fio.FioError):
                fio.parse(text)

    def test_another_report(self):
        with self.assertRaisesRegex(fio.FioError, "not as expected"):
            fio.parse('{\n"jobs": [{"jobname": "randread-4k"}]}')
