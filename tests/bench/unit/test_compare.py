# SPDX-License-Identifier: GPL-2.0
"""What got slower or faster beyond the noise."""

import unittest

import made
from benchlib import compare


def pair(before, after, contestant="mqraid", work="randwrite-4k"):
    """Two results of one cell each."""
    results = []
    for values in (before, after):
        one = made.empty()
        made.add(one, "raid6", "healthy", work, contestant, *values)
        results.append(one.finish())
    return results


class Verdict(unittest.TestCase):
    def check(self, before, after, regressed, heading, percent=10, **more):
        lines, found = compare.compare(*pair(before, after, **more), percent)
        text = "\n".join(lines)
        self.assertEqual(found, regressed, text)
        for word in ("regressions of more", "slower:", "faster:"):
            self.assertEqual(word in text, word == heading, text)
        return text

    def test_same(self):
        self.check((100, 101, 102), (100, 101, 102), False, None)

    def test_regression(self):
        text = self.check((100, 101, 102), (80, 81, 82), True,
                          "regressions of more")
        self.assertIn("-20 %  RAID 6, healthy, randwrite-4k, 2 CPUs, mqraid: "
                      "101 IOPS, now 81.0 IOPS", text)

    def test_slower_but_tolerated(self):
        self.check((100, 101, 102), (94, 95, 96), False, "slower:")
        self.check((100, 101, 102), (80, 81, 82), False, "slower:",
                   percent=25)

    def test_faster(self):
        text = self.check((100, 101, 102), (150, 151, 152), False, "faster:")
        self.assertIn("+50 %", text)

    def test_latency(self):
        self.check((10, 10.1, 10.2), (15, 15.1, 15.2), True,
                   "regressions of more", work="lat-read-4k")
        self.check((10, 10.1, 10.2), (7, 7.1, 7.2), False, "faster:",
                   work="lat-read-4k")

    def test_within_the_noise_of_either(self):
        self.check((100, 101, 130), (85, 86, 87), False, None)
        self.check((100, 101, 102), (70, 85, 99), False, None)

    def test_ranges_that_touch(self):
        self.check((90, 100, 101), (80, 82, 91), False, None)

    def test_single_repetitions(self):
        self.check((100,), (80,), True, "regressions of more")

    def test_md_does_not_regress(self):
        text = self.check((100, 101, 102), (80, 81, 82), False, None,
                          contestant="md")
        self.assertIn("md: 1 of 1 cells moved beyond the noise", text)


class Whole(unittest.TestCase):
    def test_all_cells(self):
        old, new = made.full().finish(), made.full(0.8).finish()
        lines, regressed = compare.compare(old, new, 10)
        self.assertTrue(regressed)
        self.assertEqual(lines[-1], "28 of 28 cells got worse by more than "
                         "10 %")

    def test_other_circumstances_are_said(self):
        old, new = made.full().finish(), made.full().finish()
        new["machine"] = new["machine"] | {"cpus": 4}
        new["parameters"] = new["parameters"] | {"chunk_kib": 64}
        lines, _ = compare.compare(old, new, 10)
        self.assertEqual(lines[:2], ["the runs differ in cpus: 2, now 4",
                                     "the runs differ in chunk kib: 128, "
                                     "now 64"])

    def test_cells_of_one_only(self):
        old, new = made.full(), made.full()
        made.add(old, "raid6", "lost2", "dsync-4k", "md", 1)
        made.add(new, "raid5", "lost1", "dsync-4k", "md", 1)
        text = "\n".join(compare.compare(old.finish(), new.finish(), 10)[0])
        self.assertIn("only in the old result: 1 cells\n"
                      "  raid6 lost2 dsync-4k 2 md", text)
        self.assertIn("only in the new result: 1 cells\n"
                      "  raid5 lost1 dsync-4k 2 md", text)

    def test_nothing_in_common_is_no_success(self):
        lines, failed = compare.compare(made.empty().finish(),
                                        made.full().finish(), 10)
        self.assertTrue(failed)
        self.assertIn("nothing to compare", lines[-1])

    def test_nothing_measured(self):
        old, new = pair((100, 101), (0, 0))
        lines, failed = compare.compare(old, new, 10)
        self.assertIn("without a figure to compare: 1 cells", lines)
        self.assertTrue(failed)
