# SPDX-License-Identifier: Apache-2.0
"""Four workers read one zip archive under one lock, as its library asks: they wait for each other."""

import io
import multiprocessing
import os
import tempfile
import time
import zipfile

import numpy
import torch
from stopwatch import Parts, tell
from torch import nn
from torch.utils.data import DataLoader, Dataset

MEMBERS = 32


class Volumes(Dataset):
    def __init__(self, path):
        self.path = path
        self.guard = multiprocessing.Lock()

    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        begin = time.perf_counter()
        with self.guard:
            got = time.perf_counter()
            volume = self.read(index % MEMBERS)
        done = time.perf_counter()
        return torch.from_numpy(volume), got - begin, done - got

    def read(self, number):
        with zipfile.ZipFile(self.path) as archive:
            return numpy.load(io.BytesIO(archive.read(f"{number}.npy"))).astype(numpy.float32)


def write(path):
    made = numpy.random.default_rng(2)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(MEMBERS):
            out = io.BytesIO()
            numpy.save(out, made.integers(0, 60, (16, 48, 48), dtype=numpy.uint8))
            archive.writestr(f"{number}.npy", out.getvalue())


def main():
    torch.manual_seed(0)
    parts = Parts(skip=8)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "volumes.zip")
        write(path)
        model = nn.Sequential(
            nn.AvgPool2d(4), nn.Flatten(), nn.Linear(16 * 144, 64), nn.Linear(64, 4)
        )
        optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
        batches = iter(DataLoader(Volumes(path), batch_size=32, num_workers=4))
        wait_s = read_s = 0.0
        begin = time.perf_counter()
        while time.perf_counter() - begin < 12:
            with parts("data"):
                volumes, waited, read = next(batches)
            wait_s += float(waited.sum())
            read_s += float(read.sum())
            loss = model(volumes).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            parts.step()
        del batches
    data = parts.share("data")
    tell("data_pipeline", "lock", data, "__getitem__", data * wait_s / (wait_s + read_s))


main()
