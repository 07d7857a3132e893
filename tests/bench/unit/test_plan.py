# SPDX-License-Identifier: GPL-2.0
"""What is measured, in which order."""

import dataclasses
import json
import unittest

from benchlib import plan as plans, sweep
from benchlib.plan import Plan


def steps(**changes):
    return plans.steps(Plan(**{"cpus": 2, **changes}))


def small(**changes):
    return Plan(**{"levels": ("raid6",), "states": ("healthy",), "cpus": 2,
                   "works": ("randwrite-4k",), **changes})


class Order(unittest.TestCase):
    def test_contestants_take_turns(self):
        begins = [[step.contestant for step in steps(
            levels=("raid6",), states=("healthy",))
            if step.kind == "works" and step.repetition == repetition]
            for repetition in range(3)]
        self.assertEqual([order[0] for order in begins],
                         ["md", "md-tuned", "mqraid"])
        for order in begins:
            self.assertEqual(sorted(order), sorted(begins[0]))

    def test_a_repetition_ends_before_the_next_begins(self):
        numbers = [step.repetition for step in steps(
            levels=("raid5",), states=("healthy",)) if step.kind == "works"]
        self.assertEqual(numbers, sorted(numbers))

    def test_raw_members_once_a_repetition_spread_over_the_run(self):
        found = steps()
        at = [number for number, step in enumerate(found)
              if step.kind == "raw"]
        self.assertEqual([found[number].repetition for number in at],
                         [0, 1, 2])
        self.assertEqual(at[0], 0)
        self.assertLess(abs(at[1] - len(found) / 3), len(found) / 10)

    def test_raw_members_of_a_single_state(self):
        found = [step.kind for step in plans.steps(small())]
        self.assertEqual(found.count("raw"), 3)

    def test_sweep_comes_before_what_it_is_for(self):
        found = steps(levels=("raid6", "raid5"))
        for level in ("raid6", "raid5"):
            kinds = [step.kind for step in found if step.level == level]
            self.assertEqual(kinds[:2], ["sweep", "sweep-rebuild"])
            self.assertEqual(kinds.count("sweep"), 1)
            self.assertEqual(kinds.count("sweep-rebuild"), 1)

    def test_only_what_is_measured_is_tuned(self):
        for state, kind in (("healthy", "sweep"),
                            ("rebuild", "sweep-rebuild")):
            found = [step.kind for step in steps(levels=("raid6",),
                                                 states=(state,))
                     if step.kind.startswith("sweep")]
            self.assertEqual(found, [kind])

    def test_no_sweep_without_md_tuned(self):
        found = steps(contestants=("md", "mqraid"))
        self.assertNotIn("sweep", {step.kind for step in found})
        self.assertNotIn("raw", {step.kind for step in found})


