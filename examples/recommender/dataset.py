# SPDX-License-Identifier: Apache-2.0
"""The two ways to read the clicks. Both yield the same tensors for the same row of the same file.

A batch is (dense f4 [n, 13], categories i8 [n, 4], history i8 [n, 30], label f4 [n]).
"""

import json
import os
import time

import numpy as np
import pyarrow.parquet as pq
import torch
from torch.utils.data import Dataset, Sampler

import data

BUCKETS = 50021  # of the embedding tables
MULTIPLIER = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio: spreads neighbouring ids
MASK = (1 << 64) - 1
# The augmentation: a little noise on the features, now and then a similar item in the history.
NOISE = 0.01
UNIFORMS = 12  # their sum is close enough to a normal distribution
CANDIDATES = 16  # of a substitute: the nearest is taken
ITEMS = 10**6
RARELY = 1 << 60  # of 2^64: one item in sixteen
DRAWS = data.DENSE * UNIFORMS + data.HISTORY * (1 + CANDIDATES)  # a row


def share_by_name(worker):
    """Makes a worker hand its tensors over by a name in shared memory.

    By default the training process asks the worker for a descriptor of each tensor, in a connection
    of its own, which a thread of the busy worker has to answer.
    """
    torch.multiprocessing.set_sharing_strategy("file_system")


def drawn(number):
    """64 bits that look random, of a number or of an array of them (u8): SplitMix64's mixing."""
    mixed = number * MULTIPLIER & MASK
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & MASK
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & MASK
    return mixed ^ mixed >> 31


class RowGroupOrder(Sampler):
    """The row groups of an epoch in an order drawn from (seed, epoch); a unit is one row group.

    rows=1: yields numbers of row groups; rows=256: yields the numbers of all their rows.
    """

    def __init__(self, row_groups, rows, seed=0):
        self.row_groups, self.rows, self.seed, self.epoch = row_groups, rows, seed, 0

    def __len__(self):
        return self.row_groups * self.rows

    def __iter__(self):
        order = np.random.default_rng((self.seed, self.epoch)).permutation(self.row_groups)
        self.epoch += 1
        for group in order.tolist():
            yield from range(group * self.rows, (group + 1) * self.rows)


class _Files:
    """The files of a folder, opened in the process that reads them."""

    def __init__(self, folder):
        self.paths = sorted(folder.glob("clicks-*.parquet"))
        self.groups = pq.ParquetFile(self.paths[0]).metadata.num_row_groups
        self.opened = None

    def __len__(self):
        return len(self.paths) * self.groups

    def read(self, group):
        if self.opened is None:
            self.opened = [pq.ParquetFile(path) for path in self.paths]
        file, index = divmod(group, self.groups)
        return self.opened[file].read_row_group(index, use_threads=False)


class SlowClicks(Dataset):
    """One sample at a time: row number -> tensors."""

    def __init__(self, folder):
        self.files = _Files(folder)

    def __len__(self):
        return len(self.files) * data.ROWS

    def __getitem__(self, number):
        row = self.decode(number)
        dense = [np.log1p(np.float64(value)) for value in row["dense"]]
        dense, items = self.augment(dense, row["history"], number * DRAWS)
        history = [self.bucket(item) for item in items]
        user, item = self.bucket(int(row["user"][1:])), self.bucket(int(row["item"][1:]))
        hour, weekday = row["time"] // 3600 % 24, (row["time"] // 86400 + 4) % 7
        categories = np.array([user, item, hour, weekday])
        return dense.astype("f4"), categories, np.array(history), np.float32(row["label"])

    def decode(self, number):
        group, index = divmod(number, data.ROWS)
        return self.files.read(group).slice(index, 1).to_pylist()[0]

    def augment(self, dense, history, draw):
        """What is drawn depends on the row's number alone, so that every variant draws the same."""
        jittered = []
        for value in dense:
            total = sum(drawn(draw + k) >> 11 for k in range(UNIFORMS))
            jittered.append(value + NOISE * (total / 2.0**53 - UNIFORMS / 2))
            draw += UNIFORMS
        items = []
        for item in history:
            similar = [drawn(draw + 1 + k) % ITEMS for k in range(CANDIDATES)]
            nearest = min(similar, key=lambda other: abs(other - item))
            items.append(nearest if drawn(draw) < RARELY else item)
            draw += 1 + CANDIDATES
        return np.array(jittered), items

    def bucket(self, value):
        return ((value * MULTIPLIER & MASK) >> 20) % BUCKETS


