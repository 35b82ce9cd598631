# SPDX-License-Identifier: Apache-2.0
"""A training of so many steps of about so many ms; writes what it measured itself as JSON.

usage: trainer.py STEPS STEP_MS RESULT [--trace-step] [--exit CODE | --signal NUMBER]
"""

import argparse
import contextlib
import json
import os
import statistics
import sys
import time

import torch
from torch import nn


class Batches(torch.utils.data.Dataset):
    """The same batch again and again: a loader that costs next to nothing."""

    def __init__(self, steps):
        self.steps, self.batch = steps, torch.randn(64, 64)

    def __len__(self):
        return self.steps

    def __getitem__(self, index):
        return self.batch


class Net(nn.Module):
    """An MLP whose width makes the step as long as wanted."""

    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, x):
        return self.layers(x)


WIDTH_OF_MS = {
    0.5: 512,
    10.0: 24576,
}  # on the machine of bench/history/2026-11.md; the ratio is what counts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("steps", type=int)
    parser.add_argument("step_ms", type=float)
    parser.add_argument("result")
    parser.add_argument("--trace-step", action="store_true")
    parser.add_argument("--exit", type=int, default=0)
    parser.add_argument("--signal", type=int)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Net(WIDTH_OF_MS[options.step_ms])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    loader = torch.utils.data.DataLoader(Batches(options.steps), batch_size=None)
    around = contextlib.nullcontext
    if options.trace_step:
        import traceml_ai

        traceml_ai.init()

        def around():
            return traceml_ai.trace_step(model)

    wall, cpu = [], []
    begun = time.time()
    t, c = time.perf_counter_ns(), time.thread_time_ns()
    for x in loader:
        with around():
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()
        now, now_cpu = time.perf_counter_ns(), time.thread_time_ns()
        wall.append(now - t)
        cpu.append(now_cpu - c)
        t, c = now, now_cpu
    ended = time.time()
    steady = slice(min(50, options.steps // 5), None)
    with open(options.result, "w", encoding="utf-8") as out:
        json.dump(
            {
                "wall_us": statistics.median(wall[steady]) / 1e3,
                "cpu_us": statistics.median(cpu[steady]) / 1e3,
                "mean_wall_us": statistics.fmean(wall[steady]) / 1e3,
                "training_s": ended - begun,
                "begun": begun,
                "ended": ended,
                "loss_weights": float(sum(p.detach().double().sum() for p in model.parameters())),
            },
            out,
        )
    if options.signal:
        os.kill(os.getpid(), options.signal)
    sys.exit(options.exit)


if __name__ == "__main__":
    main()
