# SPDX-License-Identifier: GPL-2.0
"""The emulated machine: Debian's stock kernel with NVMe drives."""

import os
import socket

from guestlib import initramfs, qmp
from guestlib.host import Failure

# Without the first: surprise removal is not surprising, ACPI does it.
HOTPLUG = ["-global", "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off"]

BOARD = "q35,vmport=off,smbus=off,sata=off,usb=off,hpet=off,graphics=off"

# panic: an oops ends the guest, and with it the run, at once.
# mitigations: they cost time under emulation and protect nothing.
# norandmaps: code that is emulated is kept by its virtual address, so that
#     programs which move with every start are translated every time.
# init_on_alloc, apparmor: they make I/O take half as long again.
# io_timeout: a hung drive is given up after 10 s instead of 30.
CMDLINE = ("console=ttyS0 quiet loglevel=4 panic=-1 oops=panic nokaslr "
           "mitigations=off norandmaps init_on_alloc=0 apparmor=0 "
           "random.trust_cpu=on tsc=reliable no_timer_check "
           "net.ifnames=0 log_buf_len=1M "
           "nvme_core.io_timeout=10 nvme_core.admin_timeout=10")


class Machine:
    def __init__(self, args, kernel, space):
        self.space = space
        self.args = args
        self.channels = {}
        self.images = []
        self.argv = [
            "qemu-system-x86_64", "-nodefaults", "-no-user-config",
            "-display", "none", "-no-reboot", "-M", BOARD, *HOTPLUG,
            "-cpu", "max", "-smp", str(args.cpus),
            "-m", f"{args.mem >> 20}M", *self.accelerator(),
            "-kernel", os.path.join(kernel.boot, "vmlinux"),
            "-initrd", initramfs.obtain(kernel),
            "-append", f"{CMDLINE} {args.cmdline}",
            "-serial", f"file:{space.console}",
            *self.shares(), *self.ports()]
        if args.drive_type == "nvme":
            self.images = space.drive_images(args.drives, args.size)
            for number in range(args.drives):
                self.argv += self.drive(number)
        ours = {name: pair[0] for name, pair in self.channels.items()}
        self.stdout = ours["port-out"].fileno()
        self.stderr = ours["port-err"].fileno()
        self.control_in = os.dup(ours["port-ctl"].fileno())
        self.control_out = os.dup(ours["port-ctl"].fileno())
        self.qmp = qmp.Client(ours["qmp"])

    def accelerator(self):
        if self.args.icount:
            return ["-accel", "tcg,thread=single",
                    "-icount", "shift=0,sleep=off"]
        return ["-accel", "tcg,thread=multi,tb-size=512"]

    def shares(self):
        result = []
        for tag, path, options in (
                ("root", "/", ",readonly=on,multidevs=remap"),
                ("run", self.space.share, ""), ("out", self.space.out, "")):
            result += ["-fsdev", f"local,id={tag},path={path},"
                                 f"security_model=none{options}",
                       "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
        return result

    def channel(self, name):
        """A socket pair; qemu gets one end as a chardev."""
        ours, theirs = socket.socketpair()
        self.channels[name] = (ours, theirs)
        return ["-chardev", f"socket,id={name},fd={theirs.fileno()}"]

    def ports(self):
        result = ["-device", "virtio-serial-pci"]
        for name in ("out", "err", "ctl"):
            result += self.channel(f"port-{name}")
            result += ["-device",
                       f"virtserialport,chardev=port-{name},name={name}"]
        return result + self.channel("qmp") + [
            "-mon", "chardev=qmp,mode=control"]

    def drive(self, number):
        # A root port each: that is what makes a slot, which can lose power.
        return ["-device", f"pcie-root-port,id=port{number},bus=pcie.0,"
                           f"chassis={number + 1},slot={number + 1}",
                "-blockdev", ",".join(
                    f"{key}={value}" for key, value in
                    flat(self.blockdev(number))),
                "-device", ",".join(
                    f"{key}={value}" for key, value in
                    self.device(number).items())]

    def blockdev(self, number):
        return {"driver": "raw", "node-name": f"drive{number}",
                "discard": "unmap",
                "file": {"driver": "file", "discard": "unmap",
                         "filename": self.images[number]}}

    def device(self, number):
        return {"driver": "nvme", "id": f"nvme{number}",
                "bus": f"port{number}", "drive": f"drive{number}",
                "serial": f"MQR{number:04d}",
                "logical_block_size": self.args.lba,
                "physical_block_size": self.args.lba}

    def guest_fds(self):
        return [theirs.fileno() for _, theirs in self.channels.values()]

    def started(self):
        """Qemu runs: its ends of the channels are its own now."""
        for _, theirs in self.channels.values():
            theirs.close()

    def request(self, words):
        """What guest-drive asks for: "plug N", "plug N fresh", "unplug N"."""
        try:
            verb, number = words[0], int(words[1])
        except (IndexError, ValueError):
            raise Failure(f"bad request: {' '.join(words)}") from None
        if not 0 <= number < len(self.images):
            raise Failure(f"there is no drive {number}")
        if verb == "plug":
            self.plug(number, words[2:] == ["fresh"])
        elif verb == "unplug":
            self.qmp.command("device_del", id=f"nvme{number}")
        else:
            raise Failure(f"unknown request {verb}")

    def plug(self, number, fresh):
        if not self.qmp.wait_gone(f"nvme{number}", 10):
            raise Failure(f"drive {number} is still plugged in")
        if fresh:
            # Another file in its place, the old one may still be in use.
            os.unlink(self.images[number])
            self.qmp.command("blockdev-del", **{"node-name": f"drive{number}"})
            self.space.drive_images(len(self.images), self.args.size)
            self.qmp.command("blockdev-add", **self.blockdev(number))
        self.qmp.deleted.discard(f"nvme{number}")
        self.qmp.command("device_add", **self.device(number))


def flat(tree, prefix=""):
    """(key, value) pairs of a blockdev in the command line's notation."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
