#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`steptrace import` of a made export of Nsight Systems beside a bare SELECT of the same columns by SQLite: CPU seconds, in turn,
and the sums of both compared to the nanosecond.

usage: nsight_bench.py [KERNELS] [ROUNDS]
"""

import json
import pathlib
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile

STEPTRACE = str(pathlib.Path(sys.executable).parent / "steptrace")
COLUMNS = {
    "CUPTI_ACTIVITY_KIND_KERNEL": [
        *("start", "end", "deviceId", "streamId", "correlationId", "globalPid", "demangledName"),
        *("shortName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"),
        *("registersPerThread", "staticSharedMemory", "dynamicSharedMemory", "graphNodeId"),
    ],
    "CUPTI_ACTIVITY_KIND_RUNTIME": ["start", "end", "globalTid", "nameId", "correlationId"],
}
NAMES = 200


def make(path, kernels):
    """Kernels on four streams, and their launches."""
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)")
    database.execute("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT)")
    database.executemany(
        "INSERT INTO StringIds VALUES (?, ?)",
        [(n, f"void kernel_{n}<float, {n % 7}>(int)") for n in range(1, NAMES + 1)]
        + [(NAMES + 1, "cudaLaunchKernel_v7000")],
    )
    for table, columns in COLUMNS.items():
        rows = ", ".join(f'"{column}" INTEGER' for column in columns)
        database.execute(f"CREATE TABLE {table} ({rows})")
    process = 77 << 24
    database.executemany(
        f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({','.join('?' * 18)})",
        (
            (10_000 * n, 10_000 * n + 4_000 + n % 999, 0, 7 + n % 4, n + 1, process)
            + (1 + n % NAMES, 1, 1 + n % 50, 1, 1, 256, 1, 1, 32, 0, 1024, None)
            for n in range(kernels)
        ),
    )
    database.executemany(
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, ?)",
        (
            (10_000 * n - 5_000, 10_000 * n - 2_000, process + 5, NAMES + 1, n + 1)
            for n in range(kernels)
        ),
    )
    database.commit()
    database.close()


SELECT = """
import sqlite3, sys, json
database = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro&immutable=1", uri=True)
for table, columns in json.loads(sys.argv[2]).items():
    names = ",".join(f'"{column}"' for column in columns)
    rows = database.execute(f"SELECT {names} FROM {table}")
    while rows.fetchmany(10_000): pass
"""


def cpu_of(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def check(path, run):
    import steptrace

    slices = steptrace.open(run).to_pandas("slices")
    sums = slices.groupby("category", observed=True).dur_ns.sum()
    database = sqlite3.connect(path)
    for table, category in (("KERNEL", "kernel"), ("RUNTIME", "cuda_runtime")):
        query = f'SELECT SUM("end" - start) FROM CUPTI_ACTIVITY_KIND_{table}'
        (expected,) = database.execute(query).fetchone()
        assert sums[category] == expected, (category, sums[category], expected)


def main():
    kernels = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "made.sqlite"
        make(path, kernels)
        ours, selects = [], []
        for turn in range(rounds):
            run = str(pathlib.Path(folder) / f"run{turn}")
            ours.append(cpu_of([STEPTRACE, "import", str(path), "-o", run]))
            selects.append(cpu_of([sys.executable, "-c", SELECT, str(path), json.dumps(COLUMNS)]))
        check(path, run)
        a, b = statistics.median(ours), statistics.median(selects)
        print(f"{path.stat().st_size / 1e6:.0f} MB, {kernels} kernels and their launches")
        print(f"import {a:.2f} s of CPU, a bare SELECT in Python {b:.2f} s: {a / b:.2f} times")


main()
