# SPDX-License-Identifier: Apache-2.0
"""What the hooks cost a step in instructions, counted by callgrind: the same on every machine.

The training of hooks_step_bench.py runs under callgrind; counts are dumped at markers (calls of a
libc function that nothing else calls) between time ranges of steps with and without the hooks.
"""

import gc
import os
import re
import shutil
import sys
import tempfile

from hooks_common import RECORDS_A_STEP, Switch, Training, callgrind_dumps, run_recorded

# A tenth above what they take with a Python 3.11 built without profiles: what goes back is seen here.
BUDGET_INSTRUCTIONS = 5_000
STEPS = 100
STRETCHES = [False, True] * 6
MARKER = "sched_rr_get_interval"


def look_seldom_at_memory():
    """Twice a second is every few steps under callgrind, and as many more as the machine is busy."""
    from steptrace._hooks import device_memory

    device_memory._PERIOD_NS = 10**15


def inside():
    import torch

    torch.set_num_threads(1)
    torch.optim.SGD([torch.nn.Parameter(torch.ones(1))])  # torch wraps its step now
    switch = Switch()
    look_seldom_at_memory()
    training = Training(16, 4, STEPS * len(STRETCHES) + 100)
    for on in (True, False):
        switch.set(on)
        for _ in range(20):
            training.step()
    gc.collect()
    gc.disable()  # a collection in one time range and none in another would decide
    before = switch.probe.stats()["records"]
    for on in STRETCHES:
        switch.set(on)
        os.sched_rr_get_interval(0)
        for _ in range(STEPS):
            training.step()
    os.sched_rr_get_interval(0)
    recorded = switch.probe.stats()["records"] - before
    assert recorded == STEPS * STRETCHES.count(True) * RECORDS_A_STEP, recorded


def instructions(path):
    (found,) = re.findall(r"^(?:summary|totals): (\d+)", path.read_text(), re.MULTILINE)[:1]
    return int(found)


def main():
    if shutil.which("valgrind") is None:
        print("hooks_instructions: valgrind is not installed; tools/setup --bench installs it")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind.out")
        prefix = [
            *["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}"],
            *[f"--dump-before={MARKER}", "--trace-children=no"],
        ]
        code = run_recorded(__file__, "--inside", prefix=prefix)
        if code != 0:
            return code
        dumps = callgrind_dumps(folder)
        # Each dump holds what was counted since the one before; the first is the import of torch.
        counts = [instructions(path) for path in dumps][1 : 1 + len(STRETCHES)]
    print("stretch    instructions a step")
    for on, count in zip(STRETCHES, counts):
        print(f"{'with' if on else 'without':8} {count / STEPS:15.0f}")
    pairs = [with_hooks - without for without, with_hooks in zip(counts[::2], counts[1::2])]
    difference = sorted(pairs)[len(pairs) // 2] / STEPS
    kept = difference <= BUDGET_INSTRUCTIONS
    print(f"hooks: {difference:.0f} instructions a step, budget {BUDGET_INSTRUCTIONS}", end=": ")
    print("kept" if kept else "exceeded")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(inside() if "--inside" in sys.argv else main())
