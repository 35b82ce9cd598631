# SPDX-License-Identifier: Apache-2.0
"""The published rules on system metrics, once more: slow, exact and of its own.

Rational numbers throughout, the whole history looked at again at every scan, no code shared with the
product. `tests/data/rules/reference.cases` is a set of drawn runs with what this file counts in them.

usage: rules_reference.py --write     renew that file
"""

import random
import sys
from fractions import Fraction
from pathlib import Path

CASES = Path(__file__).resolve().parents[1] / "data" / "rules" / "reference.cases"
SCAN_NS = 60 * 10**9
SNAPSHOT_NS = 20 * 10**6

PARAMETERS = {
    "LowGPUUtilization": {"threshold_p95": 70, "threshold_p5": 10, "window": 500, "patience": 1000},
    "BatchSize": {
        "cpu_threshold_p95": 70,
        "gpu_threshold_p95": 70,
        "gpu_memory_threshold_p95": 70,
        "patience": 1000,
        "window": 500,
    },
    "CPUBottleneck": {
        "threshold": 50,
        "gpu_threshold": 10,
        "cpu_threshold": 90,
        "patience": 1000,
    },
    "IOBottleneck": {"threshold": 50, "gpu_threshold": 10, "io_threshold": 50, "patience": 1000},
    "GPUMemoryIncrease": {"increase": 5, "patience": 1000, "window": 10},
}


def quantile(values, percent):
    """By linear interpolation between the two nearest."""
    ordered = sorted(values)
    at = Fraction(percent, 100) * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def scans(samples, epoch_ns=0):
    """The samples as each minute's scan has read them so far, from the first one's full minute."""
    first = min(s[0] for s in samples)
    last = max(s[0] for s in samples)
    begin = first - (epoch_ns + first) % SCAN_NS
    seen = []
    while begin <= last:
        now = [s for s in samples if begin <= s[0] <= begin + SCAN_NS]
        seen = seen + now  # a sample at a border is read twice
        yield now, seen
        begin += SCAN_NS


def of(seen, dimension):
    """Values by (node, device)."""
    found = {}
    for _, dim, node, device, value in seen:
        if dim == dimension:
            found.setdefault((node, device), []).append(value)
    return found


def low_gpu(samples, p, epoch_ns=0):
    triggered = datapoints = 0
    for _, seen in scans(samples, epoch_ns):
        gpus = of(seen, "gpu")
        for key in sorted(gpus):
            values = gpus[key]
            datapoints = len(values)
            if len(values) <= p["patience"]:
                continue
            last = values[-p["window"] :]
            p95, p5 = quantile(last, 95), quantile(last, 5)
            under = p95 < p["threshold_p95"]
            fluctuates = p95 > p["threshold_p95"] and p5 < p["threshold_p5"]
            triggered += under or fluctuates
    return triggered, datapoints


def batch_size(samples, p, epoch_ns=0):
    triggered = datapoints = 0
    cpu, cores = {}, set()
    for now, seen in scans(samples, epoch_ns):
        total = {}
        for ts, dim, node, device, value in now:
            if dim == "cpu":
                cores.add(device)
                total[node, ts] = total.get((node, ts), 0) + value
        for node, ts in sorted(total):
            cpu.setdefault(node, []).append(Fraction(total[node, ts]) / len(cores))
        gpus, memory = of(seen, "gpu"), of(seen, "gpu_memory")
        for node in sorted(cpu):
            datapoints = len(cpu[node])
            if datapoints <= p["window"] or datapoints <= p["patience"]:
                continue
            if quantile(cpu[node][-p["window"] :], 95) >= p["cpu_threshold_p95"]:
                continue
            for key in gpus:
                if key[0] != node or len(gpus[key]) <= p["window"] or key not in memory:
                    continue
                gpu_p95 = quantile(gpus[key][-p["window"] :], 95)
                memory_p95 = quantile(memory[key][-p["window"] :], 95)
                triggered += (
                    gpu_p95 < p["gpu_threshold_p95"] and memory_p95 < p["gpu_memory_threshold_p95"]
                )
    return triggered, datapoints


def bottleneck(samples, p, busy, limit, epoch_ns=0):
    snapshot, datapoints, triggered = None, 0, 0
    found = set()
    for now, _ in scans(samples, epoch_ns):
        idle, high = set(), set()
        for ts, dim, _node, _device, value in now:
            if snapshot is None or abs(ts - snapshot) > SNAPSHOT_NS:
                snapshot = ts
                datapoints += 1
            if dim == "gpu" and value < p["gpu_threshold"]:
                idle.add(snapshot)
            elif dim == busy and value > limit:
                high.add(snapshot)
        found |= idle & high
        if datapoints > p["patience"] and 100 * len(found) > p["threshold"] * datapoints:
            triggered += 1
    return triggered, datapoints


