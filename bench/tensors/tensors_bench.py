# SPDX-License-Identifier: Apache-2.0
"""Gigabytes a second that one core measures of a tensor: ours beside numpy and torch, which compute the
same (less the histogram, `torch few`: less still) in several passes.

usage: tensors_bench.py [--binary PATH] [--json FILE]

Goal: 4 GB/s for all statistics, aim 8. Ours is checked against a plain loop, the peers against each
other, before any of them is timed.
"""

import argparse
import json
import math
import subprocess
import sys
import time
from pathlib import Path

import numpy
import torch

GOAL_GB_PER_S = 4.0
ELEMENTS = 16 << 20
SECONDS = 1.0


def best(work):
    """Of several: other work on the machine only ever takes time away."""
    least = math.inf
    until = time.thread_time() + SECONDS
    while time.thread_time() < until:
        begin = time.thread_time()
        work()
        least = min(least, time.thread_time() - begin)
    return least


def by_numpy(values):
    finite = numpy.isfinite(values)
    absolute = numpy.abs(values)
    wide = values.astype(numpy.float64)
    return (
        float(wide.sum()),
        int(numpy.isnan(values).sum()),
        int((values == 0).sum()),
        int((~finite).sum()),
        float(values.min()),
        float(values.max()),
        float(absolute.sum(dtype=numpy.float64)),
        float(numpy.dot(wide, wide)),
    )


def by_torch(values):
    absolute = values.abs()
    wide = values.double()
    return (
        float(wide.sum()),
        int(values.isnan().sum()),
        int((values == 0).sum()),
        int((~values.isfinite()).sum()),
        float(values.min()),
        float(values.max()),
        float(absolute.sum(dtype=torch.float64)),
        float(torch.dot(wide, wide)),
    )


def few_by_torch(values):
    return torch._foreach_norm([values]), values.isfinite().all()


def peers():
    torch.set_num_threads(1)
    values = torch.randn(ELEMENTS, generator=torch.Generator().manual_seed(7)) * 0.02
    one, other = by_torch(values), by_numpy(values.numpy())
    if not all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-6) for a, b in zip(one, other)):
        sys.exit("the peers disagree")
    size = values.numel() * values.element_size()
    return {
        "numpy": size / best(lambda: by_numpy(values.numpy())) / 1e9,
        "torch": size / best(lambda: by_torch(values)) / 1e9,
        "torch few": size / best(lambda: few_by_torch(values)) / 1e9,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--binary", type=Path, default=Path("build/release/bench/tensors/tensor_kernel")
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    done = subprocess.run([options.binary], stdout=subprocess.PIPE, text=True, check=True)
    ours = {case["case"]: case for case in map(json.loads, done.stdout.splitlines())}
    beside = peers()
    for name, case in ours.items():
        print(
            f"{name:16} {case['gb_per_s']:6.2f} GB/s, without AVX2 {case['portable_gb_per_s']:6.2f}"
        )
    for name, speed in beside.items():
        print(f"{name:16} {speed:6.2f} GB/s of float32")
    if options.json:
        options.json.write_text(json.dumps({"ours": ours, "peers": beside}, indent=1))
    if ours["float32"]["gb_per_s"] < GOAL_GB_PER_S:
        sys.exit(f"float32: below {GOAL_GB_PER_S} GB/s")


if __name__ == "__main__":
    main()
