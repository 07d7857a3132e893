# SPDX-License-Identifier: GPL-2.0
"""Statistics."""

import unittest

from benchlib import stats


class Summary(unittest.TestCase):
    def test_odd_and_even(self):
        self.assertEqual(stats.summary([3, 1, 2]), (2, 1, 3, 3))
        self.assertEqual(stats.summary([4, 1, 2, 3]), (2.5, 1, 4, 4))

    def test_one_value_has_no_noise(self):
        self.assertEqual(stats.summary([7]), (7, 7, 7, 1))

    def test_any_iterable(self):
        self.assertEqual(stats.summary(iter([1, 3])).median, 2)

    def test_zero_is_noise_without_number(self):
        self.assertIsNone(stats.summary([0, 5, 6]).noise)
        self.assertEqual(stats.summary([0, 0]).noise, 1)

    def test_nothing(self):
        with self.assertRaises(ValueError):
            stats.summary([])

    def test_noisy(self):
        self.assertFalse(stats.noisy(1.15, 1.15))
        self.assertTrue(stats.noisy(1.16, 1.15))
        self.assertTrue(stats.noisy(None, 1.15))


class CpuCosts(unittest.TestCase):
    def test_units(self):
        sample = {"cpu_seconds": 2.0, "bytes": 4_000_000_000, "ios": 500_000}
        self.assertEqual(stats.cpu_costs([sample]), (0.5, 4.0))

    def test_median_of_what_is_known(self):
        samples = [{"cpu_seconds": cpu, "bytes": 10**9, "ios": 10**6}
                   for cpu in (1, None, 5, 3)]
        self.assertEqual(stats.cpu_costs(samples), (3, 3))

    def test_unknown(self):
        self.assertEqual(stats.cpu_costs([]), (None, None))
        self.assertEqual(stats.cpu_costs(
            [{"cpu_seconds": None, "bytes": 1, "ios": 1}]), (None, None))
        self.assertEqual(stats.cpu_costs(
            [{"cpu_seconds": 1, "bytes": 0, "ios": 10**6}]), (None, 1))


class Better(unittest.TestCase):
    def test_directions(self):
        self.assertEqual(stats.better(10, 5, "higher"), 2)
        self.assertEqual(stats.better(10, 5, "lower"), 0.5)

    def test_nothing_to_compare(self):
        self.assertIsNone(stats.better(1, 0, "higher"))
        self.assertIsNone(stats.better(None, 1, "lower"))

    def test_median_of(self):
        self.assertEqual(stats.median_of([None, 3, 1]), 2)
        self.assertIsNone(stats.median_of([None]))
