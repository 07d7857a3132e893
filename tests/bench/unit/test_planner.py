# SPDX-License-Identifier: GPL-2.0
"""Limits count what the driver's planner does: the cheapest way there is."""

import ctypes
import itertools
import os
import shutil
import subprocess
import tempfile
import unittest

from benchlib import limits

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
SHIM = """
#include "core/plan.h"
unsigned int count(int data, int parities, u64 missing, int write)
{
	struct mqr_geo geo = { .data_roles = data, .parities = parities,
			       .roles = data + parities };
	struct mqr_col_in in = { .missing = missing, .trusted = true };
	struct mqr_col_plan plan;

	if (write)
		in.full = 1;
	else
		in.want = 1;
	plan = mqr_plan_column(&geo, &in);
	return plan.lost ? ~0u : hweight64(plan.read) << 8 |
					 hweight64(plan.write);
}
"""


@unittest.skipUnless(shutil.which("gcc"), "gcc is not installed")
class Planner(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as work:
            shim = os.path.join(work, "shim.c")
            with open(shim, "w", encoding="ascii") as file:
                file.write(SHIM)
            library = os.path.join(work, "shim.so")
            driver = os.path.join(TOP, "driver")
            subprocess.run(
                ["gcc", "-std=gnu11", "-O1", "-shared", "-fPIC", "-I", driver,
                 "-I", os.path.join(TOP, "include"), "-o", library, shim,
                 os.path.join(driver, "core", "plan.c")], check=True)
            cls.count = ctypes.CDLL(library).count
            cls.count.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_uint64,
                                  ctypes.c_int)
            cls.count.restype = ctypes.c_uint

    def planned(self, data, parities, gone, write):
        packed = self.count(data, parities, sum(1 << role for role in gone),
                            write)
        return packed >> 8, packed & 0xff

    def test_every_position(self):
        for data, parities in itertools.product(range(2, 17), (1, 2)):
            for lost in range(parities + 1):
                for gone in itertools.combinations(range(data + parities),
                                                   lost):
                    self.check(data, parities, gone)

    def check(self, data, parities, gone):
        where = f"{data}+{parities}, lost: {gone}"
        self.assertEqual(limits.parity_read(data, gone),
                         self.planned(data, parities, gone, 0), where)
        self.assertEqual(limits.parity_write(data, parities, gone),
                         self.planned(data, parities, gone, 1), where)
