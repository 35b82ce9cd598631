# SPDX-License-Identifier: Apache-2.0
"""The published rules, once more: slow, exact and of its own.

Rational numbers throughout, the whole history looked at again at every scan, no code shared with the
product. As a program it writes a set of drawn runs with what it counts in them, as steptrace_rules_test reads them.

usage: rules_reference.py FILE     writes them; the build of steptrace_rules_test does
"""

import math
import random
import sys
from collections import namedtuple
from fractions import Fraction
from pathlib import Path

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
    "LoadBalancing": {"threshold": Fraction(1, 5), "patience": 1000},
}
FRAMEWORK_PARAMETERS = {
    "Dataloader": {"min_threshold": 70, "max_threshold": 200, "patience": 10},
    "StepOutlier": {"stddev": 3, "n_outliers": 10},
    "MaxInitializationTime": {"threshold": 20},
    "OverallSystemUsage": {},
    "OverallFrameworkMetrics": {},
}

# Times in ns. `data`: how long the step waited for data. Kinds: train, warm-up, eval.
Step = namedtuple("Step", "ts dur node rank kind data")
Loading = namedtuple("Loading", "ts dur node pid")
# All that the rules look at. Samples are (ns, dimension, node, device, value).
Job = namedtuple("Job", "samples steps loadings epoch_ns", defaults=((), (), (), 0))


def quantile(values, percent):
    """By linear interpolation between the two nearest."""
    ordered = sorted(values)
    at = Fraction(percent, 100) * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def scans(samples, when):
    """The samples as each minute's scan has read them so far, from the first full minute of the job
    to its last moment. `when` is (the run's begin in UTC, first moment, last moment)."""
    epoch_ns, first, last = when
    begin = first - (epoch_ns + first) % SCAN_NS
    seen = []
    while begin <= last:
        now = [s for s in samples if begin <= s[0] <= begin + SCAN_NS]
        seen = seen + now  # a sample at a boundary is read twice
        yield now, seen
        begin += SCAN_NS


def of(seen, dimension):
    """Values by (node, device)."""
    found = {}
    for _, dim, node, device, value in seen:
        if dim == dimension:
            found.setdefault((node, device), []).append(value)
    return found


def low_gpu(samples, p, when):
    triggered = datapoints = 0
    for _, seen in scans(samples, when):
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


def batch_size(samples, p, when):
    triggered = datapoints = 0
    cpu, cores = {}, set()
    for now, seen in scans(samples, when):
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


def bottleneck(samples, p, busy, limit, when):
    snapshot, datapoints, triggered = None, 0, 0
    found = set()
    for now, _ in scans(samples, when):
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


def memory_increase(samples, p, when):
    triggered = datapoints = 0
    history = {}
    w = p["window"]
    for now, _ in scans(samples, when):
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


def kullback_leibler(p, q):
    return sum(a * math.log(a / b) for a, b in zip(p, q) if a > 0)


def load_balancing(samples, p, when):
    """Only the last GPU of each node, and nothing over 98 %: what was published does no more."""
    triggered = datapoints = 0
    for _, seen in scans(samples, when):
        gpus = of(seen, "gpu")
        # As many as the GPU has that was read last.
        read = [(node, device) for _, dim, node, device, _ in seen if dim == "gpu"]
        datapoints = len(gpus[read[-1]]) if read else 0
        last = {}
        for node, device in sorted(gpus):
            if len(gpus[node, device]) > p["patience"]:
                last[node] = gpus[node, device]
        bins = {}
        for node, values in last.items():
            kept = [v for v in values if 0 <= v <= 98]
            bins[node] = [
                sum(2 * i <= v < 2 * i + 2 or (i == 48 and v == 98) for v in kept)
                for i in range(49)
            ]
        for a in last:
            for b in last:
                if a >= b or not sum(bins[a]) or not sum(bins[b]):
                    continue
                middle = [(x + y) / 2 for x, y in zip(bins[a], bins[b])]
                m = [x / sum(middle) for x in middle]
                p_a = [x / sum(bins[a]) for x in bins[a]]
                p_b = [x / sum(bins[b]) for x in bins[b]]
                divergence = (kullback_leibler(p_a, m) + kullback_leibler(p_b, m)) / 2
                triggered += math.sqrt(max(0.0, divergence)) > p["threshold"]
    return triggered, datapoints