class Choice(unittest.TestCase):
    def test_levels_lose_what_they_survive(self):
        found = set(plans.groups(Plan()))
        self.assertIn(("raid6", "lost2"), found)
        self.assertNotIn(("raid5", "lost2"), found)
        self.assertNotIn(("raid0", "lost1"), found)
        self.assertNotIn(("raid0", "rebuild"), found)

    def test_zero_copy_is_for_parity(self):
        self.assertIn("mqraid-zc",
                      plans.contestants_of(Plan(), "raid5", "lost1"))
        self.assertNotIn("mqraid-zc",
                         plans.contestants_of(Plan(), "raid10", "lost1"))

    def test_mirrors_are_tuned_if_there_is_something(self):
        for mib, state, there in ((4096, "healthy", False),
                                  (4096, "rebuild", True),
                                  (200 << 10, "healthy", True)):
            found = plans.contestants_of(Plan(member_mib=mib), "raid1", state)
            self.assertEqual("md-tuned" in found, there, (mib, state))

    def test_what_cannot_be_is_said(self):
        found = dict(plans.skips(Plan(levels=("raid1", "raid0"))))
        self.assertIn("raid0 lost1", found)
        self.assertIn("raid1 rowwrite", found)
        self.assertIn("raid1 mqraid-zc", found)
        self.assertIn("raid0 md-tuned", found)
        self.assertIn("raid1 healthy, lost1 md-tuned", found)

    def test_nothing_is_left_out_silently(self):
        plan = Plan()
        wanted = set(plans.ENGINE + plans.FIO)
        said = plans.left_out(plan)
        skipped = dict(plans.skips(plan))
        for level, state in plans.groups(plan):
            if state in plans.REBUILDS:
                continue
            missing = wanted - set(plans.works_of(plan, level, state))
            missing -= set(said.get(f"{level} {state}", ()))
            missing = {name for name in missing
                       if f"{level} {name}" not in skipped}
            self.assertEqual(missing, set(), f"{level} {state}")

    def test_works_that_were_asked_for(self):
        plan = small(works=("rowwrite", "objects", "rebuild"))
        self.assertEqual(plans.works_of(plan, "raid6", "healthy"),
                         ("rowwrite",))
        self.assertIn("raid6 objects", dict(plans.skips(plan)))

    def test_file_systems_have_neither_raw_members_nor_rebuilds(self):
        plan = small(works=(), fs="xfs", states=("healthy", "rebuild"))
        found = plans.steps(plan)
        self.assertNotIn("raw", {step.kind for step in found})
        self.assertEqual({step.state for step in found if step.state},
                         {"healthy"})
        self.assertIn("objects", plans.works_of(plan, "raid6", "healthy"))

    def test_raw_members_do_what_limits_need(self):
        found = plans.raw_works(small(works=("rowwrite", "mix70-4k")))
        self.assertEqual(set(found), {"seqwrite-128k", "seqread-128k",
                                      "randwrite-4k", "randread-4k",
                                      "mix70-4k"})

    def test_limits_of_rebuilds(self):
        found = plans.raw_works(small(states=("rebuild",)))
        self.assertEqual(set(found), {"seqwrite-128k", "seqread-128k"})

    def test_mirrors_have_two(self):
        self.assertEqual(plans.disks(Plan(), "raid1"), 2)
        self.assertEqual(plans.disks(Plan(drives=6), "raid6"), 6)

    def test_tools(self):
        self.assertEqual(plans.tool(Plan(), "randwrite-4k"), "mqrgen")
        self.assertEqual(plans.tool(Plan(), "dsync-4k"), "fio")
        self.assertEqual(plans.tool(Plan(fs="xfs"), "randwrite-4k"), "fio")
        self.assertEqual(plans.tool(Plan(engine="fio"), "lat-read-4k"), "fio")


class Time(unittest.TestCase):
    def test_quick_takes_two_minutes(self):
        plan = Plan(profile="quick", cpus=2, **plans.PROFILES["quick"])
        self.assertLess(plans.total_seconds(plan), 130)

    def test_default_takes_ten_minutes(self):
        seconds = plans.total_seconds(Plan(cpus=2))
        self.assertLess(seconds, 700)
        self.assertGreater(seconds, 400)


class Transport(unittest.TestCase):
    def test_through_json(self):
        plan = small()
        text = json.dumps(dataclasses.asdict(plan))
        self.assertEqual(Plan.of(json.loads(text)), plan)


class Sweep(unittest.TestCase):
    def test_parity_is_tuned_in_all_ways(self):
        found = sum(sweep.by_bitmap("raid6", 4), [])
        self.assertEqual(len(found), 8)
        self.assertIn({"group_thread_cnt": 4, "stripe_cache_size": 8192,
                       "bitmap": "none"}, found)

    def test_groups_need_one_array_each(self):
        for group in sweep.by_bitmap("raid5", 2):
            self.assertEqual(len({settings["bitmap"] for settings in group}),
                             1)

    def test_mirrors_have_a_bitmap_only(self):
        self.assertEqual(sweep.by_bitmap("raid10", 2),
                         [[{"bitmap": "none"}], [{"bitmap": "internal"}]])
        self.assertEqual(sweep.by_bitmap("raid0", 2), [])

    def test_rebuilds_are_tuned_apart(self):
        self.assertEqual(len(sweep.rebuilding("raid6", 2)), 4)
        self.assertEqual(sweep.rebuilding("raid1", 2), [])

    def test_units_do_not_matter(self):
        # 10 % more of the large number is not worth half of the small one.
        tried = [({"a": 1}, [1000000.0, 2.0]), ({"a": 2}, [1100000.0, 1.0])]
        self.assertEqual(sweep.best(tried), {"a": 1})

    def test_geometric_mean(self):
        self.assertAlmostEqual(sweep.score([1.0, 100.0]), 10.0)

    def test_text(self):
        self.assertEqual(sweep.text({"a": 1, "b": "none"}), "a 1, b none")
