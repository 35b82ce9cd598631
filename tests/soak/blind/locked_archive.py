# SPDX-License-Identifier: Apache-2.0
"""Four workers read one zip archive under one lock, as its library asks: they wait for each other.

Of the time that a worker waits for the lock, only that in which its holder runs is the lock's. While the holder has no
core, or the lock is free and whoever is next has none, the wait is for a core, and would be without the lock. A read
computes, so its holder runs as long as its thread has CPU time.
"""

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
            got, ran = time.perf_counter(), time.thread_time()
            volume = self.read(index % MEMBERS)
            ran = time.thread_time() - ran
        return torch.from_numpy(volume), got - begin, time.perf_counter() - got, ran

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
        wait_s = read_s = ran_s = 0.0
        begin = since = time.perf_counter()
        while time.perf_counter() - begin < 12:
            with parts("data"):
                volumes, waited, read, ran = next(batches)
            if parts.steps == parts.skip:  # the workers have started
                wait_s = read_s = ran_s = 0.0
                since = time.perf_counter()
            wait_s += float(waited.sum())
            read_s += float(read.sum())
            ran_s += float(ran.sum())
            loss = model(volumes).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            parts.step()
        held = min(1.0, ran_s / (time.perf_counter() - since))  # of the time, a holder runs
        del batches
    data = parts.share("data")
    seconds = {
        "lock": wait_s * held,
        "cpu_shortage": wait_s * (1 - held) + read_s - ran_s,
        "decode": ran_s,
    }
    stage = max(seconds, key=seconds.get)
    share = data * seconds[stage] / (wait_s + read_s)
    tell("data_pipeline", stage, data, "__getitem__" if stage == "lock" else "-", share)


main()
