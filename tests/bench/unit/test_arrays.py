# SPDX-License-Identifier: GPL-2.0
"""What the kernel and tools say about arrays and drives."""

import io
import unittest

from benchlib import contestants, cpu, md, mqr, record, safety
from benchlib.tool import BenchError

MDSTAT = """\
Personalities : [raid6] [raid5] [raid4]
md100 : active raid6 mqrsink0[8] mqrsink7[7] mqrsink6[6]
      25141248 blocks super 1.2 level 6, 128k chunk, algorithm 2 [8/7] [_UUU]
      [>....................]  recovery =  4.4% (188416/4190208) finish=0.3min

md101 : active raid1 a[0] b[1]
      25141248 blocks super 1.2 [2/2] [UU]
      bitmap: 0/1 pages [0KB], 65536KB chunk

unused devices: <none>
"""


class Progress(unittest.TestCase):
    def test_md(self):
        self.assertEqual(md.progress_of(MDSTAT, "md100"), (188416, 4190208))

    def test_md_without(self):
        self.assertIsNone(md.progress_of(MDSTAT, "md101"))
        self.assertIsNone(md.progress_of(MDSTAT, "md10"))

    def test_md_that_waits(self):
        text = MDSTAT.replace("recovery =  4.4% (188416/4190208) finish=0.3min",
                              "resync=DELAYED")
        self.assertIsNone(md.progress_of(text, "md100"))

    def test_mqraid(self):
        self.assertEqual(mqr.progress_of("2048 / 8192"), (1024, 4096))
        self.assertIsNone(mqr.progress_of("0 / 0"))
        self.assertIsNone(mqr.progress_of(""))


class Cpu(unittest.TestCase):
    STAT = ("cpu  10 1 20 1000 5 2 3 4 100 0\n"
            "cpu0 10 1 20 1000 5 2 3 4 100 0\nintr 5\n")

    def test_busy(self):
        self.assertEqual(cpu.busy_ticks(self.STAT), 10 + 1 + 20 + 2 + 3)

    def test_a_quiet_machine_is_not_mentioned(self):
        self.assertIsNone(cpu.warning(0.02, 0.01))
        self.assertIn("30 %", cpu.warning(0.3, 0.0))
        self.assertIn("9 %", cpu.warning(0.0, 0.09))

    def test_no_cpu(self):
        with self.assertRaises(BenchError):
            cpu.busy_ticks("intr 1\n")


class Mark(unittest.TestCase):
    def test_ours(self):
        uuid = contestants.our_uuid()
        self.assertTrue(contestants.is_ours(uuid))
        self.assertTrue(contestants.is_ours(
            "6d717262-656e-6368-0011-223344556677"))
        self.assertTrue(contestants.is_ours(
            "6D717262:656E6368:00112233:44556677"))

    def test_not_ours(self):
        for uuid in ("", "6d717262656e6368", "6e717262" + "0" * 24):
            self.assertFalse(contestants.is_ours(uuid))


OURS = ("DEVNAME=/dev/a\nUUID=6d717262-656e-6368-0011-223344556677\n"
        "LABEL=any:mqrbench\nTYPE=linux_raid_member\nUSAGE=raid\n")
OFFSET = "0x1000 6d717262-656e-6368-0011-223344556677 mqrbench raid\n"


class Safety(unittest.TestCase):
    def test_an_empty_drive(self):
        self.assertIsNone(safety.why_not_empty("", ""))

    def test_what_an_earlier_run_left(self):
        self.assertIsNone(safety.why_not_empty(OURS, OFFSET))

    def test_ours_and_something_else(self):
        self.assertIsNotNone(safety.why_not_empty(
            OURS, OFFSET + "0x0 1234 label ext4\n"))

    def test_somebody_elses_array(self):
        why = safety.why_not_empty(OURS.replace("6d717262", "11111111"), "")
        self.assertIn("linux_raid_member named any:mqrbench", why)

    def test_a_file_system(self):
        why = safety.why_not_empty("UUID=1\nTYPE=xfs\n", "0x0 1 xfs\n")
        self.assertEqual(why, "it holds xfs")

    def test_our_uuid_on_something_that_is_no_member(self):
        self.assertIsNotNone(safety.why_not_empty(
            OURS.replace("linux_raid_member", "xfs"), ""))

    def test_a_partition_table(self):
        self.assertEqual(safety.why_not_empty("PTTYPE=gpt\n", ""),
                         "it holds gpt")

    def test_what_only_wipefs_finds(self):
        self.assertIn("zfs", safety.why_not_empty("", "0x3f000 zfs_member\n"))

    def test_mounts(self):
        info = ("22 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw\n"
                "23 22 8:1 / /mnt/a rw - xfs /dev/sda1 rw\n")
        self.assertEqual(safety.mounts(info, {"8:0", "8:1"}), ["/mnt/a"])
        self.assertEqual(safety.mounts(info, {"8:2"}), [])

    def test_nobody_is_asked_without_a_terminal(self):
        with self.assertRaisesRegex(BenchError, "no terminal"):
            safety.ask([], io.StringIO("destroy data on 0 drives\n"))


class Records(unittest.TestCase):
    def test_a_line_for_people(self):
        self.assertIsNone(record.parse("setup: building\n"))

    def test_a_record(self):
        line = record.MARK + '{"kind": "skip", "fields": {"what": "a"}}\n'
        self.assertEqual(record.parse(line), ("skip", {"what": "a"}))
