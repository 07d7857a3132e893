# SPDX-License-Identifier: GPL-2.0
"""The guest's output, and the requests it makes."""

import contextlib
import os
import signal
import threading

from guestlib.host import Failure


class Pump:
    """Copy what the guest writes to a file descriptor of ours, at once."""

    def __init__(self, source, target):
        self.source = source
        self.target = target
        self.thread = threading.Thread(target=self.copy, daemon=True)
        self.thread.start()

    def copy(self):
        while True:
            try:
                data = os.read(self.source, 65536)
            except OSError:
                return
            if not data:
                return
            try:
                while data:
                    data = data[os.write(self.target, data):]
            except OSError:
                # Nobody listens any more.  Go on reading all the same, or
                # the guest would block.
                pass

    def join(self):
        self.thread.join(5)


class Control:
    """Answer guest-drive: each line is a request, and so is each reply.

    powercut is common to all machines; the rest is up to machine.request().
    """

    def __init__(self, machine, process):
        self.machine = machine
        self.process = process
        self.power_cut = False
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        # An error is the guest's end.
        with contextlib.suppress(OSError), \
             open(self.machine.control_in, encoding="utf-8",
                  errors="replace") as requests, \
             open(self.machine.control_out, "w", encoding="utf-8") as replies:
            for line in requests:
                if line.strip():
                    replies.write(self.answer(line.split()) + "\n")
                    replies.flush()

    def answer(self, words):
        if words == ["powercut"]:
            self.power_cut = True
            os.killpg(self.process.pid, signal.SIGKILL)
            return "ok"
        try:
            self.machine.request(words)
        except Failure as failure:
            return f"error {failure}"
        return "ok"
