# SPDX-License-Identifier: GPL-2.0
"""Limits, against figures that can be checked by hand."""

import unittest
from fractions import Fraction

from benchlib import limits

RAW = {"randread-4k": 6e6, "randwrite-4k": 6e6, "mix70-4k": 5e6,
       "seqwrite-1m": 80000, "seqwrite-128k": 64000, "seqread-1m": 90000,
       "seqread-128k": 60000, "lat-read-4k": 10.0, "lat-write-4k": 5.0,
       "dsync-4k": 200e3, "classic-4k-read": 300e3, "classic-4k-write": 150e3,
       "classic-1m-write": 1600, "classic-1m-read": 2000}


def limit(level, disks, state, work, **settings):
    return limits.limit(level, disks, state, work, RAW, **settings)


class Costs(unittest.TestCase):
    """Reads and writes on members of one block at random."""

    def check(self, level, disks, lost, op, reads, writes):
        with self.subTest(level=level, disks=disks, lost=lost, op=op):
            cost = limits.costs(level, disks, lost, op)
            self.assertEqual((cost.reads, cost.writes),
                             (Fraction(reads), Fraction(writes)))
            self.assertEqual(sum(chance for chance, *_ in cost.cases), 1)

    def test_healthy_reads(self):
        for level, disks in (("raid0", 8), ("raid1", 2), ("raid10", 8),
                             ("raid5", 8), ("raid6", 8)):
            self.check(level, disks, 0, "read", 1, 0)

    def test_healthy_writes(self):
        self.check("raid0", 8, 0, "write", 0, 1)
        self.check("raid1", 2, 0, "write", 0, 2)
        self.check("raid1", 3, 0, "write", 0, 3)
        self.check("raid10", 8, 0, "write", 0, 2)
        self.check("raid10", 5, 0, "write", 0, 2)
        self.check("raid5", 8, 0, "write", 2, 2)
        self.check("raid6", 8, 0, "write", 3, 3)

    def test_few_data_disks_are_read_instead(self):
        """Reconstruct-write: all other data instead of old data and parity."""
        self.check("raid5", 3, 0, "write", 1, 2)
        self.check("raid5", 4, 0, "write", 2, 2)
        self.check("raid6", 4, 0, "write", 1, 3)
        self.check("raid6", 5, 0, "write", 2, 3)
        self.check("raid6", 6, 0, "write", 3, 3)

    def test_degraded_reads(self):
        # 7/8 * 1 + 1/8 * 6, and so on
        self.check("raid6", 8, 1, "read", "13/8", 0)
        self.check("raid6", 8, 2, "read", "9/4", 0)
        self.check("raid5", 8, 1, "read", "7/4", 0)
        self.check("raid5", 3, 1, "read", "4/3", 0)
        self.check("raid10", 8, 1, "read", 1, 0)
        self.check("raid1", 2, 1, "read", 1, 0)

    def test_degraded_writes(self):
        # the block itself is lost: 5 reads, 2 writes; other data: 3 + 3;
        # a parity: 2 + 2
        self.check("raid6", 8, 1, "write", Fraction(5 + 5 * 3 + 2 * 2, 8),
                   Fraction(2 + 5 * 3 + 2 * 2, 8))
        # lost: itself 6 + 1; other data 2 + 2; the parity 0 + 1
        self.check("raid5", 8, 1, "write", Fraction(6 + 6 * 2 + 0, 8),
                   Fraction(1 + 6 * 2 + 1, 8))
        self.check("raid1", 2, 1, "write", 0, 1)

    def test_two_lost_writes(self):
        # of 28 pairs: itself and other data (5): 6 + 2; itself and a parity
        # (2): 5 + 1; two others (10): 3 + 3; other and parity (10): 2 + 2;
        # both parities (1): 0 + 1
        self.check("raid6", 8, 2, "write",
                   Fraction(5 * 6 + 2 * 5 + 10 * 3 + 10 * 2 + 0, 28),
                   Fraction(5 * 2 + 2 * 1 + 10 * 3 + 10 * 2 + 1, 28))

    def test_mirrors_that_survive(self):
        # one of 8: 1/4 of the pairs is left with one copy
        self.check("raid10", 8, 1, "write", 0, "7/4")
        # two of 8, not of one pair: 24 of 28 ways, half of them hit ours
        self.check("raid10", 8, 2, "write", 0, "3/2")
        # odd: copies on neighbours; one of 5 has a copy of 2/5 of the blocks
        self.check("raid10", 5, 1, "write", 0, "8/5")
        self.check("raid1", 3, 2, "write", 0, 1)

    def test_too_many_lost(self):
        for level, disks, lost in (("raid0", 8, 1), ("raid5", 8, 2),
                                   ("raid6", 8, 3), ("raid1", 2, 2),
                                   ("raid10", 2, 2)):
            with self.subTest(level=level), self.assertRaises(ValueError):
                limits.costs(level, disks, lost, "read")

    def test_unknown_level(self):
        with self.assertRaises(ValueError):
            limits.costs("raid7", 8, 0, "read")


