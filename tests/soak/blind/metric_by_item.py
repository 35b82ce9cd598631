# SPDX-License-Identifier: Apache-2.0
"""A metric of the script's own, updated each step from tensor to number by .item()."""

import torch
from stopwatch import Parts, tell
from torch import nn


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
        with parts("metric"):
            metric.update(logits.argmax(1), labels[chosen])
        parts.step()
    print(f"accuracy {metric.accuracy():.3f}")
    tell("other_work", "logging", parts.share("metric"), "update")


main()
