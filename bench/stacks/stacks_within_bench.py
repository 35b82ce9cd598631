# SPDX-License-Identifier: Apache-2.0
"""Stacks that a process samples itself (src/probe/stacks.h): whether they are right, and what they cost.

Right: the program calls and returns without a pause, and its lines tell whom they call
(knows_its_stack.py); the budget is no wrong stack. Cost: CPU time of the sampling thread by its own
clock, as a share of a core; it keeps to 0.3 % by sampling less often, so that the rate kept is told
beside it.

usage: stacks_within_bench.py [--seconds S] [--python PATH ...]
"""

import argparse
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "python" / "steptrace"
BUDGET_SHARE = 0.003

# src/wire/ring_layout.h, stack_control.h
WORD_AT, ARENA, ARENA_USED = 1088, 64 << 10, 256
CONTROL, CONTROL_BYTES, TAIL = 4096, 128, 64
RING0 = ARENA + (4 << 20)
RING1, RING_BYTES, SLOTS = RING0 + (2 << 20), 128 << 10, 1 << 12
RUNS = 1 << 32

DRIVER = """
import importlib, runpy, sys
import _probe as p
assert p.attach()
hooks = type(sys)("hooks"); hooks.__path__ = [sys.argv[1] + "/_hooks"]; sys.modules["hooks"] = hooks
stacks = importlib.import_module("hooks.stacks")
class Hook:
    @staticmethod
    def say(*words): pass
print("attached", flush=True); sys.stdin.readline()
stacks.look(p, Hook)
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


class Ring:
    """The reader's half of one ring file, as far as stacks go."""

    def __init__(self, path):
        self._file = os.open(path, os.O_RDWR)
        self._texts, self._parsed = [None], ARENA
        self._tails = {}

    def ask(self, period_ns):
        os.pwrite(self._file, struct.pack("<QQ", period_ns, period_ns ^ 2**64 - 1), WORD_AT)

    def _word(self, at):
        return struct.unpack("<Q", os.pread(self._file, 8, at))[0]

    def text(self, number):
        end = ARENA + self._word(ARENA_USED)
        data = os.pread(self._file, end - self._parsed, self._parsed)
        at = 0
        while at < len(data):
            (size,) = struct.unpack_from("<I", data, at)
            self._texts.append(data[at + 8 : at + 8 + size].decode())
            at += 8 + (size + 7) // 8 * 8
        self._parsed += at
        return self._texts[number]

    def drain(self):
        """(id of the text, tid) of what came since."""
        for ring in range(8):
            control = CONTROL + ring * CONTROL_BYTES
            head, tail = self._word(control), self._tails.get(ring, 0)
            slots = SLOTS if ring else 1 << 16
            start = RING1 + (ring - 1) * RING_BYTES if ring else RING0
            for position in range(tail, head):
                record = os.pread(self._file, 32, start + 32 * (position % slots))
                _, name, kind, _, _, a, b = struct.unpack("<QIBBHQQ", record)
                if kind == 7 and self.text(name) == "stack":
                    yield a, b & ~RUNS
            self._tails[ring] = head
            os.pwrite(self._file, struct.pack("<QQ", head, head ^ 2**64 - 1), control + TAIL)

    def frames(self, number):
        """(function, file, line) of each, outermost first."""
        caller, code, line = json.loads(self.text(number))
        callers = self.frames(caller) if caller else []
        return [*callers, (*json.loads(self.text(code)), line)]


def is_wrong(frames, path, lines):
    """Whether a line of the program does not name what it is said to have called."""
    for (_, _, line), (called, file, _) in zip(frames, frames[1:]):
        inside = file == path and called != "<module>"
        if inside and not re.search(rf"\b{called}\b", lines[line - 1]):
            return True
    return False


def cpu_ns_of(task):
    """CPU time of a thread, in ns."""
    return int(pathlib.Path(f"{task}/schedstat").read_text().split()[0])


def sampler_of(pid):
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text() == "steptrace-stack\n":
            return task
    return None


def sample(python, rate, seconds, *options):
    """What comes of `seconds`, after one for the begin."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        source = os.path.join(folder, "program.py")
        command = [python, "-c", DRIVER, str(PACKAGE), str(HERE / "knows_its_stack.py"), source]
        program = subprocess.Popen(
            [*command, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "STEPTRACE_RING_DIR": folder, "PYTHONPATH": str(PACKAGE)},
        )
        try:
            assert program.stdout.readline() == "attached\n"
            ring = Ring(next(pathlib.Path(folder).glob("*.ring")))
            ring.ask(1_000_000_000 // rate)
            program.stdin.write("\n")
            program.stdin.flush()
            assert program.stdout.readline() == "ready\n"
            lines = pathlib.Path(source).read_text().splitlines()
            return watch(ring, program.pid, seconds, source, lines)
        finally:
            program.kill()
            program.wait()


def watch(ring, pid, seconds, source, lines):
    time.sleep(1)
    list(ring.drain())
    task = sampler_of(pid)
    cpu_ns, began = cpu_ns_of(task), time.monotonic()
    taken = wrong = 0
    judged = {}
    while time.monotonic() < began + seconds:
        time.sleep(0.02)
        for number, tid in ring.drain():
            if not tid:
                continue
            if number not in judged:
                judged[number] = is_wrong(ring.frames(number), source, lines)
            taken += 1
            wrong += judged[number]
    wall_s = time.monotonic() - began
    spent_ns = cpu_ns_of(task) - cpu_ns
    return {
        "taken": taken,
        "distinct": len(judged),
        "wrong": wrong,
        "a_second": taken / wall_s,
        "share": spent_ns / wall_s / 1e9,
        "us_each": spent_ns / 1000 / max(1, taken),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--python", nargs="*", default=[sys.executable])
    options = parser.parse_args()
    failed = False
    for python in options.python:
        print(python)
        right = sample(python, 1000, options.seconds, "--depth", "6")
        print(
            "  {taken} stacks, {distinct} different: {wrong} wrong; {us_each:.0f} us of CPU each, "
            "{a_second:.0f} a second of the 1000 asked for".format(**right)
        )
        failed |= right["wrong"] > 0 or right["taken"] == 0
        for depth in (10, 100):
            cost = sample(python, 20, options.seconds, "--idle", str(depth))
            print(
                f"  depth {depth:3}, 20/s: {100 * cost['share']:.3f} % of a core"
                f"{' OVER' if cost['share'] > BUDGET_SHARE else ''}, {cost['us_each']:.0f} us each, "
                f"{cost['a_second']:.1f} a second"
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
