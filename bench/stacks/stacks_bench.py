# SPDX-License-Identifier: Apache-2.0
"""What sampling stacks costs, by rate and depth, and whether the stacks are right.

Right: 10^6 stacks of a program that calls and returns without a pause and whose lines tell whom they
call (knows_its_stack.py); the budget is no wrong one. Cost: CPU time of the sampling thread as a
share of a core, on programs that work at a given depth; the budget is 0.3 % at 100 a second for each.
Beside it stands what a thread costs that wakes as often and does nothing, and one that then copies a
word of another process: no sampler costs less.

usage: stacks_bench.py [--stacks N] [--seconds S] [--python PATH ...]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUDGET_SHARE = 0.003
BUDGET_RATE = 100
# processes, depth, rate
COSTS = [(1, depth, rate) for depth in (10, 30, 100, 250) for rate in (20, BUDGET_RATE)]
COSTS += [(4, 30, rate) for rate in (20, BUDGET_RATE)]


def sampler():
    found = sorted(ROOT.glob("build/*/bench/stacks/sample_stacks"), key=lambda p: p.stat().st_mtime)
    if not found:
        sys.exit("sample_stacks is not built; cmake --preset release -DSTEPTRACE_BENCH=ON")
    return str(found[-1])


def start(python, source, *options):
    return subprocess.Popen(
        [python, str(HERE / "knows_its_stack.py"), source, *options],
        stdout=subprocess.PIPE,
        text=True,
    )


def sample(python, count, rate, *options, processes=1):
    """What sample_stacks says of programs that run meanwhile."""
    with tempfile.TemporaryDirectory() as folder:
        sources = [os.path.join(folder, f"program{i}.py") for i in range(processes)]
        programs = [start(python, source, *options) for source in sources]
        try:
            for program in programs:
                assert program.stdout.readline() == "ready\n"
            check = sources[0] if "--idle" not in options else "-"
            pids = ",".join(str(program.pid) for program in programs)
            arguments = [sampler(), pids, str(count), str(rate), check]
            done = subprocess.run(arguments, stdout=subprocess.PIPE, check=True)
            return json.loads(done.stdout)
        finally:
            for program in programs:
                program.kill()
                program.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--stacks", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--python", nargs="*", default=[sys.executable])
    options = parser.parse_args()
    failed = False
    for python in options.python:
        print(python)
        right = sample(python, options.stacks, 0)
        print(
            f"  {right['taken']} stacks, {right['frames']} frames each: {right['wrong']} wrong, "
            f"{right['torn']} torn, {right['cpu_us_a_round']} us of CPU each"
        )
        failed |= right["wrong"] > 0 or right["taken"] < 0.9 * options.stacks
        for processes, depth, rate in COSTS:
            cost = sample(
                python,
                rate * options.seconds,
                rate,
                "--idle",
                str(depth),
                processes=processes,
            )
            share = cost["share_of_a_core"]
            over = rate == BUDGET_RATE and depth <= 30 and share > BUDGET_SHARE
            print(f"  {processes} process(es), depth {depth:3}, {rate:3}/s: ", end="")
            print(f"{100 * share:.3f} % of a core, {cost['cpu_us_a_round']} us each", end="")
            print(f"; {cost['sleeping_alone_us']} for sleeping alone", end="")
            print(f", {cost['reading_a_word_us']} with a word read{' OVER' if over else ''}")
            failed |= over
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
