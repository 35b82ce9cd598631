#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`steptrace import` of a made XPlane profile: megabytes of it a second of CPU, where the budget is 200, with its sums compared
to the nanosecond; where the package `xprof` is installed, beside its own kernel statistics of the same file.

usage: xplane_bench.py [KERNELS] [ROUNDS]
"""

import importlib.util
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

STEPTRACE = str(pathlib.Path(sys.executable).parent / "steptrace")
NAMES = 200
LAUNCHES = 50  # texts of launch configurations
STREAMS = 4


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def names(field, texts):
    entries = (
        number(1, key) + message(2, number(1, key) + message(2, text.encode()))
        for key, text in enumerate(texts, 1)
    )
    return b"".join(message(field, entry) for entry in entries)


def line(key, name, events):
    body = number(1, key) + message(2, name.encode()) + number(3, 1_000_000)
    return message(3, body + b"".join(message(4, event) for event in events))


def duration_ns(kernel):
    return 4_000 + kernel % 999


def kernel_of(n):
    correlation = message(4, number(1, 1) + number(4, n + 1))
    launch = message(4, number(1, 2) + number(7, 5 + n % LAUNCHES))
    operation = message(4, number(1, 3) + number(7, 5 + LAUNCHES + n % NAMES))
    begin, duration = n * 10_000_000, duration_ns(n) * 1000
    own = number(1, 1 + n % NAMES) + number(2, begin) + number(3, duration)
    return own + correlation + launch + operation


def call_of(n):
    correlation = message(4, number(1, 1) + number(4, n + 1))
    return number(1, 1) + number(2, n * 10_000_000 + 5_000_000) + number(3, 3_000_000) + correlation


def make(path, kernels):
    """Kernels on four streams, and their launches."""
    gpu = message(2, b"/device:GPU:0")
    for stream in range(STREAMS):
        events = (kernel_of(n) for n in range(stream, kernels, STREAMS))
        gpu += line(7 + stream, f"Stream #{7 + stream}(Compute)", events)
    gpu += names(4, [f"loop_fusion_{n}" for n in range(NAMES)])
    launches = [f"regs:32 grid:{n + 1},1,1 block:256,1,1 occ_pct:50" for n in range(LAUNCHES)]
    operations = [f"fusion.{n}" for n in range(NAMES)]
    stats = ["correlation_id", "kernel_details", "hlo_op", "unused"]
    gpu += names(5, stats + launches + operations)
    host = message(2, b"/host:CPU") + line(7, "python", map(call_of, range(kernels)))
    host += names(4, ["cuLaunchKernel"]) + names(5, ["correlation_id"])
    path.write_bytes(message(1, gpu) + message(1, host))


def cpu_of(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def check(run, kernels):
    import steptrace

    slices = steptrace.open(run).to_pandas("slices")
    sums = slices.groupby("category", observed=True).dur_ns.sum()
    assert sums["kernel"] == sum(map(duration_ns, range(kernels)))
    assert sums["cuda_runtime"] == kernels * 3_000


PEER = """
import sys
from xprof.convert import raw_to_tool_data
raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], "kernel_stats", {"use_saved_result": False})
"""


def main():
    kernels = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    has_peer = importlib.util.find_spec("xprof") is not None
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "plugins" / "profile" / "2026_01_01_00_00_00" / "vm.xplane.pb"
        path.parent.mkdir(parents=True)
        make(path, kernels)
        ours, peers = [], []
        for turn in range(rounds):
            run = str(pathlib.Path(folder) / f"run{turn}")
            ours.append(cpu_of([STEPTRACE, "import", str(path), "-o", run]))
            if has_peer:
                peers.append(cpu_of([sys.executable, "-c", PEER, str(path)]))
        check(run, kernels)
        megabytes = path.stat().st_size / 1e6
        seconds = statistics.median(ours)
        print(f"{megabytes:.0f} MB, {kernels} kernels and their launches")
        print(f"import {seconds:.2f} s of CPU: {megabytes / seconds:.0f} MB/s")
        if has_peer:
            print(f"xprof's kernel statistics of it: {statistics.median(peers):.2f} s of CPU")


main()
