# SPDX-License-Identifier: Apache-2.0
"""A metric of the script's own, updated each step from tensor to number by .item().

Nothing is logged of it: it is code of the loop. Thousands of tensors a step make Python collect garbage. A full
collection goes over all that lives, and is a stage of its own: the timer leaves those out. Collections of the young
generations go over what the metric has just made, and are its own time, as allocation is.
"""

import gc
import time

import torch
from stopwatch import Parts, tell
from torch import nn


class FullCollections:
    def __init__(self):
        self.seconds = 0.0
        self.begin = 0.0

    def __call__(self, phase, info):
        if info["generation"] < 2:
            return
        if phase == "start":
            self.begin = time.perf_counter()
        else:
            self.seconds += time.perf_counter() - self.begin


class Confusion:
    def __init__(self, classes):
        self.counts = [[0] * classes for _ in range(classes)]

    def update(self, predicted, labels):
        for guess, label in zip(predicted, labels):
            self.counts[label.item()][guess.item()] += 1

    def accuracy(self):
        return sum(row[n] for n, row in enumerate(self.counts)) / sum(map(sum, self.counts))


def main():
    torch.manual_seed(0)
    parts = Parts()
    collections = FullCollections()
    gc.callbacks.append(collections)
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 6))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    metric = Confusion(6)
    inputs = torch.randn(8192, 64)
    labels = torch.randint(0, 6, (8192,))
    for number in range(1100):
        chosen = slice((number % 4) * 2048, (number % 4 + 1) * 2048)
        logits = model(inputs[chosen])
        loss = nn.functional.cross_entropy(logits, labels[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        before = collections.seconds
        with parts("metric"):
            metric.update(logits.argmax(1), labels[chosen])
        parts.add("collections", collections.seconds - before)
        parts.step()
    print(f"accuracy {metric.accuracy():.3f}")
    share = parts.share("metric") - parts.share("collections")
    tell("other_work", "loop_code", share, "update", share)


main()
