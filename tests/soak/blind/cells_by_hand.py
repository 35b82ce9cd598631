# SPDX-License-Identifier: Apache-2.0
"""A recurrent cell written gate by gate for a tiny state: what an operator costs at all is all it costs.

The timer: the same operators on a state of one number cost what is not computing. That is more than the time between
operators, of which alone the stage is: it tells who is to blame, and not the share.
"""

import time

import torch
from stopwatch import Parts, tell
from torch import nn


class Cell(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gates = nn.ParameterList([nn.Parameter(torch.randn(width) * 0.1) for _ in range(8)])

    def forward(self, x, steps=60):
        hidden = torch.zeros_like(x)
        memory = torch.zeros_like(x)
        a, b, c, d, e, f, g, h = self.gates
        for _ in range(steps):
            forget = torch.sigmoid(x * a + hidden * b)
            take = torch.sigmoid(x * c + hidden * d)
            new = torch.tanh(x * e + hidden * f)
            memory = forget * memory + take * new
            hidden = torch.tanh(memory) * (g + h)
        return hidden


def step_s(width, rows, count, parts):
    model = Cell(width)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(rows, width)
    begin = time.perf_counter()
    for _ in range(count):
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if parts:
            parts.step()
    return (time.perf_counter() - begin) / count


def main():
    torch.manual_seed(0)
    parts = Parts()
    spent_s = step_s(16, 4, 700, parts)
    empty_s = step_s(1, 1, 100, None)
    print(f"without computing a step costs {empty_s / spent_s:.2f} of what it does")
    assert empty_s > 0.5 * spent_s, "the operators compute"
    tell("framework_overhead", "dispatch", None)


main()
