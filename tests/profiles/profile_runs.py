# SPDX-License-Identifier: Apache-2.0
"""Runs the steptrace under test on profiles, real and made."""

import csv
import json
import os
import pathlib
import subprocess
import sys

import pytest
from real_profiles import KINETO

ROOT = pathlib.Path(__file__).resolve().parents[2]


def binary():
    """The steptrace that is under test: STEPTRACE_BIN, the package's, or the newest build's."""
    if os.environ.get("STEPTRACE_BIN"):
        return os.environ["STEPTRACE_BIN"]
    installed = pathlib.Path(sys.executable).parent / "steptrace"
    if installed.exists():
        return str(installed)
    built = sorted(ROOT.glob("build/*/bin/steptrace"), key=lambda p: p.stat().st_mtime)
    if not built:
        pytest.skip("no steptrace was built; run `make build`")
    return str(built[-1])


def steptrace(*arguments, fails=False):
    done = subprocess.run([binary(), *map(str, arguments)], capture_output=True, check=False)
    if fails:
        assert done.returncode == 2, done.stdout
        return done.stderr.decode()
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def shared(*names):
    """Real profiles; the test is skipped where they are absent."""
    paths = [KINETO / name for name in names]
    for path in paths:
        if not path.exists():
            pytest.skip(f"{path}: no such profile here")
    return paths


def imported(folder, *paths):
    run = folder / "run"
    steptrace("import", *paths, "-o", run)
    return run


def section(run, name):
    return json.loads(steptrace("report", run, "--section", name, "--json"))


def table(run, name, folder):
    path = folder / f"{name}.csv"
    steptrace("export", run, "--format", "csv", "--table", name, "-o", path)
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def made_ranks(folder):
    """Two ranks of three steps, whose second one loads for long; 1 ns is 0.001 us in the file."""
    paths = []
    for rank in (0, 1):
        events = []
        for step in range(3):
            at = step * 1000
            data = 100 + 250 * rank
            launch = at + data
            number = 10 * step + 1
            group = {
                "Collective name": "allreduce",
                "Process Group Name": "0",
                "Process Group Ranks": "[0, 1]",
                "Group size": 2,
                "dtype": "Float",
                "In msg nelems": 250,
                "Out msg nelems": 250,
            }
            host = {"pid": 50 + rank, "tid": 50 + rank}
            device = {"pid": rank, "tid": 7}
            events += [
                event("user_annotation", f"ProfilerStep#{step}", at, at + 1000, host),
                event(
                    "user_annotation",
                    "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                    at,
                    launch,
                    host,
                ),
                event("cpu_op", "aten::mm", launch, launch + 50, host, {"External id": number}),
                event(
                    "cuda_runtime",
                    "cudaLaunchKernel",
                    launch + 5,
                    launch + 15,
                    host,
                    {"correlation": number, "External id": number},
                ),
                event("kernel", "gemm", launch + 10, launch + 110, device, {"correlation": number}),
                event(
                    "kernel",
                    "ncclDevKernel_AllReduce",
                    launch + 110,
                    at + 900,
                    {**device, "tid": 9},
                    {"correlation": number + 1, **group},
                ),
            ]
        path = folder / f"made{rank}.json"
        path.write_text(
            json.dumps(
                {
                    "schemaVersion": 1,
                    "baseTimeNanoseconds": 1_700_000_000_000_000_000,
                    "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": 2},
                    "traceEvents": events,
                }
            )
        )
        paths.append(path)
    return paths


def event(category, name, begin_ns, end_ns, where, args=None):
    device = {"device": where["pid"], "stream": where["tid"]} if category == "kernel" else {}
    return {
        "ph": "X",
        "cat": category,
        "name": name,
        **where,
        "ts": begin_ns / 1000,
        "dur": (end_ns - begin_ns) / 1000,
        "args": {**device, **(args or {})},
    }
