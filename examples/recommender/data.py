# SPDX-License-Identifier: Apache-2.0
"""Makes the Parquet files of the example: clicks of users on items, from a fixed seed.

usage: data.py [ROW_GROUPS]   (of each file)
"""

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FILES = 4
ROW_GROUPS = 15  # a file
ROWS = 256  # a row group; the batch size of the training
HISTORY = 30  # items that a user saw before
DENSE = 13  # numeric features

FOLDER = Path(__file__).parent / "data"


def make(folder=FOLDER, files=FILES, row_groups=ROW_GROUPS):
    """Writes what is missing of `files` files, or of another shape; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(files):
        path = folder / f"clicks-{number}.parquet"
        if not _is_made(path, row_groups):
            unfinished = path.with_suffix(".unfinished")
            pq.write_table(_clicks(number, row_groups * ROWS), unfinished, row_group_size=ROWS)
            unfinished.rename(path)
    return folder


def _is_made(path, row_groups):
    if not path.exists():
        return False
    try:
        made = pq.read_metadata(path)
    except (pa.ArrowException, OSError):  # cut off, or no Parquet
        return False
    rows = [made.row_group(group).num_rows for group in range(made.num_row_groups)]
    return rows == [ROWS] * row_groups


def _clicks(number, rows):
    random = np.random.default_rng(number)
    history = random.integers(0, 10**6, (rows, HISTORY))
    dense = random.gamma(1.0, 50.0, (rows, DENSE)).astype("f4")
    # The label depends on the features, so that there is something to learn.
    score = np.log1p(dense).mean(axis=1) - 3.3 + random.normal(0, 0.3, rows)
    return pa.table(
        {
            "user": [f"u{v}" for v in random.integers(0, 10**5, rows)],
            "item": [f"i{v}" for v in random.integers(0, 10**5, rows)],
            "history": pa.array(list(history)),
            "dense": pa.array(list(dense)),
            "page": [
                f"https://shop.example/c/{v % 97}/p/{v}" for v in random.integers(0, 10**9, rows)
            ],
            "time": random.integers(1_600_000_000, 1_700_000_000, rows),
            "label": (score > 0).astype("f4"),
        }
    )


if __name__ == "__main__":
    print(make(row_groups=int(sys.argv[1]) if len(sys.argv) > 1 else ROW_GROUPS))
