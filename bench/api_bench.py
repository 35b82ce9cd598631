# SPDX-License-Identifier: Apache-2.0
"""What the package costs where nothing is recorded: ns a call beside an empty Python function, and
ms to import it.

usage: api_bench.py

Its answer is checked: without a run the package says so, and every call returns.
"""

import statistics
import subprocess
import sys
import timeit

import steptrace

CALLS = {
    "an empty function": "empty()",
    "with annotate(name)": "with annotate('a'): pass",
    "annotation_begin and _end": "annotation_end(annotation_begin('a'))",
    "step()": "step()",
}
NUMBER, ROUNDS = 20_000, 60


def ns_a_call():
    """Medians over alternating rounds."""
    space = {name: getattr(steptrace, name) for name in steptrace.__all__}
    space["empty"] = lambda: None
    timers = {name: timeit.Timer(code, globals=space) for name, code in CALLS.items()}
    rounds = {name: [] for name in CALLS}
    for _ in range(ROUNDS):
        for name, timer in timers.items():
            rounds[name].append(timer.timeit(NUMBER) / NUMBER * 1e9)
    return {name: statistics.median(times) for name, times in rounds.items()}


def import_ms():
    times = []
    for _ in range(10):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-c", "import steptrace"],
            capture_output=True,
            text=True,
            check=True,
        )
        times.append(int(done.stderr.strip().splitlines()[-1].split("|")[1]) / 1e3)
    return statistics.median(times)


def main():
    for name, ns in ns_a_call().items():
        print(f"{name:28} {ns:7.1f} ns")
    print(f"{'import steptrace':28} {import_ms():7.2f} ms")


if __name__ == "__main__":
    main()
