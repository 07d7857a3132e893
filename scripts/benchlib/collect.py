# SPDX-License-Identifier: GPL-2.0
"""Put the records of one or several sessions together into one result."""

from benchlib import machine, sweep
from benchlib.result import Result


class Collector:
    """record() of a session.

    With several CPU counts, figures of all of them are kept; rebuilds over
    time, the sweep and the contestants' settings are those of the last.
    """

    def __init__(self, command, plan, drives, display):
        parameters = {
            "levels": list(plan.levels), "states": list(plan.states),
            "chunk_kib": plan.chunk_kib, "drives": plan.drives,
            "drive_kind": drives["kind"], "drive_mib": drives["mib"],
            "seconds": plan.seconds, "warmup": plan.warmup,
            "repetitions": plan.repetitions,
            "rebuild_seconds": plan.rebuild_seconds,
            "sweep_seconds": plan.sweep_seconds, "noise_limit": 1.15}
        self.result = Result(command, plan.profile, {}, {}, parameters)
        self.display = display
        self.cpus = 0
        self.last = False

    @property
    def data(self):
        return self.result.data

    def session(self, cpus, last):
        """Records that follow are those of so many CPUs."""
        self.cpus, self.last = cpus, last

    def __call__(self, kind, /, **fields):
        getattr(self, "on_" + kind)(**fields)

    def on_progress(self, **fields):
        self.display.progress(self.result, cpus=self.cpus, **fields)

    def on_sample(self, **fields):
        self.result.add_sample(**fields)

    def on_rebuild(self, **fields):
        if self.last:
            self.result.add_rebuild(**fields)

    def on_sweep(self, **fields):
        if self.last:
            self.result.add_sweep(**fields)
        elif fields["chosen"] and fields["work"] == sweep.WORKS[0]:
            self.result.note(
                f"md-tuned for {fields['level']} with {self.cpus} CPUs: "
                f"{sweep.text(fields['settings'])}.")

    def on_contestant(self, **fields):
        if self.last:
            self.data["contestants"].append(fields)

    def on_machine(self, **fields):
        if fields["guest"]:
            # A guest knows less about it than we do.
            fields["cpu"] = machine.cpu_model()
        self.data["machine"].update(fields)

    def on_versions(self, **fields):
        self.data["versions"].update(fields)

    def on_parameters(self, **fields):
        self.data["parameters"].update(fields)

    def on_locks(self, **fields):
        self.result.add_locks(**fields)

    def on_skip(self, what, why):
        self.result.skip(what, why)

    def on_note(self, text):
        self.result.note(text)


def missing(data, named):
    """Things asked for by name that have no figure: {kind: [name]}."""
    cells = data["cells"]
    found = {
        "contestants": {cell["contestant"] for cell in cells},
        "levels": {cell["level"] for cell in cells},
        "states": {cell["state"] for cell in cells},
        "works": {cell["work"] for cell in cells}}
    return {kind: absent for kind, names in named.items()
            if (absent := [name for name in names
                           if name not in found[kind]])}
