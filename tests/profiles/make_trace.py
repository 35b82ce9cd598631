# SPDX-License-Identifier: Apache-2.0
"""Makes Kineto profiles of a data-parallel training, of any size, in each of the three dialects.

usage: make_trace.py OUT [--steps N | --bytes N] [--ranks N] [--dialect 2021|absolute|base] [--gzip]
"""

import argparse
import gzip
import json
import pathlib
import random

UTC_US = 1_700_000_000_000_000  # when the training ran
BASE_NS = 1_696_118_400_000_000_000  # baseTimeNanoseconds of the dialect that has one
LAYERS = 12
OLD_NAMES = {
    "cpu_op": "Operator",
    "user_annotation": "Operator",
    "cuda_runtime": "Runtime",
    "kernel": "Kernel",
    "gpu_memcpy": "Memcpy",
    "gpu_memset": "Memset",
}


class Writer:
    """Times are ints in ns since the training's begin; the dialect decides how they are written."""

    def __init__(self, dialect, rank):
        self.dialect = dialect
        self.rank = rank
        self.events = []
        self.pid = 4000 + rank

    def time(self, ns):
        if self.dialect == "base":
            ns += UTC_US * 1000 - BASE_NS
            return f"{ns // 1000}.{ns % 1000:03d}"
        return str(UTC_US + ns // 1000)

    def dur(self, ns):
        return f"{ns // 1000}.{ns % 1000:03d}" if self.dialect == "base" else str(ns // 1000)

    def complete(self, cat, name, pid, tid, ts, dur, args):
        old = self.dialect == "2021"
        device = cat in ("kernel", "gpu_memcpy", "gpu_memset")
        if old:
            cat = OLD_NAMES.get(cat, cat)
            tid = f"stream {tid}" if device else str(tid)
            args = {
                ("external id" if device and k == "External id" else k): v for k, v in args.items()
            }
        self.events.append(
            f'  {{\n    "ph": "X", "cat": "{cat}", "name": {json.dumps(name)}, "pid": {pid}, '
            f'"tid": {json.dumps(tid)},\n    "ts": {self.time(ts)}, "dur": {self.dur(dur)},\n'
            f'    "args": {json.dumps(args)}\n  }}'
        )

    def raw(self, event, ts):
        body = json.dumps(event)[:-1]
        self.events.append(f'  {body}, "ts": {self.time(ts)}}}')


def step(out, number, begin, rng, ids):
    """One training step; returns its end."""
    host, stream, comm = out.pid, 7, 20
    rank = out.rank
    at = begin
    device_free = begin
    out_ops = []

    def launch(op_ts, op_dur, name, kernel, dur, args, tid=stream):
        nonlocal device_free
        ids["correlation"] += 1
        correlation, external = ids["correlation"], ids["external"]
        out.complete(
            "cuda_runtime",
            "cudaLaunchKernel",
            host,
            host,
            op_ts + 2000,
            4000,
            {"External id": external, "cbid": 211, "correlation": correlation},
        )
        start = max(op_ts + 9000, device_free)
        out.complete(
            "kernel",
            kernel,
            rank % 8,
            tid,
            start,
            dur,
            {
                "External id": external,
                "queued": 0,
                "device": rank % 8,
                "context": 1,
                "stream": tid,
                "correlation": correlation,
                "registers per thread": 32,
                "shared memory": 16384,
                "blocks per SM": 1.25,
                "warps per SM": 10.0,
                "grid": [100, 1, 1],
                "block": [256, 1, 1],
                "est. achieved occupancy %": 31,
                **args,
            },
        )
        flow = {"cat": "ac2g", "name": "ac2g", "id": correlation}
        out.raw({"ph": "s", "pid": host, "tid": host, **flow}, op_ts + 2000)
        out.raw({"ph": "f", "pid": rank % 8, "tid": tid, **flow, "bp": "e"}, start)
        device_free = start + dur

    def op(name, dur, kernel=None, kernel_dur=0, args=None, flow=None):
        nonlocal at
        ids["external"] += 1
        external = ids["external"]
        out.complete(
            "cpu_op",
            name,
            host,
            host,
            at,
            dur,
            {
                "External id": external,
                "Record function id": 0,
                "Sequence number": ids["sequence"],
                "Fwd thread id": 0,
                "Input Dims": [[64, 512], [512, 512]],
                "Ev Idx": external,
                **(args or {}),
            },
        )
        if flow:
            out.raw(
                {
                    "ph": flow[0],
                    "id": flow[1],
                    "pid": host,
                    "tid": host,
                    "cat": "fwdbwd",
                    "name": "fwdbwd",
                    **({"bp": "e"} if flow[0] == "f" else {}),
                },
                at,
            )
        ids["sequence"] += 1
        if kernel:
            launch(at, dur, name, kernel, kernel_dur, {})
        out_ops.append((at, at + dur))
        at += dur + rng.randrange(500, 3000)

    ids["external"] += 1
    at += 1000
    for layer in range(LAYERS):
        op(
            "aten::linear",
            24_000,
            "ampere_sgemm_128x64_tn",
            30_123 + rng.randrange(2000),
            flow=("s", ids["flow"] + layer),
        )
        op(
            "aten::relu",
            12_000,
            "void at::native::vectorized_elementwise_kernel<4>",
            5_001 + rng.randrange(500),
        )
    for layer in reversed(range(LAYERS)):
        op("ReluBackward0", 13_000, "void at::native::vectorized_elementwise_kernel<4>", 6_007)
        op(
            "AddmmBackward0",
            26_000,
            "ampere_sgemm_128x64_nn",
            33_331 + rng.randrange(2000),
            flow=("f", ids["flow"] + layer),
        )
        if layer % 4 == 0:
            ids["collective"] += 1
            launch(
                at,
                20_000,
                "allreduce",
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
                40_017 + rank,
                {
                    "Collective name": "allreduce",
                    "In msg nelems": 262144,
                    "Out msg nelems": 262144,
                    "Group size": 8,
                    "dtype": "Float",
                    "Process Group Name": "0",
                    "Seq": ids["collective"],
                },
                comm,
            )
    ids["flow"] += LAYERS
    end = max(at, device_free) + 5_000
    out.complete(
        "user_annotation",
        f"ProfilerStep#{number}",
        host,
        host,
        begin,
        end - begin,
        {"External id": ids["external"], "Ev Idx": ids["external"]},
    )
    memory = {
        "Device Type": 1,
        "Device Id": rank % 8,
        "Addr": 140000000000000,
        "Bytes": 65536,
        "Total Allocated": 1 << 20,
        "Total Reserved": 1 << 21,
        "Ev Idx": 1,
    }
    out.raw(
        {
            "ph": "i",
            "cat": "cpu_instant_event",
            "s": "t",
            "name": "[memory]",
            "pid": host,
            "tid": host,
            "args": memory,
        },
        begin + 3_000,
    )
    return end


def head(dialect, rank, ranks):
    top = {
        "schemaVersion": 1,
        "deviceProperties": [
            {
                "id": i,
                "name": "NVIDIA A100",
                "totalGlobalMem": 42297524224,
                "computeMajor": 8,
                "computeMinor": 0,
                "maxThreadsPerMultiprocessor": 2048,
                "warpSize": 32,
                "numSms": 108,
            }
            for i in range(8)
        ],
    }
    if dialect != "2021":
        top["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": ranks}
    if dialect == "base":
        top["displayTimeUnit"] = "ms"
        top["baseTimeNanoseconds"] = BASE_NS
    return json.dumps(top)[:-1] + ',\n  "traceEvents": [\n'


def tail(out, last):
    names = [
        {"ph": "M", "name": "process_name", "pid": out.pid, "tid": 0, "args": {"name": "python"}},
        {"ph": "M", "name": "process_labels", "pid": out.pid, "tid": 0, "args": {"labels": "CPU"}},
        {
            "ph": "M",
            "name": "thread_name",
            "pid": out.pid,
            "tid": out.pid,
            "args": {"name": f"thread {out.pid} (python)"},
        },
    ]
    for event in names:
        out.raw(event, 0)
    out.raw(
        {
            "ph": "X",
            "cat": "Trace",
            "name": "PyTorch Profiler (0)",
            "pid": "Spans",
            "tid": "PyTorch Profiler",
            "dur": (last + 9_000) // 1000,
            "args": {"Op count": 0},
        },
        0,
    )
    out.raw({"ph": "i", "s": "g", "name": "Record Window End", "pid": "", "tid": ""}, last + 9_000)
    return '\n  ],\n  "traceName": "made.json"\n}\n'


def text(rank=0, ranks=1, steps=3, dialect="base", least_bytes=0):
    """A whole profile; at least so many steps, and so many bytes."""
    rng = random.Random(rank)
    ids = {"correlation": 0, "external": 0, "sequence": 0, "flow": 1, "collective": 0}
    parts = [head(dialect, rank, ranks)]
    size, number, at, first = 0, 0, 50_000, True
    while number < steps or size < least_bytes:
        out = Writer(dialect, rank)
        at = step(out, number, at, rng, ids) + 1_000
        body = ("" if first else ",\n") + ",\n".join(out.events)
        parts.append(body)
        size += len(body)
        number, first = number + 1, False
    out = Writer(dialect, rank)
    end = tail(out, at)
    return "".join(parts) + ",\n" + ",\n".join(out.events) + end


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--bytes", type=int, default=0)
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--dialect", choices=["2021", "absolute", "base"], default="base")
    parser.add_argument("--gzip", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for rank in range(options.ranks):
        whole = text(rank, options.ranks, options.steps, options.dialect, options.bytes).encode()
        path = options.out / f"rank{rank}.pt.trace.json"
        path.write_bytes(whole)
        if options.gzip:
            with gzip.open(f"{path}.gz", "wb", compresslevel=6) as packed:
                packed.write(whole)


if __name__ == "__main__":
    main()
