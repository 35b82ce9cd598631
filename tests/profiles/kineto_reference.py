# SPDX-License-Identifier: Apache-2.0
"""A slow, exact reader of Kineto and Chrome profiles, sharing no code with the product: Python's json,
times as fractions. What `steptrace import` stores is compared with it."""

import gzip
import json
import math
import pathlib
from collections import defaultdict, namedtuple
from fractions import Fraction

import stream_order

RENAMED = {
    "Operator": "cpu_op",
    "Runtime": "cuda_runtime",
    "Kernel": "kernel",
    "Memcpy": "gpu_memcpy",
    "Memset": "gpu_memset",
}
ON_DEVICE = {
    "kernel",
    "gpu_memcpy",
    "gpu_memset",
    "cuda_sync",
    "gpu_user_annotation",
    "mtia_ccp_events",
    "collective_comm",
}

ORDERED = {"kernel", "gpu_memcpy", "gpu_memset", "collective_comm"}  # one after another

Slice = namedtuple("Slice", "ts dur name category place correlation external sequence bytes")
Memory = namedtuple("Memory", "ts device address bytes allocated reserved")


def load(path):
    path = pathlib.Path(path)
    raw = path.read_bytes()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    return json.loads(raw.decode("utf-8", "replace"), strict=False, parse_float=Fraction)


def nanoseconds(us):
    """Whole ns of a number of µs, the nearest; a half goes away from zero."""
    ns = Fraction(us) * 1000
    return math.floor(ns + Fraction(1, 2)) if ns >= 0 else -math.floor(-ns + Fraction(1, 2))


def number(value):
    return None if value is None else int(value)


def place(event, category):
    """Where it happened: ("device", device, stream) or ("host", pid, tid), as texts."""
    pid, tid = str(event.get("pid", "")), str(event.get("tid", ""))
    if category in ON_DEVICE:
        return ("device", pid, tid.removeprefix("stream "))
    return ("host", pid, tid)


def category_of(event):
    category = RENAMED.get(event.get("cat", ""), event.get("cat", ""))
    if category == "cpu_op" and event["name"].startswith("ProfilerStep#"):
        category = "user_annotation"
    return category


def slices(trace):
    """All complete events, with times in ns as the file has them, but for ends that cannot be."""
    told = list(told_slices(trace))
    streams = defaultdict(list)
    for at, event in enumerate(told):
        if event.category in ORDERED and event.place[0] == "device":
            streams[event.place].append(at)
    for places in streams.values():
        works = [
            stream_order.Work(e.ts, e.ts + max(e.dur, 0), e.correlation, e.name)
            for e in map(told.__getitem__, places)
        ]
        for place, over in stream_order.bounds(works).items():
            at = places[place]
            told[at] = told[at]._replace(dur=over - told[at].ts)
    return told


def told_slices(trace):
    for event in trace["traceEvents"]:
        if event.get("ph") != "X":
            continue
        category = category_of(event)
        args = event.get("args", {})
        external = args.get("External id", args.get("external id"))
        sequence = args.get("Seq", args.get("Sequence number"))
        yield Slice(
            nanoseconds(event["ts"]),
            nanoseconds(event["dur"]),
            event["name"],
            category,
            place(event, category),
            number(args.get("correlation")),
            number(external),
            number(sequence),
            number(args.get("bytes")),
        )


def memory(trace):
    for event in trace["traceEvents"]:
        if event.get("ph") not in ("i", "I") or event.get("name") != "[memory]":
            continue
        args = event["args"]
        device = -1 if args["Device Type"] == 0 else args["Device Id"]
        yield Memory(
            nanoseconds(event["ts"]),
            device,
            args.get("Addr", 0),
            args["Bytes"],
            args.get("Total Allocated"),
            args.get("Total Reserved"),
        )


def epoch(traces):
    """The earliest event of all but the profiler's own marks."""

    def times(trace):
        for event in slices(trace):
            if event.category != "Trace":
                yield event.ts
        for event in memory(trace):
            yield event.ts

    return min(min(times(trace)) for trace in traces)
