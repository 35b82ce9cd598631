# SPDX-License-Identifier: Apache-2.0
"""A small data-bound training for the tests of the pages.   usage: training.py STEPS SECONDS_A_SAMPLE"""

import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset


class Slow(Dataset):
    """One sample takes 50 times as long: however busy the machine, one step is out of the ordinary."""

    def __init__(self, samples, seconds):
        self.samples, self.seconds = samples, seconds

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        time.sleep(self.seconds * (50 if index == self.samples * 2 // 3 else 1))
        return torch.full((16,), float(index % 7))


def main():
    steps, seconds = int(sys.argv[1]), float(sys.argv[2])
    model = torch.nn.Linear(16, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    for batch in DataLoader(Slow(steps * 4, seconds), batch_size=4, num_workers=2):
        optimizer.zero_grad()
        model(batch).pow(2).mean().backward()
        optimizer.step()


if __name__ == "__main__":
    main()
