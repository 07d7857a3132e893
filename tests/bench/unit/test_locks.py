# SPDX-License-Identifier: GPL-2.0
"""Lock statistics, and which locks are the driver's."""

import unittest

from benchlib import locks

STAT = """\
lock_stat version 0.4
-----------------------------------------------------------------------------
                              class name    con-bounces    contentions   \
waittime-min   waittime-max waittime-total   waittime-avg    acq-bounces   \
acquisitions   holdtime-min   holdtime-max holdtime-total   holdtime-avg
-----------------------------------------------------------------------------

                         &rq->__lock:            10             12           \
0.10          10.50         100.00           8.33            200           \
4000           0.05          50.00        2000.00           0.50
                         -----------
                         &rq->__lock             12          [<0000>] a+0x1/0x2
                    &mm->mmap_lock-W:             1              2           \
0.10           1.00           2.00           1.00             20           \
30           0.05           5.00          20.00           0.50
                    &mm->mmap_lock-R:             0              3           \
0.00           0.00           0.00           0.00             20           \
70           0.05           5.00          20.00           0.50
                  &sync->lock#2/1:             0              0           \
0.00           0.00           0.00           0.00             0           \
500           0.05           5.00          20.00           0.50
      (work_completion)(&x->work):             0              0           \
0.00           0.00           0.00           0.00             0           \
9           0.05           5.00          20.00           0.50
"""
SOURCE = """
static DEFINE_MUTEX(arrays_mutex);
static DEFINE_SPINLOCK(other);
	mutex_init(&array->config_mutex);
	spin_lock_init(&sync->lock);
	init_waitqueue_head(&sync->wait);
	__raw_spin_lock_init(&hidden->lock, "x", key, 0);
	percpu_init_rwsem(&array->sem);
	seqcount_init(&a->seq[i]);
	mutex_lock(&array->config_mutex);
"""


class Statistics(unittest.TestCase):
    def test_columns(self):
        self.assertEqual(locks.parse(STAT)["&rq->__lock"], (12, 4000))

    def test_readers_and_writers_are_one_lock(self):
        self.assertEqual(locks.parse(STAT)["&mm->mmap_lock"], (5, 100))

    def test_classes_of_one_name(self):
        self.assertEqual(locks.parse(STAT)["&sync->lock"], (0, 500))

    def test_names_with_anything_in_them(self):
        self.assertIn("(work_completion)(&x->work)", locks.parse(STAT))

    def test_nothing_else_is_a_line(self):
        self.assertEqual(len(locks.parse(STAT)), 4)


class Sources(unittest.TestCase):
    def test_names(self):
        self.assertEqual(locks.names_in(SOURCE), {
            "arrays_mutex", "other", "&array->config_mutex", "&sync->lock",
            "&sync->wait", "&array->sem", "&a->seq[i]"})

    def test_the_driver_has_some(self):
        self.assertIn("&array->config_mutex", locks.own_names())


class Report(unittest.TestCase):
    def test_own_and_below(self):
        found = locks.report("write", 1000, locks.parse(STAT),
                             locks.names_in(SOURCE))
        self.assertEqual(found["own"],
                         [{"name": "&sync->lock", "per_io": 0.5}])
        self.assertEqual([lock["name"] for lock in found["contended"]],
                         ["&rq->__lock", "&mm->mmap_lock"])
        self.assertEqual(found["contended"][0]["per_io"], 4.0)
