# SPDX-License-Identifier: Apache-2.0
"""Rows at random places of a mapped file that is larger than the cache one has: two workers wait for the disk."""

import mmap
import os
import random
import shutil
import tempfile

import numpy
import torch
from stopwatch import Parts, tell
from torch import nn
from torch.utils.data import DataLoader, Dataset

SIZE = 256 << 20
PLACES = 24


class Archive(Dataset):
    def __init__(self, path):
        self.path = path
        self.map = None

    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        if self.map is None:
            self.file = os.open(self.path, os.O_RDONLY)
            self.map = mmap.mmap(self.file, 0, prot=mmap.PROT_READ)
            self.map.madvise(mmap.MADV_RANDOM)
            self.count = 0
        self.count += 1
        if self.count % 100 == 0:  # as if other jobs had taken the page cache
            self.map.madvise(mmap.MADV_DONTNEED)
            os.posix_fadvise(self.file, 0, 0, os.POSIX_FADV_DONTNEED)
        rows = [self.read_row(index * PLACES + n) for n in range(PLACES)]
        return torch.from_numpy(numpy.stack(rows)), index % 10

    def read_row(self, number):
        place = random.Random(number).randrange(SIZE // 4096) * 4096
        return numpy.frombuffer(self.map[place : place + 64], dtype=numpy.uint8)


def main():
    torch.manual_seed(0)
    parts = Parts()
    folder = tempfile.mkdtemp()
    try:
        path = os.path.join(folder, "rows.bin")
        with open(path, "wb") as file:
            for _ in range(SIZE >> 20):
                file.write(os.urandom(1 << 20))
            file.flush()
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        model = nn.Sequential(
            nn.Flatten(), nn.Linear(PLACES * 64, 128), nn.ReLU(), nn.Linear(128, 10)
        )
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        loader = DataLoader(Archive(path), batch_size=16, num_workers=2, shuffle=True)
        batches = iter(loader)
        for _ in range(130):
            with parts("data"):
                rows, labels = next(batches)
            loss = nn.functional.cross_entropy(model(rows.float() / 255), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            parts.step()
        del batches
    finally:
        shutil.rmtree(folder)
    tell("data_pipeline", "storage_read", parts.share("data"), "read_row")


main()
