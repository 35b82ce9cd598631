# SPDX-License-Identifier: Apache-2.0
"""A prefetch thread of the script's own unpacks images into a queue; the loop waits at the queue."""

import queue
import threading
import time
import zlib

import numpy
import torch
from stopwatch import Parts, tell
from torch import nn

SIDE = 128
parts = Parts()


def packed(count):
    made = numpy.random.default_rng(5)
    for _ in range(count):
        image = made.integers(0, 40, (3, SIDE, SIDE), dtype=numpy.uint8)
        yield zlib.compress(image.tobytes(), 6)


def unpack(blob):
    return numpy.frombuffer(zlib.decompress(blob), dtype=numpy.uint8).reshape(3, SIDE, SIDE)


class Prefetcher(threading.Thread):
    def __init__(self, blobs, batch=48):
        super().__init__(daemon=True)
        self.blobs = blobs
        self.batch = batch
        self.ready = queue.Queue(maxsize=3)

    def run(self):
        place = 0
        while True:
            images = []
            for _ in range(self.batch):
                images.append(unpack(self.blobs[place % len(self.blobs)]))
                place += 1
            self.ready.put(torch.from_numpy(numpy.stack(images)))


def main():
    torch.manual_seed(0)
    feeder = Prefetcher(list(packed(200)))
    model = nn.Sequential(
        nn.Flatten(), nn.Linear(3 * SIDE * SIDE // 16, 128), nn.ReLU(), nn.Linear(128, 10)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    feeder.start()
    begin = time.perf_counter()
    while time.perf_counter() - begin < 11:
        with parts("data"):
            images = feeder.ready.get()
        loss = model(images[:, :, ::4, ::4].float() / 255).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        parts.step()
    tell("data_pipeline", "decode", parts.share("data"), "unpack")


main()
