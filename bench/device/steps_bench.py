# SPDX-License-Identifier: Apache-2.0
"""What the hooks add to a training's steps on a GPU: device time by phase, and all else.

Blocks of steps without hooks, with hooks but no events on the device, and with all, in an order by
chance, in one process. Each step waits for the device. Time by the clock and of the thread's CPU: the
median of a block, then the median of the differences of the blocks of one round, with a 95 % interval
(bootstrap). The answer: of the blocks with events some steps' phases were told, of the others none.
Budget: 1 % of a step.

usage: steps_bench.py [--rounds N]

Needs a GPU and a PyTorch for it; says so and ends well where there is none.
"""

import argparse
import pathlib
import random
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from hooks_common import Switch, run_recorded

BUDGET_SHARE = 0.01
STEPS, SETTLE = 24, 4  # of a block; of those its first, which are not counted
HOOKS = "data,worker,backward,optimizer,device"
STATES = ("none", "no events", "all")
# name: layers, width, rows.
TRAININGS = {"2 ms": (8, 1024, 256), "10 ms": (60, 32, 8), "20 ms": (12, 4096, 8192)}


class Training:
    def __init__(self, torch, layers, width, rows, steps):
        nn, data = torch.nn, torch.utils.data
        modules = [m for _ in range(layers) for m in (nn.Linear(width, width), nn.Tanh())]
        self._model = nn.Sequential(*modules).cuda()
        self._optimizer = torch.optim.SGD(self._model.parameters(), lr=1e-6, foreach=False)
        self._source = torch.randn(rows, width).pin_memory()
        dataset = data.TensorDataset(torch.arange(steps))
        self._batches = iter(data.DataLoader(dataset, batch_size=1))

    def step(self):
        next(self._batches)
        loss = self._model(self._source.cuda(non_blocking=True)).pow(2).mean()
        loss.backward()
        self._optimizer.step()
        self._optimizer.zero_grad()
        return loss.item()


class States:
    """Puts hooks in and out, and events with them."""

    def __init__(self, switch):
        from steptrace._hooks import device_phases

        self._switch = switch
        self._events = device_phases

    def set(self, state):
        self._switch.set(state != "none")
        self._events.on = state == "all"
        self._events._tell_borders(state == "all")


def block(training):
    """Medians of its steps: ns by the clock, and of the thread's CPU."""
    wall, cpu = [], []
    for _ in range(STEPS):
        began, began_cpu = time.perf_counter_ns(), time.thread_time_ns()
        training.step()
        cpu.append(time.thread_time_ns() - began_cpu)
        wall.append(time.perf_counter_ns() - began)
    return statistics.median(wall[SETTLE:]), statistics.median(cpu[SETTLE:])


def measure(torch, switch, shape, rounds):
    """Of each round the blocks of all states; the number of records by state."""
    training = Training(torch, *shape, (rounds + 2) * len(STATES) * STEPS)
    states = States(switch)
    order = random.Random(0)
    found, records = [], dict.fromkeys(STATES, 0)
    for number in range(rounds + 1):
        one = {}
        for state in order.sample(STATES, len(STATES)):
            states.set(state)
            before = switch.probe.stats()["records"]
            one[state] = block(training)
            records[state] += switch.probe.stats()["records"] - before
        if number > 0:  # the first warms up
            found.append(one)
    return found, records


def interval(values, rounds=1000):
    """The median, and its 95 % interval."""
    order = random.Random(1)
    medians = sorted(statistics.median(order.choices(values, k=len(values))) for _ in range(rounds))
    return statistics.median(values), medians[rounds // 40], medians[-1 - rounds // 40]


def main(rounds):
    import torch

    torch.optim.SGD([torch.nn.Parameter(torch.ones(1))])  # torch wraps its step now
    torch.ones(1, device="cuda")
    switch = Switch()
    switch.set(True)
    from steptrace._hooks import device_phases

    # An optimizer's first step begins them.
    Training(torch, 1, 32, 8, 4).step()
    assert device_phases.on, "no events on the device"
    exceeded = False
    for name, shape in TRAININGS.items():
        found, records = measure(torch, switch, shape, rounds)
        plain = [statistics.median(one["none"][i] for one in found) / 1e3 for i in (0, 1)]
        print(f"{name}: {plain[0]:.0f} us by the clock, {plain[1]:.0f} us of CPU")
        for state in STATES[1:]:
            for i, what in enumerate(("clock", "CPU")):
                values = [(one[state][i] - one["none"][i]) / 1e3 for one in found]
                middle, low, high = interval(values)
                share, least = 100 * middle / plain[i], low / plain[i]
                print(
                    f"  {state:9} {what:5} {middle:+7.1f} us [{low:+.1f}, {high:+.1f}] {share:+.2f} %"
                )
                exceeded |= state == "all" and what == "clock" and least > BUDGET_SHARE
        steps = STEPS * (rounds + 1)
        told = {state: records[state] / steps for state in STATES}
        print("  records a step: " + ", ".join(f"{k} {v:.1f}" for k, v in told.items()), flush=True)
        assert records["none"] == 0 and records["all"] > records["no events"], records
    print("budget: " + ("exceeded" if exceeded else "kept"))
    return 1 if exceeded else 0


def why_not():
    try:
        import torch
    except ImportError:
        return "there is no PyTorch in this Python"
    return None if torch.cuda.is_available() else "there is no GPU that PyTorch can use"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--inside", action="store_true")
    options = parser.parse_args()
    if options.inside:
        sys.exit(main(options.rounds))
    reason = why_not()
    if reason is not None:
        print(f"steps on a GPU: left out, {reason}")
        sys.exit(0)
    inside = ["--inside", "--rounds", str(options.rounds)]
    sys.exit(run_recorded(__file__, *inside, hooks=HOOKS))