class TimedClicks(SlowClicks):
    """Times its stages by hand, and leaves the sums of each process in a folder.

    It is what the shares of a report are compared with (tests/e2e/test_sampled_stages.py).
    """

    def __init__(self, folder, sums):
        super().__init__(folder)
        self.sums, self.spent_ns, self.samples = sums, {}, 0

    def timed(self, stage, function, *arguments):
        begin = time.perf_counter_ns()
        try:
            return function(*arguments)
        finally:
            spent = time.perf_counter_ns() - begin
            self.spent_ns[stage] = self.spent_ns.get(stage, 0) + spent

    def __getitem__(self, number):
        sample = self.timed("getitem", super().__getitem__, number)
        self.samples += 1
        if self.samples % data.ROWS == 0:  # a batch
            path = self.sums / f"{os.getpid()}-{id(self)}.json"
            unfinished = path.with_suffix(".unfinished")
            unfinished.write_text(json.dumps(self.spent_ns))
            unfinished.rename(path)
        return sample

    def decode(self, number):
        return self.timed("decode", super().decode, number)

    def augment(self, dense, history, draw):
        return self.timed("augmentation", super().augment, dense, history, draw)


class FixedClicks(Dataset):
    """One row group at a time, which is a batch: group number -> batch of tensors."""

    def __init__(self, folder):
        self.files = _Files(folder)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, group):
        table = self.files.read(group)
        dense = np.log1p(self.matrix(table, "dense", data.DENSE).astype("f8"))
        dense, items = self.augment(dense, self.matrix(table, "history", data.HISTORY), group)
        history = self.bucket(items)
        time = table["time"].to_numpy()
        categories = np.stack(
            [
                self.bucket(self.numbers(table, "user")),
                self.bucket(self.numbers(table, "item")),
                time // 3600 % 24,
                (time // 86400 + 4) % 7,
            ],
            axis=1,
        )
        label = table["label"].to_numpy().copy()
        arrays = (dense.astype("f4"), categories, history, label)
        return tuple(torch.from_numpy(np.ascontiguousarray(a)) for a in arrays)

    def matrix(self, table, name, width):
        return table[name].combine_chunks().flatten().to_numpy().reshape(-1, width)

    def numbers(self, table, name):
        return np.array([text[1:] for text in table[name].to_pylist()], dtype="i8")

    def augment(self, dense, history, group):
        first = group * data.ROWS * DRAWS
        draws = drawn(np.arange(first, first + data.ROWS * DRAWS, dtype="u8"))
        draws = draws.reshape(data.ROWS, DRAWS)
        of_dense, of_history = np.split(draws, [data.DENSE * UNIFORMS], axis=1)
        of_dense = of_dense.reshape(data.ROWS, data.DENSE, UNIFORMS) >> np.uint64(11)
        jittered = dense + NOISE * (of_dense.sum(axis=2) / 2.0**53 - UNIFORMS / 2)
        of_history = of_history.reshape(data.ROWS, data.HISTORY, 1 + CANDIDATES)
        rows, places = np.nonzero(of_history[:, :, 0] < RARELY)
        similar = (of_history[rows, places, 1:] % np.uint64(ITEMS)).astype("i8")
        nearest = np.abs(similar - history[rows, places, None]).argmin(axis=1)
        items = history.copy()
        items[rows, places] = similar[np.arange(len(rows)), nearest]
        return jittered, items

    def bucket(self, values):
        mixed = values.astype("u8") * np.uint64(MULTIPLIER) >> np.uint64(20)
        return (mixed % np.uint64(BUCKETS)).astype("i8")
