# SPDX-License-Identifier: Apache-2.0
"""Trains the click model on the CPU.   usage: train.py --variant slow|fixed [--epochs N]"""

import argparse
import os
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

import data
from dataset import BUCKETS, FixedClicks, RowGroupOrder, SlowClicks, TimedClicks, share_by_name

EPOCHS = 3


class ClickModel(nn.Module):
    """Embeddings of the categories and of the history, beside the dense features, into an MLP."""

    def __init__(self, width=896):
        super().__init__()
        self.ids = nn.Embedding(BUCKETS, 32, sparse=True)
        self.moments = nn.Embedding(32, 8)
        self.history = nn.EmbeddingBag(BUCKETS, 32, mode="mean", sparse=True)
        self.mlp = nn.Sequential(
            nn.Linear(data.DENSE + 2 * 32 + 2 * 8 + 32, width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
            nn.Linear(width, 1),
        )

    def forward(self, dense, categories, history):
        ids = self.ids(categories[:, :2]).flatten(1)
        moments = self.moments(categories[:, 2:]).flatten(1)
        features = torch.cat([dense, ids, moments, self.history(history)], dim=1)
        return self.mlp(features).squeeze(1)


def make_loader(variant, folder, workers):
    if variant == "slow":
        timers = os.environ.get("RECOMMENDER_TIMERS")  # a folder for what is timed by hand
        dataset = TimedClicks(folder, Path(timers)) if timers else SlowClicks(folder)
        order = RowGroupOrder(len(dataset.files), data.ROWS)
        return DataLoader(dataset, batch_size=data.ROWS, sampler=order, num_workers=workers)
    dataset = FixedClicks(folder)
    order = RowGroupOrder(len(dataset), 1)
    return DataLoader(
        dataset,
        batch_size=None,
        sampler=order,
        num_workers=workers,
        persistent_workers=workers > 0,
        worker_init_fn=share_by_name,
    )


def train(loader, epochs):
    """Returns the number of steps and the last loss."""
    torch.manual_seed(0)
    model = ClickModel()
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.01)
    loss_of = nn.BCEWithLogitsLoss()
    steps = 0
    for _ in range(epochs):
        for dense, categories, history, label in loader:
            optimizer.zero_grad()
            loss = loss_of(model(dense, categories, history), label)
            loss.backward()
            optimizer.step()
            steps += 1
    return steps, loss.item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", choices=["slow", "fixed"], required=True)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--data", type=Path, default=data.FOLDER)
    parser.add_argument("--row-groups", type=int, default=data.ROW_GROUPS, help="of each file")
    options = parser.parse_args()

    torch.set_num_threads(1)  # the loader's workers need the other cores
    folder = data.make(options.data, row_groups=options.row_groups)
    loader = make_loader(options.variant, folder, options.workers)
    started = time.perf_counter()
    steps, loss = train(loader, options.epochs)
    seconds = time.perf_counter() - started
    print(f"{options.variant}: {steps} steps in {seconds:.1f} s, last loss {loss:.4f}")


if __name__ == "__main__":
    main()
