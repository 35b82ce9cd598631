# SPDX-License-Identifier: Apache-2.0
"""A graph network on clusters of nodes; the batch sampler grows each cluster by random walks in Python."""

import random
import time

import torch
from stopwatch import Parts, tell
from torch import nn
from torch.utils.data import DataLoader, Dataset

NODES = 20_000
parts = Parts()


class Nodes(Dataset):
    def __init__(self):
        self.features = torch.randn(NODES, 32)
        self.labels = torch.randint(0, 5, (NODES,))

    def __len__(self):
        return NODES

    def __getitems__(self, indices):
        nodes = torch.tensor(indices)
        return nodes, self.features[nodes], self.labels[nodes]

    def __getitem__(self, index):
        return index, self.features[index], self.labels[index]


class Clusters:
    def __init__(self, neighbours, count, size=256):
        self.neighbours = neighbours
        self.count = count
        self.size = size

    def __len__(self):
        return self.count

    def grow(self):
        chosen = {}
        place = random.randrange(NODES)
        while len(chosen) < self.size:
            chosen[place] = True
            scores = [
                (len(self.neighbours[n]) * random.random(), n) for n in self.neighbours[place]
            ]
            place = max(scores)[1] if random.random() < 0.9 else random.randrange(NODES)
        return list(chosen)

    def __iter__(self):
        for _ in range(self.count):
            begin = time.perf_counter()
            cluster = self.grow()
            parts.add("grow", time.perf_counter() - begin)
            yield cluster


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(32, 64)
        self.second = nn.Linear(64, 5)

    def forward(self, adjacency, x):
        x = torch.sparse.mm(adjacency, self.first(x)).relu()
        return torch.sparse.mm(adjacency, self.second(x))


def ring(size):
    rows = torch.arange(size).repeat(3)
    columns = torch.cat([(torch.arange(size) + shift) % size for shift in (-1, 0, 1)])
    return torch.sparse_coo_tensor(
        torch.stack([rows, columns]), torch.full((3 * size,), 1 / 3), (size, size)
    ).coalesce()


def main():
    torch.manual_seed(0)
    random.seed(0)
    neighbours = [[random.randrange(NODES) for _ in range(24)] for _ in range(NODES)]
    loader = DataLoader(
        Nodes(), batch_sampler=Clusters(neighbours, 5000), collate_fn=lambda batch: batch
    )
    model = Network()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    adjacency = ring(256)
    batches = iter(loader)
    for _ in range(4000):
        with parts("data"):
            _, features, labels = next(batches)
        loss = nn.functional.cross_entropy(model(adjacency, features), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        parts.step()
    tell("data_pipeline", "dataset_code", parts.share("data"), "grow", parts.share("grow"))


main()
