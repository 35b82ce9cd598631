# SPDX-License-Identifier: Apache-2.0
"""What the hooks cost a step: the same training with and without them on alternate steps.

Thread CPU time of the training thread, medians, 95 % intervals of their difference (bootstrap).
Budget: 5 us a step, aim 2. The smallest step resolves it; the others show what it is a share of.
"""

import random
import sys
import time

from hooks_common import RECORDS_A_STEP, Switch, Training, order_of_pairs, run_recorded

BUDGET_NS = 5_000
# name: width and rows of the model, pairs of steps. The first decides, by its many pairs.
STEPS = {
    "0.1 ms": (16, 4, 4000),
    "5 ms": (4096, 450, 300),
    "50 ms": (8192, 1800, 60),
}


def measure(switch, width, rows, pairs):
    training = Training(width, rows, 2 * pairs + 20)
    for on in order_of_pairs(10):
        switch.set(on)
        training.step()
    before = switch.probe.stats()["records"]
    cpu_ns = {True: [], False: []}
    for on in order_of_pairs(pairs):
        switch.set(on)
        start = time.thread_time_ns()
        training.step()
        cpu_ns[on].append(time.thread_time_ns() - start)
    recorded = switch.probe.stats()["records"] - before
    assert recorded == pairs * RECORDS_A_STEP, f"{recorded} records of {pairs} steps"
    return cpu_ns[True], cpu_ns[False]


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


def interval(on, off, rounds=400):
    """95 % interval of the difference of the medians."""
    generator = random.Random(1)
    found = sorted(
        median(generator.choices(on, k=len(on))) - median(generator.choices(off, k=len(off)))
        for _ in range(rounds)
    )
    return found[rounds // 40], found[-1 - rounds // 40]


def main():
    import torch

    torch.set_num_threads(1)
    torch.optim.SGD([torch.nn.Parameter(torch.ones(1))])  # torch wraps its step now
    switch = Switch()
    print("step      without      with        difference [95 %]")
    decisive = None
    for name, (width, rows, pairs) in STEPS.items():
        on, off = measure(switch, width, rows, pairs)
        low, high = interval(on, off)
        difference = median(on) - median(off)
        print(
            f"{name:8} {median(off) / 1e3:8.1f} us {median(on) / 1e3:8.1f} us "
            f"{difference / 1e3:+8.2f} us [{low / 1e3:+.2f}, {high / 1e3:+.2f}] "
            f"{100 * difference / median(off):+.2f} %",
            flush=True,
        )
        decisive = decisive or (low, high)
    dropped = {k: v for k, v in switch.probe.stats().items() if k.startswith("dropped") and v}
    assert not dropped, dropped
    low, high = decisive
    result = "kept" if high <= BUDGET_NS else "exceeded" if low > BUDGET_NS else "not told apart"
    print(f"budget {BUDGET_NS / 1e3} us a step: {result}")
    return 1 if result == "exceeded" else 0


if __name__ == "__main__":
    sys.exit(main() if "--inside" in sys.argv else run_recorded(__file__, "--inside"))
