# SPDX-License-Identifier: Apache-2.0
"""Molecules as lists of objects: workers have them at hand, bringing them over by pickle takes the time."""

import dataclasses
import random
import time

import torch
from stopwatch import Parts, tell
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclasses.dataclass
class Atom:
    element: str
    place: tuple
    charge: float
    bonds: list


class Molecules(Dataset):
    def __init__(self):
        random.seed(4)
        self.known = [self.molecule() for _ in range(50)]

    def molecule(self):
        return [
            Atom(
                random.choice("CHON"),
                (random.random(), random.random(), random.random()),
                random.random(),
                [random.randrange(120) for _ in range(4)],
            )
            for _ in range(120)
        ]

    def __len__(self):
        return 200_000

    def __getitem__(self, index):
        return self.known[index % 50], [0.1] * 32


def as_they_are(samples):
    return [molecule for molecule, _ in samples], torch.tensor([values for _, values in samples])


def main():
    torch.manual_seed(0)
    parts = Parts()
    model = nn.Sequential(nn.Linear(32, 256), nn.ReLU(), nn.Linear(256, 1))
    optimizer = torch.optim.Adam(model.parameters())
    loader = DataLoader(Molecules(), batch_size=64, num_workers=2, collate_fn=as_they_are)
    batches = iter(loader)
    begin = time.perf_counter()
    while time.perf_counter() - begin < 12:
        with parts("data"):
            molecules, values = next(batches)
        weight = float(len(molecules))
        loss = (model(values) * weight).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        parts.step()
    del batches
    tell("data_pipeline", "receive", parts.share("data"))


main()