def memory_increase(samples, p, epoch_ns=0):
    triggered = datapoints = 0
    history = {}
    w = p["window"]
    for now, _ in scans(samples, epoch_ns):
        for _ts, dim, node, device, value in now:
            if dim != "gpu_memory":
                continue
            values = history.setdefault((node, device), [])
            values.append(value)
            datapoints = len(values)
            if len(values) <= w + 1:
                continue
            older = values[-w - 1 : -2]
            growth = Fraction(sum(values[-w:])) / w - Fraction(sum(older)) / len(older)
            triggered += growth > p["increase"] and len(values) > p["patience"]
    return triggered, datapoints


def count(rule, samples, parameters, epoch_ns=0):
    """(times triggered, data points) of a rule; samples are (ns, dimension, node, device, value)."""
    samples = sorted(samples, key=lambda s: s[0])
    p = {**PARAMETERS[rule], **parameters}
    if not samples:
        return 0, 0
    if rule == "LowGPUUtilization":
        return low_gpu(samples, p, epoch_ns)
    if rule == "BatchSize":
        return batch_size(samples, p, epoch_ns)
    if rule == "CPUBottleneck":
        return bottleneck(samples, p, "cpu", p["cpu_threshold"], epoch_ns)
    if rule == "IOBottleneck":
        return bottleneck(samples, p, "io", p["io_threshold"], epoch_ns)
    return memory_increase(samples, p, epoch_ns)


SMALL = {
    "LowGPUUtilization": {"window": 20, "patience": 30},
    "BatchSize": {
        "window": 20,
        "patience": 30,
        "cpu_threshold_p95": 97,
        "gpu_threshold_p95": 80,
        "gpu_memory_threshold_p95": 99,
    },
    "CPUBottleneck": {"patience": 30, "threshold": 25},
    "IOBottleneck": {"patience": 30, "threshold": 25},
    "GPUMemoryIncrease": {"patience": 30, "window": 5, "increase": 2},
}


def draw(seed):
    """A run of some minutes: two nodes or one, values of two decimals, samples that jitter."""
    rng = random.Random(seed)
    nodes, gpus, cores = rng.choice([(1, 1), (1, 2), (2, 2)]) + (rng.choice([1, 2]),)
    ticks, every = rng.randint(60, 150), rng.choice([1, 2]) * 10**9
    series = {}
    for node in range(nodes):
        for dim, devices in (("gpu", gpus), ("gpu_memory", gpus), ("cpu", cores), ("io", cores)):
            for device in range(devices):
                level = rng.choice([3, 30, 75, 95])
                points = []
                for tick in range(ticks):
                    if rng.random() < 0.05:
                        level = rng.choice([3, 30, 75, 95])
                    hundredths = min(10000, max(0, level * 100 + rng.randint(-500, 500)))
                    # CPU times agree within a node: their sum is taken at equal times.
                    jitter = 0 if dim == "cpu" else rng.randint(0, 25) * 10**6
                    points.append((1_000_000 + tick * every + jitter, Fraction(hundredths, 100)))
                series[dim, node, device] = points
    return series


def case_text(seed):
    series = draw(seed)
    samples = [
        (ts, dim, node, device, value)
        for (dim, node, device), points in series.items()
        for ts, value in points
    ]
    lines = [f"case drawn with seed {seed}"]
    for (dim, node, device), points in series.items():
        # A fraction of hundredths prints as the decimal that it is.
        values = " ".join(f"{ts}:{float(value):g}" for ts, value in points)
        lines.append(f"{dim} node={node} device={device} {values}")
    for rule, parameters in SMALL.items():
        lines += [f"set {rule}.{name}={value}" for name, value in parameters.items()]
        triggered, datapoints = count(rule, samples, parameters)
        status = "issues_found" if triggered else "ok"
        lines.append(f"expect {rule} {status} triggered={triggered} datapoints={datapoints}")
    return "\n".join(lines) + "\n"


def all_cases():
    head = "# From tests/profiles/rules_reference.py --write; do not edit.\n\n"
    return head + "\n".join(case_text(seed) for seed in range(6))


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    CASES.write_text(all_cases(), encoding="utf-8")
