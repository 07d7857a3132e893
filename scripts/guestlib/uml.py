# SPDX-License-Identifier: GPL-2.0
"""User-mode Linux: a kernel as a process, at native speed."""

import os

from guestlib.host import Failure, LIB

CMDLINE = ["seccomp=on", "root=/dev/root", "rootfstype=hostfs",
           "rootflags=/", "ro", "panic=-1", "log_buf_len=8M"]


class Machine:
    def __init__(self, args, kernel, space):
        self.space = space
        self.theirs = []
        self.stdout, stdout = self.pipe_from()
        self.stderr, stderr = self.pipe_from()
        self.control_in, requests = self.pipe_from()
        replies, self.control_out = self.pipe_to()
        with open(space.console, "wb") as file:
            console = os.dup(file.fileno())
        self.theirs.append(console)
        self.argv = [
            os.path.join(kernel.boot, "linux"),
            f"mem={args.mem >> 20}M", f"ncpus={args.cpus}", *CMDLINE,
            # Its sockets, which it would otherwise leave in the home.
            f"uml_dir={space.path}/", "umid=guest",
            f"init={LIB}/boot/uml-init", f"MQR_SHARE={space.share}",
            f"MQR_SHARED_OUT={space.out}",
            "con=null", f"con0=null,fd:{console}", "ssl=null",
            f"ssl0=null,fd:{stdout}", f"ssl1=null,fd:{stderr}",
            f"ssl2=fd:{replies},fd:{requests}",
            *(["kmemleak=on"] if args.kmemleak else []),
            *self.drives(args), *args.cmdline.split()]

    def pipe_from(self):
        """A pipe the guest writes to."""
        ours, theirs = os.pipe()
        self.theirs.append(theirs)
        return ours, theirs

    def pipe_to(self):
        """A pipe the guest reads from."""
        theirs, ours = os.pipe()
        self.theirs.append(theirs)
        return theirs, ours

    def drives(self, args):
        if args.drive_type != "file":
            return []
        if args.drives > 16 or args.lba != 512:
            raise Failure("uml has at most 16 file drives, with 512-byte "
                          "blocks")
        images = self.space.drive_images(args.drives, args.size)
        return [f"ubd{number}={path}" for number, path in enumerate(images)]

    def guest_fds(self):
        return self.theirs

    def started(self):
        for fd in self.theirs:
            os.close(fd)

    def request(self, words):
        raise Failure(f"uml cannot do {words[0]}")
