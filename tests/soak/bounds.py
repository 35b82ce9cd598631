# SPDX-License-Identifier: Apache-2.0
"""Whether "at most N times faster" holds: trains each induced cause recorded and with the cause removed, and compares
what the report says removing it saves with what a timer in the script measures.

A figure that is no bound (null) is right wherever more was saved than its share; one that is a bound is not passed.
usage: bounds.py [--cause NAME]... [--json FILE]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from outcomes import Outcome, finish

HERE = pathlib.Path(__file__).resolve().parent
INDUCED = HERE.parents[0] / "e2e" / "trainings" / "induced.py"
BIN = pathlib.Path(sys.executable).parent

# cause, steps, ranks
CAUSES = (
    ("slow_decode", 150, 1),
    ("slow_decode_no_workers", 80, 1),
    ("slow_collate", 80, 1),
    ("too_few_workers", 80, 1),
    ("huge_batches", 40, 1),
    ("outside_any_hook", 200, 1),
    ("checkpoint_every_step", 60, 1),
    ("long_evaluation", 80, 1),
    ("garbage", 60, 1),
    ("many_operators", 150, 1),
    ("cold_caches", 80, 1),
    ("large_all_reduce", 30, 2),
    ("explicit_all_reduce", 30, 2),
    ("accumulation", 40, 2),
    ("straggler_by_data", 60, 2),
    ("straggler_by_forward", 60, 2),
)
# Tensor operators of the loop, which count as the model's.
OF_THE_MODEL = {"cold_caches"}
# Of the step: what a timer and two runs on one machine differ by without a cause.
NOISE = 0.03


def command(cause, steps, ranks):
    program = [str(INDUCED), cause, str(steps)]
    if ranks == 1:
        return [sys.executable, *program]
    return [str(BIN / "torchrun"), "--nproc-per-node", str(ranks), "--standalone", *program]


def timed(words, **more):
    done = subprocess.run(
        words,
        env={**os.environ, "OMP_NUM_THREADS": "1", **more},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("step_ns "))
    return int(line.split()[1])


def measured(cause, steps, ranks, folder):
    """(step_ns with the cause, without it, the verdict)"""
    words = command(cause, steps, ranks)
    run = str(pathlib.Path(folder) / cause)
    steptrace = str(BIN / "steptrace")
    slow_ns = timed([steptrace, "run", "--output", run, "--no-report", "--", *words])
    fast_ns = timed(words, INDUCED_REMOVED="1")
    text = subprocess.run(
        [steptrace, "report", run, "--json"], check=True, capture_output=True, text=True
    ).stdout
    return slow_ns, fast_ns, json.loads(text)["verdict"]


def problems_of(cause, slow_ns, fast_ns, verdict):
    bound = verdict["at_most_speedup"]
    if verdict["status"] != "found" or (
        verdict["suspect"] == "model" and cause not in OF_THE_MODEL
    ):
        return [f"no cause was found: {verdict['status']}, {verdict['suspect']}"]
    saved = 1 - fast_ns / slow_ns
    if bound is not None and saved > 1 - 1 / bound + NOISE:
        return [f"{slow_ns / fast_ns:.2f} times faster, at most {bound:.2f} were said"]
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cause", action="append", choices=[cause for cause, *_ in CAUSES])
    parser.add_argument("--json")
    arguments = parser.parse_args()
    outcome = Outcome("bounds")
    with tempfile.TemporaryDirectory() as folder:
        for cause, steps, ranks in CAUSES:
            if arguments.cause and cause not in arguments.cause:
                continue
            slow_ns, fast_ns, verdict = measured(cause, steps, ranks, folder)
            bound = verdict["at_most_speedup"]
            print(
                f"{cause}: {slow_ns / 1e6:.2f} ms, without {fast_ns / 1e6:.2f} ms:",
                f"{slow_ns / fast_ns:.2f} times faster, at most",
                "no bound" if bound is None else f"{bound:.2f}",
                f"({verdict['suspect']}, {verdict['sub_stage']})",
                flush=True,
            )
            outcome.saw(cause, problems_of(cause, slow_ns, fast_ns, verdict))
    finish([outcome], arguments.json)


if __name__ == "__main__":
    main()
