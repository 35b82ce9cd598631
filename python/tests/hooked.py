# SPDX-License-Identifier: Apache-2.0
"""Runs a script under the hooks with the fake probe, and reads what they said."""

import json
import os
import pathlib
import subprocess
import sys

from declared_metadata import check_declared

TESTS = pathlib.Path(__file__).resolve().parent
LOOPS = TESTS / "loops"
PACKAGE = TESTS.parent / "steptrace"
DATA, BACKWARD, OPTIMIZER = "data", "backward", "optimizer"


class Record:
    """One line of a fake probe's file."""

    def __init__(self, pid, line):
        self.pid = pid
        self.tid, self.kind, *rest = line
        self.name, self.category, self.a, self.b = [*rest, None, None, None][:4]

    def __repr__(self):
        return f"{self.kind} {self.name} a={self.a} b={self.b}"


class Run:
    """A finished process: its streams, and the records of it and its children."""

    def __init__(self, done, folder):
        self.returncode = done.returncode
        self.stdout, self.stderr = done.stdout, done.stderr
        self.records = []
        for path in sorted(folder.glob("*.jsonl")):
            for line in path.read_text().splitlines():
                self.records.append(Record(int(path.stem), json.loads(line)))

    def check(self):
        assert self.returncode == 0, self.stderr[-2000:]
        broken = [record for record in self.records if record.kind == "broken"]
        assert not broken, broken
        for record in self.records:
            if record.kind == "fact":
                check_declared(record.name, record.a)
        return self

    @property
    def said(self):
        """What the script said at its end."""
        return json.loads(self.stdout.strip().splitlines()[-1])

    def facts(self, kind):
        return [r.a for r in self.records if r.kind == "fact" and r.name == kind]

    def failed_hooks(self):
        return {fact["hook"]: fact for fact in self.facts("hook") if fact["state"] == "failed"}

    def trainers(self):
        """pid -> records of its training thread: the one that emits optimizer steps."""
        threads = {(r.pid, r.tid) for r in self.records if r.name == OPTIMIZER}
        return {
            pid: [r for r in self.records if (r.pid, r.tid) == (pid, tid) and r.kind != "fact"]
            for pid, tid in sorted(threads)
        }

    def trainer(self):
        (records,) = self.trainers().values()
        return records


def environment(folder, **more):
    folder.mkdir(mode=0o700, exist_ok=True)
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("STEPTRACE_", "PYTHON"))}
    return {
        **plain,
        "FAKE_PROBE_DIR": str(folder),
        "STEPTRACE_RING_DIR": str(folder),
        "PYTHONPATH": str(TESTS / "fake_site"),
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        **more,
    }


def run(folder, *command, cwd=None, **variables):
    """python `command` under the hooks; its records go to `folder`."""
    return Run(
        subprocess.run(
            [sys.executable, *map(str, command)],
            env=environment(folder, **variables),
            cwd=cwd,
            capture_output=True,
            text=True,
            timeout=600,
        ),
        folder,
    )


def order(records, *, leave_out=("gc", "loader_iter", "fetch", "collate")):
    """The ranges of one thread as text: `data optimizer1[forward backward] …`; `end` = data_end."""
    words, depth_left_out = [], []
    for record in records:
        if record.kind == "begin":
            depth_left_out.append(record.name in leave_out)
            if record.name not in leave_out:
                number = record.a & 0xFFFFFFFF if record.name in (DATA, OPTIMIZER) else ""
                words.append(f"{record.name}{number}[")
        elif record.kind == "end" and depth_left_out and not depth_left_out.pop():
            words.append("]")
        elif record.kind == "instant":
            words.append("end" if record.name == "data_end" else record.name)
    assert not depth_left_out, "a range was left open"
    return " ".join(words).replace("[ ]", "").replace("[ ", "[").replace(" ]", "]")
