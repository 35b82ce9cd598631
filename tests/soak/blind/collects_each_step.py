# SPDX-License-Identifier: Apache-2.0
"""A script with many objects in memory that frees memory after each step, as a forum told it to."""

import gc
import random

import torch
from stopwatch import Parts, tell
from torch import nn


class Passage:
    def __init__(self, number):
        self.number = number
        self.words = [random.randrange(10_000) for _ in range(8)]
        self.links = {"next": None, "previous": None}


def free_memory(parts):
    with parts("collect"):
        gc.collect()


def main():
    torch.manual_seed(0)
    random.seed(0)
    parts = Parts()
    corpus = [Passage(number) for number in range(120_000)]
    for before, after in zip(corpus, corpus[1:]):
        before.links["next"], after.links["previous"] = after, before
    model = nn.Sequential(
        nn.Embedding(10_000, 64), nn.Flatten(), nn.Linear(8 * 64, 256), nn.ReLU(), nn.Linear(256, 2)
    )
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.01)
    for number in range(40):
        words = torch.tensor([p.words for p in corpus[number * 128 : (number + 1) * 128]])
        loss = nn.functional.cross_entropy(model(words), words[:, 0] % 2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        free_memory(parts)
        parts.step()
    tell("framework_overhead", "garbage_collection", parts.share("collect"), "free_memory")


main()
