# SPDX-License-Identifier: Apache-2.0
"""torch.compile without dynamic shapes, and sentences of ever new lengths: most steps compile."""

import random
import time

import torch
import torch._dynamo
from stopwatch import Parts, tell
from torch import nn

torch._dynamo.config.cache_size_limit = 500
torch._dynamo.config.accumulated_cache_size_limit = 5000


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(1000, 96)
        self.first = nn.Linear(96, 192)
        self.second = nn.Linear(192, 12)

    def forward(self, ids):
        return self.second(torch.relu(self.first(self.embed(ids))))


def main():
    torch.manual_seed(0)
    random.seed(9)
    parts = Parts(skip=3)
    plain = Tagger()
    model = torch.compile(plain, dynamic=False, backend="aot_eager")
    optimizer = torch.optim.Adam(plain.parameters())
    seen = set()
    known_s, known = 0.0, 0
    fresh = 0
    begin_run = time.perf_counter()
    while time.perf_counter() - begin_run < 14:
        length = random.randrange(8, 400)
        ids = torch.randint(0, 1000, (4, length))
        begin = time.perf_counter()
        loss = model(ids).square().mean()
        optimizer.zero_grad()
        loss.backward()
        took_s = time.perf_counter() - begin
        if parts.steps >= parts.skip:
            if length in seen:
                known_s += took_s
                known += 1
            else:
                fresh += 1
                parts.add("fresh", took_s)
        seen.add(length)
        optimizer.step()
        parts.step()
    usual = fresh * (known_s / known if known else 0.0) / parts.total
    tell("framework_overhead", "recompilation", parts.share("fresh") - usual)


main()
