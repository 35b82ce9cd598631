# SPDX-License-Identifier: Apache-2.0
"""Spectra computed by eight DataLoader workers on two cores: mostly they wait for a core."""

import time

import numpy
import torch
from stopwatch import Parts, tell
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Spectra(Dataset):
    def __len__(self):
        return 100_000

    def __getitem__(self, index):
        begin, begin_cpu = time.perf_counter(), time.thread_time()
        noise = numpy.random.default_rng(index).standard_normal(16_384)
        for _ in range(12):
            noise = numpy.fft.irfft(numpy.fft.rfft(noise) * 0.99)
        sample = torch.from_numpy(noise[:256].astype(numpy.float32))
        return sample, time.perf_counter() - begin, time.thread_time() - begin_cpu


def main():
    torch.manual_seed(0)
    parts = Parts(skip=12)
    model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 256))
    optimizer = torch.optim.Adam(model.parameters())
    batches = iter(DataLoader(Spectra(), batch_size=16, num_workers=8))
    wall_s = cpu_s = 0.0
    for number in range(220):
        with parts("data"):
            samples, wall, cpu = next(batches)
        if number >= 12:
            wall_s += float(wall.sum())
            cpu_s += float(cpu.sum())
        loss = nn.functional.mse_loss(model(samples), samples)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        parts.step()
    del batches
    data = parts.share("data")
    print(f"of __getitem__ {1 - cpu_s / wall_s:.2f} was waiting for a core")
    tell("data_pipeline", "cpu_shortage", data)  # how much of handing over is, no timer tells


main()