def moments(job):
    """When the job's first thing begins, and its last one ends."""
    events = [*job.steps, *job.loadings]
    begins = [s[0] for s in job.samples] + [e.ts for e in events]
    ends = [s[0] for s in job.samples] + [e.ts + e.dur for e in events]
    return job.epoch_ns, min(begins), max(ends)


def job_scans(job):
    """(begin, samples, steps, loadings) of each scan: all that touches the minute, ends included."""
    if not (job.samples or job.steps or job.loadings):
        return
    epoch_ns, first, last = moments(job)
    begin = first - (epoch_ns + first) % SCAN_NS
    while begin <= last:
        end = begin + SCAN_NS
        yield (
            begin,
            [s for s in job.samples if begin <= s[0] <= end],
            [e for e in job.steps if e.ts <= end and e.ts + e.dur >= begin],
            [e for e in job.loadings if e.ts <= end and e.ts + e.dur >= begin],
        )
        begin += SCAN_NS


def dataloader(job, p):
    cores, parallel = set(), []
    datapoints = violations = 0
    for _, samples, _, loadings in job_scans(job):
        if not cores:
            cores = {device for _, dim, _, device, _ in samples if dim == "cpu"}
        seconds = {}
        for loading in loadings:
            if len(parallel) > 1000:
                parallel = []
            datapoints += 1
            seconds.setdefault((job.epoch_ns + loading.ts) // 10**9, set()).add(loading.pid)
        parallel += [len(seconds[second]) for second in sorted(seconds)]
        if not seconds or len(parallel) <= p["patience"]:
            continue
        middling = int(quantile(parallel, 50))
        violations += 100 * middling < len(cores) * p["min_threshold"]
        violations += 100 * middling > len(cores) * p["max_threshold"]
    return int(violations > 0), datapoints


def step_outlier(job, p):
    triggered = datapoints = 0
    history = {}
    for _, _, steps, _ in job_scans(job):
        for step in steps:
            datapoints += 1
            line = history.setdefault((step.node, step.rank, step.kind == "eval"), [])
            line.append(step.dur // 1000)
        for durations in history.values():
            if len(durations) <= 100:
                continue
            mean = Fraction(sum(durations), len(durations))
            variance = sum((d - mean) ** 2 for d in durations) / len(durations)
            outliers = sum(
                d > mean and (d - mean) ** 2 > p["stddev"] ** 2 * variance for d in durations
            )
            triggered += outliers > p["n_outliers"]
    return triggered, datapoints


def max_initialization(job, p):
    triggered = datapoints = 0
    first = None
    for begin, _, steps, _ in job_scans(job):
        first = begin if first is None else first
        datapoints += len(steps)
        triggered += begin - first > p["threshold"] * SCAN_NS and datapoints == 0
    return triggered, datapoints


def system_usage(job, _p):
    node, times = None, set()
    for _, samples, _, _ in job_scans(job):
        for ts, dim, of_node, _, _ in samples:
            if dim == "cpu":
                node = of_node if node is None else node
                if of_node == node:
                    times.add(ts)
    return 0, len(times)


def framework_metrics(job, _p):
    return 0, sum(len(steps) + len(loadings) for _, _, steps, loadings in job_scans(job))


SYSTEM_RULES = {
    "LowGPUUtilization": low_gpu,
    "BatchSize": batch_size,
    "CPUBottleneck": lambda s, p, when: bottleneck(s, p, "cpu", p["cpu_threshold"], when),
    "IOBottleneck": lambda s, p, when: bottleneck(s, p, "io", p["io_threshold"], when),
    "GPUMemoryIncrease": memory_increase,
    "LoadBalancing": load_balancing,
}
FRAMEWORK_RULES = {
    "Dataloader": dataloader,
    "StepOutlier": step_outlier,
    "MaxInitializationTime": max_initialization,
    "OverallSystemUsage": system_usage,
    "OverallFrameworkMetrics": framework_metrics,
}


def count_all(job, parameters=None):
    """(times triggered, data points) of all twelve, by name."""
    job = job._replace(samples=sorted(job.samples, key=lambda s: s[0]))
    parameters = parameters or {}
    found = {}
    for rule, defaults in PARAMETERS.items():
        p = {**defaults, **parameters.get(rule, {})}
        found[rule] = SYSTEM_RULES[rule](job.samples, p, moments(job)) if job.samples else (0, 0)
    for rule, defaults in FRAMEWORK_PARAMETERS.items():
        found[rule] = FRAMEWORK_RULES[rule](job, {**defaults, **parameters.get(rule, {})})
    found["ProfilerReport"] = sum(t > 0 for t, _ in found.values()), len(found)
    return found


def count(rule, samples, parameters):
    """(times triggered, data points) of a rule on system metrics, of a job of samples alone."""
    job = Job(sorted(samples, key=lambda s: s[0]))
    p = {**PARAMETERS[rule], **parameters}
    return SYSTEM_RULES[rule](job.samples, p, moments(job)) if samples else (0, 0)


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
    "LoadBalancing": {"patience": 30},
    "Dataloader": {"patience": 5},
    "StepOutlier": {"n_outliers": 1},
    "MaxInitializationTime": {"threshold": Fraction(1, 2)},
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


def draw_training(seed):
    """Steps and loadings beside: some long steps, some waits, an evaluation now and then; a late
    begin or a training that ends before its samples do."""
    rng = random.Random(1000 + seed)
    steps, loadings = [], []
    for rank in range(rng.choice([1, 2])):
        at = rng.choice([0, 3, 70, 130]) * 10**9 + rng.randint(0, 10**9)
        usual = rng.randint(200, 400) * 10**6
        for number in range(rng.choice([20, 110, 160])):
            dur = usual + rng.randint(0, 20) * 10**6
            if rng.random() < 0.02:
                dur *= rng.choice([2, 5])
            kind = "warm-up" if number < 3 else "eval" if number % 50 == 49 else "train"
            data = dur * rng.choice([0, 1, 1, 3, 8]) // 10
            steps.append(Step(at, dur, 0, rank, kind, data))
            at += dur + rng.choice([0, 0, 5 * 10**6])
    for pid in range(rng.randint(0, 4)):
        for second in range(rng.randint(5, 100)):
            begin = second * 10**9 + rng.randint(0, 10**9)
            loadings.append(Loading(begin, rng.randint(1, 3 * 10**8), 0, pid))
    return steps, loadings


def drawn_job(seed):
    series = draw(seed)
    samples = [
        (ts, dim, node, device, value)
        for (dim, node, device), points in series.items()
        for ts, value in points
    ]
    return series, Job(samples, *draw_training(seed))


def series_lines(series):
    for (dim, node, device), points in series.items():
        # A fraction of hundredths prints as the decimal that it is.
        values = " ".join(f"{ts}:{float(value):g}" for ts, value in points)
        yield f"{dim} node={node} device={device} {values}"


def training_lines(job):
    for step in job.steps:
        yield (
            f"steps 1 at={step.ts}ns dur={step.dur}ns node={step.node} rank={step.rank}"
            f" kind={step.kind} data={step.data}ns"
        )
    for one in job.loadings:
        yield f"loaders 1 at={one.ts}ns dur={one.dur}ns node={one.node} pid={one.pid}"


def set_lines(parameters):
    for rule, values in parameters.items():
        for name, value in values.items():
            yield f"set {rule}.{name}={float(value):g}"


def case_text(seed):
    series, job = drawn_job(seed)
    lines = [f"case drawn with seed {seed}"]
    lines += [*series_lines(series), *training_lines(job), *set_lines(SMALL)]
    for rule, (triggered, datapoints) in count_all(job, SMALL).items():
        status = "issues_found" if triggered else "ok"
        lines.append(f"expect {rule} {status} triggered={triggered} datapoints={datapoints}")
    return "\n".join(lines) + "\n"


def all_cases():
    return "\n".join(case_text(seed) for seed in range(6))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Path(sys.argv[1]).write_text(all_cases(), encoding="utf-8")