class Random(unittest.TestCase):
    def test_healthy_write_is_a_sixth(self):
        value, formula = limit("raid6", 8, "healthy", "randwrite-4k")
        self.assertAlmostEqual(value, 1e6)
        self.assertEqual(formula, "1 ÷ (3 ÷ raw randread-4k + "
                         "3 ÷ raw randwrite-4k) (3 reads + 3 writes)")

    def test_reads_and_writes_of_different_speed(self):
        raw = {"randread-4k": 6e6, "randwrite-4k": 3e6}
        value, _ = limits.limit("raid6", 8, "healthy", "randwrite-4k", raw)
        self.assertAlmostEqual(value, 1 / (3 / 6e6 + 3 / 3e6))

    def test_degraded_read(self):
        value, formula = limit("raid6", 8, "lost1", "randread-4k")
        self.assertAlmostEqual(value, 6e6 / 1.625)
        self.assertEqual(formula, "raw randread-4k ÷ 1.625 "
                         "(7/8·1 + 1/8·6 reads)")
        value, formula = limit("raid6", 8, "lost2", "randread-4k")
        self.assertAlmostEqual(value, 6e6 / 2.25)
        self.assertIn("3/4·1 + 1/4·6", formula)

    def test_read_is_raw(self):
        self.assertEqual(limit("raid5", 8, "healthy", "randread-4k"),
                         (6e6, "raw randread-4k"))

    def test_mix(self):
        # 0.7 reads; 0.3 * (3 reads + 3 writes): 2.5 I/Os in all
        value, formula = limit("raid6", 8, "healthy", "mix70-4k")
        self.assertAlmostEqual(value, 6e6 / 2.5)
        self.assertIn("1.6 ÷ raw randread-4k", formula)
        self.assertIn("0.9 ÷ raw randwrite-4k", formula)
        self.assertEqual(limit("raid0", 8, "healthy", "mix70-4k"),
                         (5e6, "raw mix70-4k"))

    def test_mirror(self):
        self.assertEqual(limit("raid10", 8, "healthy", "randwrite-4k"),
                         (3e6, "raw randwrite-4k ÷ 2 (2 writes)"))


class Streams(unittest.TestCase):
    def test_parity_takes_its_share(self):
        value, formula = limit("raid6", 8, "healthy", "seqwrite-1m")
        self.assertEqual(value, 60000)
        self.assertIn("6/8", formula)
        self.assertEqual(limit("raid5", 8, "healthy", "seqwrite-1m")[0], 70000)
        self.assertEqual(limit("raid10", 8, "healthy", "seqwrite-1m")[0],
                         40000)
        self.assertEqual(limit("raid1", 2, "healthy", "seqwrite-1m")[0], 40000)
        self.assertEqual(limit("raid0", 8, "healthy", "seqwrite-1m"),
                         (80000, "raw seqwrite-1m"))

    def test_degraded_rows_have_fewer_writes(self):
        value, formula = limit("raid6", 8, "lost1", "seqwrite-1m")
        self.assertAlmostEqual(value, 80000 * 6 / 7)
        self.assertIn("6/7", formula)
        self.assertEqual(limit("raid6", 8, "lost2", "seqwrite-1m")[0], 80000)

    def test_rows_are_chunks_on_members(self):
        self.assertEqual(limit("raid6", 8, "healthy", "rowwrite")[0], 48000)

    def test_reads_take_parity_for_lost_data(self):
        for state in ("healthy", "lost1", "lost2"):
            self.assertEqual(limit("raid6", 8, state, "seqread-1m"),
                             (90000, "raw seqread-1m"))


