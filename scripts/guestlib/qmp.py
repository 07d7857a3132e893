# SPDX-License-Identifier: GPL-2.0
"""A client of qemu's machine protocol."""

import json
import threading
import time

from guestlib.host import Failure


class Client:
    """Commands may come from one thread; events are kept for wait_gone()."""

    def __init__(self, sock):
        self.file = sock.makefile("rw", encoding="utf-8")
        self.change = threading.Condition()
        self.reply = None
        self.ready = False
        self.deleted = set()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        try:
            for line in self.file:
                message = json.loads(line)
                with self.change:
                    self.take(message)
                    self.change.notify_all()
        except (OSError, ValueError):
            return

    def take(self, message):
        if message.get("event") == "DEVICE_DELETED":
            self.deleted.add(message["data"].get("device"))
        elif "QMP" in message:
            # At once, as there are no events before.
            self.send("qmp_capabilities", {})
        elif "event" not in message:
            self.ready = True
            self.reply = message

    def send(self, execute, arguments):
        self.reply = None
        self.file.write(json.dumps(
            {"execute": execute, "arguments": arguments}) + "\n")
        self.file.flush()

    def command(self, execute, **arguments):
        """Run one command and return its result, or raise Failure."""
        with self.change:
            self.change.wait_for(lambda: self.ready, 10)
            self.send(execute, arguments)
            if not self.change.wait_for(lambda: self.reply, 10):
                raise Failure(f"qemu does not answer {execute}")
            if "error" in self.reply:
                raise Failure(f"{execute}: {self.reply['error']['desc']}")
            return self.reply.get("return")

    def wait_gone(self, device, seconds):
        """Wait until qemu has deleted a device; return whether it has."""
        deadline = time.monotonic() + seconds
        with self.change:
            return self.change.wait_for(
                lambda: device in self.deleted,
                max(0, deadline - time.monotonic()))
