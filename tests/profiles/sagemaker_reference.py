# SPDX-License-Identifier: Apache-2.0
"""A slow, exact reader of SageMaker Debugger's files, sharing no code with the product: Python's json
and marshal, numbers as decimals. What `steptrace import` stores is compared with it."""

import collections
import gzip
import json
import marshal
import math
import pathlib
import re
from decimal import Decimal
from fractions import Fraction

Sample = collections.namedtuple("Sample", "node metric device ts value")
Event = collections.namedtuple("Event", "name ts dur step")

PERCENT = {
    "CPUUtilization": "core.busy_share",
    "I/OWaitPercentage": "core.iowait_share",
    "GPUUtilization": "gpu.utilization_share",
    "GPUMemoryUtilization": "gpu.memory_used_share",
}
BY_NAME = {
    ("", "MemoryUsedPercent"): ("memory.used_share", True),
    ("", "IOPS"): ("disk.operations_per_s", False),
    ("", "ReadThroughputInBytesPerSecond"): ("disk.read_bytes_per_s", False),
    ("", "WriteThroughputInBytesPerSecond"): ("disk.write_bytes_per_s", False),
    ("Algorithm", "ReceiveBytesPerSecond"): ("network.receive_bytes_per_s", False),
    ("Algorithm", "TransmitBytesPerSecond"): ("network.send_bytes_per_s", False),
    ("Platform", "ReceiveBytesPerSecond"): ("network.platform_receive_bytes_per_s", False),
    ("Platform", "TransmitBytesPerSecond"): ("network.platform_send_bytes_per_s", False),
}


def rounded(number):
    """The nearest whole number; a half goes away from zero."""
    number = Fraction(number)
    half = Fraction(1, 2)
    return math.floor(number + half) if number >= 0 else -math.floor(-number + half)


def samples(path):
    """The samples of one file of system metrics, and how many lines are none."""
    found, bad = [], 0
    for line in pathlib.Path(path).read_text().splitlines():
        try:
            row = json.loads(line, parse_float=Decimal, parse_int=Decimal)
        except ValueError:
            bad += 1
            continue
        if row["Dimension"] in PERCENT:
            metric, percent = PERCENT[row["Dimension"]], True
            device = int(re.fullmatch(r"[a-z]+(\d+)", row["Name"])[1])
        else:
            metric, percent = BY_NAME[row["Dimension"], row["Name"]]
            device = None
        value = float(row["Value"].scaleb(-2) if percent else row["Value"])
        found.append(
            Sample(row["NodeId"], metric, device, rounded(row["Timestamp"] * 10**9), value)
        )
    return found, bad


def core_means(found):
    """The node's share from its cores', at moments at which all were read."""
    cores = {s.device for s in found if s.metric == "core.busy_share"}
    at = collections.defaultdict(dict)
    for s in found:
        if s.metric == "core.busy_share":
            at[s.ts][s.device] = s.value
    means = {}
    for ts, values in at.items():
        if set(values) == cores:
            total = 0.0
            for core in sorted(values):
                total += values[core]
            means[ts] = total / len(values)
    return means


def objects(path):
    path = pathlib.Path(path)
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.name.endswith(".gz") else raw).decode()
    try:
        whole = json.loads(text, parse_float=Fraction)
    except ValueError:  # the bracket is missing
        whole = json.loads(text.rstrip().rstrip(",") + "]", parse_float=Fraction)
    return whole["traceEvents"] if isinstance(whole, dict) else whole


def events(path, base_us=0):
    """The events of one file, ends joined to begins; times since 1970 where the file has a base."""
    found, open_ranges = [], collections.defaultdict(list)
    for row in objects(path):
        phase, args = row.get("ph"), row.get("args") or {}
        if phase == "M":
            base_us = args.get("start_time_since_epoch_in_micros", base_us)
            continue
        if phase not in ("X", "B", "E", "i"):
            continue
        ts = rounded((Fraction(base_us) + Fraction(row["ts"])) * 1000)
        line = (row.get("pid", 0), row.get("tid", 0))
        step = int(args["step_num"]) if "step_num" in args else None
        if phase == "X":
            found.append(Event(row["name"], ts, rounded(Fraction(row.get("dur", 0)) * 1000), step))
        elif phase == "i":
            found.append(Event(row["name"], ts, 0, step))
        elif phase == "B":
            open_ranges[line].append((row["name"], ts, step))
        elif open_ranges[line]:
            name, begin, step = open_ranges[line].pop()
            found.append(Event(name, begin, ts - begin, step))
    unclosed = sum(len(stack) for stack in open_ranges.values())
    return found, unclosed


def python_functions(path):
    """(file, line, function) -> (calls, primitive calls, own ns, total ns, {caller: the same})."""
    with open(path, "rb") as file:
        stats = marshal.load(file)

    def times(own, total):
        return rounded(Fraction(own) * 10**9), rounded(Fraction(total) * 10**9)

    found = {}
    for key, (primitive, calls, own, total, callers) in stats.items():
        by_caller = {caller: (n, cc, *times(tt, ct)) for caller, (n, cc, tt, ct) in callers.items()}
        found[key] = (calls, primitive, *times(own, total), by_caller)
    return found