class Waits(unittest.TestCase):
    def test_read_then_write(self):
        value, formula = limit("raid6", 8, "healthy", "lat-write-4k")
        self.assertEqual(value, 15)
        self.assertEqual(formula, "raw lat-read-4k + raw lat-write-4k "
                         "(read, then write)")
        self.assertEqual(limit("raid10", 8, "healthy", "lat-write-4k"),
                         (5, "raw lat-write-4k"))

    def test_reads_of_survivors_are_one_wait(self):
        self.assertEqual(limit("raid6", 8, "lost2", "lat-read-4k"),
                         (10, "raw lat-read-4k"))

    def test_no_read_without_parity(self):
        # 1 of 8: the parity is lost, and nothing has to be read
        value, _ = limit("raid5", 8, "lost1", "lat-write-4k")
        self.assertAlmostEqual(value, 7 / 8 * 10 + 5)

    def test_dsync(self):
        # each of 2 jobs: 10 µs to read, 10 µs to write
        value, _ = limit("raid6", 8, "healthy", "dsync-4k", cpus=2)
        self.assertAlmostEqual(value, 100e3)
        value, formula = limit("raid1", 2, "healthy", "dsync-4k")
        self.assertAlmostEqual(value, 200e3)
        self.assertEqual(formula, "raw dsync-4k")

    def test_psync_jobs(self):
        value, _ = limit("raid6", 8, "healthy", "classic-4k-write")
        self.assertAlmostEqual(value, 100e3)
        self.assertEqual(limit("raid6", 8, "lost1", "classic-4k-read"),
                         (300e3, "raw classic-4k-read"))


class Rebuild(unittest.TestCase):
    def test_bandwidth_is_shared(self):
        value, formula = limit("raid6", 8, "rebuild", "rebuild")
        self.assertAlmostEqual(value, 1 / (6 / 60000 + 1 / 64000))
        self.assertIn("6 reads + 1 write", formula)
        value, _ = limit("raid10", 8, "rebuild", "rebuild")
        self.assertAlmostEqual(value, 1 / (1 / 60000 + 1 / 64000))

    def test_none(self):
        self.assertIsNone(limit("raid0", 8, "rebuild", "rebuild"))
        self.assertIsNone(limit("raid6", 8, "rebuild-load", "rebuild"))
        self.assertIsNone(limit("raid6", 8, "rebuild-load", "mix70-4k"))
        self.assertIsNone(limit("raid6", 8, "rebuild", "mix70-4k"))

    def test_drives_do_not_share_one_bottleneck(self):
        # one drive writes 8000; seven read 52500, six for each block: 8750
        value, formula = limit("raid6", 8, "rebuild", "rebuild", raw_disks=8)
        self.assertAlmostEqual(value, 8000)
        self.assertIn("the smaller of", formula)


class Drives(unittest.TestCase):
    """Where drives are the bottleneck, fewer of them do less."""

    def test_scaled_to_those_left(self):
        value, formula = limit("raid6", 8, "lost1", "randread-4k", raw_disks=8)
        self.assertAlmostEqual(value, 7 / 8 * 6e6 / 1.625)
        self.assertTrue(formula.startswith("7/8 of the drives × raw"))
        value, _ = limit("raid1", 2, "healthy", "seqread-1m", raw_disks=8)
        self.assertAlmostEqual(value, 90000 / 4)

    def test_full_array_is_not(self):
        for work in ("randread-4k", "randwrite-4k", "seqwrite-1m"):
            self.assertEqual(limit("raid6", 8, "healthy", work, raw_disks=8),
                             limit("raid6", 8, "healthy", work))

    def test_waits_are_not(self):
        self.assertEqual(limit("raid6", 8, "lost1", "lat-write-4k",
                               raw_disks=8)[0], 15)

    def test_one_large_io_is_faster_on_many(self):
        self.assertIsNone(limit("raid6", 8, "healthy", "classic-1m-read",
                                raw_disks=8))
        self.assertEqual(limit("raid6", 8, "healthy", "classic-1m-read")[0],
                         2000)


class Absent(unittest.TestCase):
    def test_states_that_do_not_exist(self):
        self.assertIsNone(limit("raid5", 8, "lost2", "randread-4k"))
        self.assertIsNone(limit("raid0", 8, "lost1", "randread-4k"))
        self.assertIsNone(limit("raid6", 8, "raw", "randread-4k"))

    def test_works_without(self):
        self.assertIsNone(limit("raid6", 8, "healthy", "objects"))
        self.assertIsNone(limit("raid6", 8, "healthy", "no-such-work"))

    def test_raw_was_not_measured(self):
        for work in RAW:
            with self.subTest(work=work):
                self.assertIsNone(limits.limit("raid6", 8, "healthy", work,
                                               {}))

    def test_members(self):
        self.assertEqual(limits.members("raid1", 8), 2)
        self.assertEqual(limits.members("raid6", 8), 8)
