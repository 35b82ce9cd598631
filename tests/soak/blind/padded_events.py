# SPDX-License-Identifier: Apache-2.0
"""Event sequences of unequal lengths, padded by a collate function that goes from value to value."""

import random
import time

import torch
from stopwatch import Parts, tell
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Events(Dataset):
    def __init__(self):
        random.seed(6)
        self.rows = [
            [random.random() for _ in range(random.randrange(60, 200))] for _ in range(512)
        ]

    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        return self.rows[index % 512], index % 3


def pad(samples):
    longest = 200
    padded = torch.zeros(len(samples), longest)
    for row, (values, _) in enumerate(samples):
        for column, value in enumerate(values):
            padded[row, column] = value
    return padded, torch.tensor([label for _, label in samples])


def train(model, loader, parts):
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    begin = time.perf_counter()
    batches = iter(loader)
    while time.perf_counter() - begin < 12:
        with parts("data"):
            values, labels = next(batches)
        optimizer.zero_grad()
        loss = criterion(model(values), labels)
        loss.backward()
        optimizer.step()
        parts.step()
    return loss.item()


if __name__ == "__main__":
    torch.manual_seed(0)
    parts = Parts()
    model = nn.Sequential(
        nn.Linear(200, 400), nn.Tanh(), nn.Linear(400, 400), nn.Tanh(), nn.Linear(400, 3)
    )
    train(model, DataLoader(Events(), batch_size=16, num_workers=1, collate_fn=pad), parts)
    tell("data_pipeline", "collate", parts.share("data"), "pad")
