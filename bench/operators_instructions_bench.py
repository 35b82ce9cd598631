# SPDX-License-Identifier: Apache-2.0
"""Where the cost of a window of operators goes, in instructions: the same on every machine.

Steps of tiny operators under callgrind, with nothing on, with ours and with torch.profiler, dumped
between them at a marker (a libc function that nothing else calls). Of ours, what lies in our library is
ours; the rest is RecordFunction's dispatch and PyTorch's side of ITT, which any collector pays.
"""

import gc
import os
import pathlib
import re
import shutil
import sys
import tempfile

from hooks_common import PACKAGE, callgrind_dumps, run_recorded
from operators_bench import step_of

BUDGET_INSTRUCTIONS = 430  # an operator, in our library
STEPS = 3
WAYS = ["nothing", "ours", "torch.profiler"]
ROUNDS = 3
MARKER = "sched_rr_get_interval"
LIBRARY = "_probe.abi3.so"
COUNT_FILE = "BENCH_COUNT_FILE"  # where the process under callgrind leaves its operators a step


def inside():
    import torch

    torch.set_num_threads(1)
    torch.nn.Linear(1, 1)
    sys.path.insert(0, str(PACKAGE.parent))
    from steptrace import _hooks
    from steptrace._hooks import operators

    _hooks.install()
    probe = sys.modules["steptrace._probe"]

    step = step_of("tiny operators", torch)
    profile = torch.profiler.profile
    activities = [torch.profiler.ProfilerActivity.CPU]

    def take(way):
        """Only the steps themselves are between two markers: not what begins and ends a window."""
        capture = operators.Capture(probe) if way == "ours" else None
        profiler = profile(activities=activities) if way == "torch.profiler" else None
        if profiler:
            profiler.__enter__()
        os.sched_rr_get_interval(0)
        for _ in range(STEPS):
            step()
        os.sched_rr_get_interval(0)
        if capture:
            capture.end()
        if profiler:
            profiler.__exit__(None, None, None)
        return len(profiler.profiler.kineto_results.events()) if profiler else 0

    for way in WAYS:
        take(way)
    gc.collect()
    gc.disable()
    for _ in range(ROUNDS):
        take("nothing")
        take("ours")
        recorded = probe.operators_recorded()
        events = take("torch.profiler")
        assert recorded == events, f"{recorded} operators recorded, torch.profiler has {events}"
    assert probe.stats()["dropped_full"] == 0, "records had no room"
    pathlib.Path(os.environ[COUNT_FILE]).write_text(str(events // STEPS))


def costs(path):
    """(all instructions, those in our library) of one of callgrind's dumps."""
    names, here, skip, total, ours = {}, None, False, 0, 0
    for line in path.read_text().splitlines():
        found = re.match(r"ob=\((\d+)\)(?: (.*))?", line)
        if found:
            names.setdefault(found[1], found[2])
            here = names[found[1]]
        elif line.startswith("cob="):
            found = re.match(r"cob=\((\d+)\)(?: (.*))?", line)
            names.setdefault(found[1], found[2])
        elif line.startswith("calls="):
            skip = True  # the next line is the cost of what was called, counted where it lies
        elif re.match(r"[+*\d-]", line):
            if not skip:
                instructions = int(line.split()[1])
                total += instructions
                ours += instructions if here and here.endswith(LIBRARY) else 0
            skip = False
    return total, ours


def main():
    if shutil.which("valgrind") is None:
        print("operators_instructions: valgrind is not installed; tools/setup --bench installs it")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind.out")
        collector = f"INTEL_LIBITTNOTIFY64={PACKAGE / LIBRARY}"
        prefix = [
            *["env", collector, f"{COUNT_FILE}={folder}/operators"],
            *["valgrind", "-q", "--tool=callgrind", "--trace-children=no"],
            *[f"--callgrind-out-file={out}", f"--dump-before={MARKER}"],
        ]
        code = run_recorded(__file__, "--inside", prefix=prefix)
        if code != 0:
            return code
        operators = STEPS * int(pathlib.Path(folder, "operators").read_text())
        dumps = callgrind_dumps(folder)
        found = {way: [] for way in WAYS}
        for number in range(len(WAYS), len(WAYS) * (ROUNDS + 1)):  # the first of each is not taken
            # Before each second marker lies a time range of steps; before the first what led to it.
            found[WAYS[number % len(WAYS)]].append(costs(dumps[2 * number + 1]))
    total, in_library = (
        {way: sorted(cost[i] for cost in all_of)[ROUNDS // 2] for way, all_of in found.items()}
        for i in range(2)
    )
    plain = total["nothing"]
    ours, theirs = ((total[way] - plain) / operators for way in WAYS[1:])
    own = (in_library["ours"] - in_library["nothing"]) / operators
    print(f"instructions an operator, beside {plain / operators:.0f} with nothing on")
    print(f"  ours            {ours:6.0f}, {ours / theirs:.2f} of torch.profiler's")
    print(f"    in our library  {own:4.0f}")
    print(f"    RecordFunction and PyTorch's side of ITT, the floor  {ours - own:.0f}")
    print(f"  torch.profiler  {theirs:6.0f}")
    kept = own <= BUDGET_INSTRUCTIONS
    print(f"budget {BUDGET_INSTRUCTIONS} in our library: " + ("kept" if kept else "exceeded"))
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(inside() if "--inside" in sys.argv else main())
