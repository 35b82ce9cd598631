# SPDX-License-Identifier: Apache-2.0
"""Trainings that wait for their dataset, each for a stage of its own; nothing knows of Steptrace.

usage: staged.py CAUSE FOLDER [STEPS]        FOLDER: for what is read
"""

import gc
import json
import multiprocessing
import os
import queue
import random
import re
import sys
import threading
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset

WIDTH = 32
BATCH = 8


def burn(seconds):
    """Python work for so much CPU time of this thread."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(200))


def features(index):
    generator = torch.Generator().manual_seed(index)
    return torch.randn(WIDTH, generator=generator), torch.tensor(float(index % 2))


class Rows(Dataset):
    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        self.make(index)
        return features(index)


class Decode(Rows):
    """A parquet table, a row group of which is read for each sample."""

    def __init__(self, samples, folder):
        super().__init__(samples)
        import numpy as np
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.path = folder / "rows.parquet"
        values = np.random.default_rng(0).integers(0, 10**9, (20, 4000))
        table = pa.table({f"c{i}": [str(v) for v in column] for i, column in enumerate(values)})
        pq.write_table(table, self.path, compression="zstd")
        self.opened = None

    def make(self, index):
        import pyarrow.parquet as pq

        if self.opened is None:
            self.opened = pq.ParquetFile(self.path)
        return self.opened.read_row_group(0, use_threads=False)


class Images(Rows):
    """JPEG files, opened by PIL for each sample."""

    def __init__(self, samples, folder):
        super().__init__(samples)
        from PIL import Image

        self.path = folder / "one.jpg"
        Image.effect_noise((900, 900), 60).convert("RGB").save(self.path, quality=90)

    def make(self, index):
        from PIL import Image

        with Image.open(self.path) as image:
            image.load()


class Augment(Rows):
    """Images in memory, turned and resized for each sample."""

    def __init__(self, samples, folder):
        super().__init__(samples)
        from PIL import Image

        self.image = Image.effect_noise((700, 700), 60).convert("RGB")

    def make(self, index):
        from PIL import ImageEnhance

        turned = self.image.rotate(random.uniform(-20, 20), expand=True)
        return ImageEnhance.Contrast(turned.resize((400, 400))).enhance(1.5)


class Tokenise(Rows):
    """Text, split by regular expressions."""

    def __init__(self, samples, folder):
        super().__init__(samples)
        self.text = " ".join(f"word{k}, it's {k / 7:.3f}!" for k in range(2500))

    def make(self, index):
        clean = re.sub(r"[^\w.' ]+", " ", self.text)
        return re.findall(r"\w+'?\w*|\d+\.\d+|\S", clean)


class Vocabulary:
    """A tokeniser that no table knows."""

    def run(self, text):
        return [sum(map(ord, word)) % 1000 for word in text.split(" ")]


class OwnTokenise(Tokenise):
    def make(self, index):
        return [Vocabulary().run(self.text) for _ in range(6)]


class SlowFiles(Rows):
    """Files that come through a pipe from a process that writes slowly, as from far away."""

    def __init__(self, samples, folder):
        super().__init__(samples)
        self.folder = folder

    def make(self, index):
        reader, writer = os.pipe()
        sender = threading.Timer(0.01, lambda: (os.write(writer, b"x" * 100), os.close(writer)))
        sender.start()
        try:
            return self.fetch(reader)
        finally:
            os.close(reader)
            sender.join()

    def fetch(self, reader):
        while os.read(reader, 4096):
            pass


class StoredRows(Rows):
    """A file of samples, read one by one. STORAGE_CGROUP: a control group that the reader enters."""

    BYTES = 32 << 10

    def __init__(self, samples, folder):
        super().__init__(samples)
        self.path = folder / "rows.bin"
        self.opened = None

    def make(self, index):
        if self.opened is None:
            self.opened = self.open()
        return self.fetch(index)

    def open(self):
        if "STORAGE_CGROUP" in os.environ:
            Path(os.environ["STORAGE_CGROUP"]).write_text(str(os.getpid()))
        opened = os.open(self.path, os.O_RDONLY)
        os.posix_fadvise(opened, 0, 0, os.POSIX_FADV_RANDOM)
        return opened

    def fetch(self, index):
        return os.pread(self.opened, self.BYTES, index * self.BYTES)


class Locked(Rows):
    """A cache behind one lock, that every worker wants."""

    def __init__(self, samples, folder):
        super().__init__(samples)
        self.lock = multiprocessing.Lock()

    def make(self, index):
        with self.lock:
            time.sleep(0.006)


class LockedByAThread(Rows):
    """A cache that a thread beside the training refreshes, behind a lock of threads."""

    def __init__(self, samples, folder):
        super().__init__(samples)
        self.lock = threading.Lock()
        threading.Thread(target=self.refresh, daemon=True).start()

    def refresh(self):
        while True:
            with self.lock:
                time.sleep(0.04)
            time.sleep(0.0005)

    def make(self, index):
        with self.lock:
            return index


class Stream(IterableDataset):
    """Lines of JSON, as they come."""

    def __init__(self, samples, folder):
        self.samples = samples
        self.line = json.dumps({f"k{k}": [k, str(k), {"v": k}] for k in range(1500)})

    def __iter__(self):
        for index in range(self.samples):
            json.loads(self.line, parse_int=int)
            yield features(index)


def own_loader(dataset):
    """Batches by a thread and a queue, as people write them without a DataLoader."""
    made = queue.Queue(2)

    def fill():
        for first in range(0, len(dataset), BATCH):
            rows = [dataset[index] for index in range(first, first + BATCH)]
            made.put([torch.stack(part) for part in zip(*rows)])
        made.put(None)

    threading.Thread(target=fill, daemon=True).start()
    while True:
        batch = made.get()
        if batch is None:
            return
        yield batch


def loader(dataset, workers):
    return DataLoader(dataset, batch_size=BATCH, num_workers=workers)


def train(batches, before=lambda x: x):
    model = nn.Sequential(nn.Linear(WIDTH, 64), nn.ReLU(), nn.Linear(64, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    for x, y in batches:
        x = before(x)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x).squeeze(1), y).backward()
        optimizer.step()


def beside_the_model(x):
    burn(0.02)
    return x


def collect(x):
    gc.collect()
    return x


DATASETS = {
    "decode": (Decode, 2),
    "images": (Images, 1),
    "augment": (Augment, 1),
    "tokenise": (Tokenise, 1),
    "own_tokenise": (OwnTokenise, 1),
    "slow_files": (SlowFiles, 1),
    "slow_storage": (StoredRows, 1),
    "locked": (Locked, 3),
    "locked_by_a_thread": (LockedByAThread, 0),
    "stream": (Stream, 1),
    "decode_in_loop": (Decode, 0),
}


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cause, folder = sys.argv[1], Path(sys.argv[2])
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    if cause == "beside_the_model":
        train(ready(steps), beside_the_model)
    elif cause == "own_loader":
        train(own_loader(Decode(steps * BATCH, folder)))
    elif cause == "garbage":
        held = [{"k": [i]} for i in range(150_000)]
        train(ready(steps), collect)
        assert held
    else:
        kind, workers = DATASETS[cause]
        train(loader(kind(steps * BATCH, folder), workers))
    print("trained", cause)


def ready(steps):
    x, y = torch.randn(BATCH, WIDTH), torch.ones(BATCH)
    for _ in range(steps):
        yield x, y


if __name__ == "__main__":
    main()
