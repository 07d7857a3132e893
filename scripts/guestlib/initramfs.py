# SPDX-License-Identifier: GPL-2.0
"""The initramfs that finds the host's root: busybox and a few modules."""

import os
import shutil
import subprocess
import tempfile

from guestlib.host import CACHE, LIB, call, digest, read_text

INIT = os.path.join(LIB, "boot", "qemu-init")

# nvme could wait for the real root, but loads faster from here.
MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay", "virtio_console",
           "nvme")

UNPACK = {".xz": ["xz", "-dc"], ".zst": ["zstd", "-qdc"]}


def obtain(kernel):
    """Path of the initramfs for a kernel, made when there is none yet."""
    key = digest(kernel.key, read_text(INIT), read_text(__file__))
    path = os.path.join(CACHE, "initramfs", f"{kernel.key}-{key}.img")
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as tmp:
            tree = os.path.join(tmp, "tree")
            populate(tree, kernel)
            pack(tree, os.path.join(tmp, "image"))
            os.rename(os.path.join(tmp, "image"), path)
    return path


def populate(tree, kernel):
    for name in ("bin", "dev", "proc", "sys", "modules"):
        os.makedirs(os.path.join(tree, name))
    shutil.copy("/usr/bin/busybox", os.path.join(tree, "bin"))
    shutil.copy(INIT, os.path.join(tree, "init"))
    for number, source in enumerate(module_files(kernel)):
        stem, suffix = os.path.splitext(os.path.basename(source))
        name = stem if suffix in UNPACK else stem + suffix
        # Numbered, as the order is that of their dependencies.
        target = os.path.join(tree, "modules", f"{number:02d}-{name}")
        with open(target, "wb") as file:
            subprocess.run(UNPACK.get(suffix, ["cat"]) + [source],
                           stdout=file, check=True)


def module_files(kernel):
    """The files to load, each after those it depends on."""
    output = call(["modprobe", "-d", kernel.modroot, "-S", kernel.release,
                   "--show-depends", "-a", *MODULES],
                  "looking for the guest's modules")
    lines = [line.split() for line in output.splitlines()]
    files = [words[1] for words in lines if words[0] == "insmod"]
    return list(dict.fromkeys(files))


def pack(tree, image):
    with open(image, "wb") as file:
        names = subprocess.run(["find", "."], cwd=tree, check=True,
                               stdout=subprocess.PIPE).stdout
        subprocess.run(["cpio", "--quiet", "-o", "-H", "newc"], cwd=tree,
                       input=names, stdout=file, check=True)
