# SPDX-License-Identifier: Apache-2.0
"""Prints how many row groups a file make the slow variant train for about so long here.

usage: fit.py SECONDS
"""

import sys
import tempfile
import time
from pathlib import Path

import torch

import data
from train import EPOCHS, make_loader, train

WORKERS = 2
TRIED = 3  # row groups a file: a dozen steps
FEWEST, MOST = 6, 60  # enough steps for a verdict; a minute to make the data


def seconds_of(loader):
    begin = time.perf_counter()
    steps, _ = train(loader, epochs=1)
    return time.perf_counter() - begin, steps


def main():
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        data.make(Path(folder), row_groups=TRIED)
        loader = make_loader("slow", Path(folder), WORKERS)
        # The first optimizer of a process imports for seconds: that is once, and not a step's.
        first, _ = seconds_of(loader)
        again, steps = seconds_of(loader)
    row_groups = round(
        (float(sys.argv[1]) - max(first - again, 0)) * steps / again / (EPOCHS * data.FILES)
    )
    print(min(max(row_groups, FEWEST), MOST))


if __name__ == "__main__":
    main()
