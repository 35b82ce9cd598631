# SPDX-License-Identifier: Apache-2.0
"""The rules of the mode `modern` (docs/reference/rules.md), once more: slow, exact and of its own.

Rational numbers but for logarithms, no code shared with the product. The file
As a program it writes a set of drawn runs with what it counts in them, as steptrace_rules_test reads them.

usage: modern_rules_reference.py FILE     writes them; the build of steptrace_rules_test does
"""

import math
import random
import sys
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import rules_reference as compat
from rules_reference import quantile

SNAPSHOT_NS = compat.SNAPSHOT_NS

PARAMETERS = {
    "LowGPUUtilization": {"threshold_p95": 70, "threshold_p5": 10, "window": 500, "patience": 60},
    "BatchSize": {
        "cpu_threshold_p95": 70,
        "gpu_threshold_p95": 70,
        "gpu_memory_threshold_p95": 70,
        "patience": 60,
        "window": 500,
    },
    "CPUBottleneck": {
        "threshold": 50,
        "gpu_threshold": 10,
        "cpu_threshold": 90,
        "patience": 60,
        "window": 120,
        "max_wait": 50,
    },
    "IOBottleneck": {
        "threshold": 50,
        "gpu_threshold": 10,
        "io_threshold": 50,
        "patience": 60,
        "window": 120,
    },
    "GPUMemoryIncrease": {"increase": 5, "patience": 60, "window": 1200},
    "LoadBalancing": {"threshold": Fraction(1, 5), "patience": 120},
    "Dataloader": {"max_threshold": 200, "patience": 10, "window": 100, "max_wait": 20},
    "StepOutlier": {"stddev": 5, "n_outliers": 3, "rate": 1, "lost": 5},
    "MaxInitializationTime": {"threshold": 20},
    "OverallSystemUsage": {},
    "OverallFrameworkMetrics": {},
}
NOT_APPLICABLE = "not_applicable"


def windows(values, size, least):
    """Cut into windows; what is left at the end joins the last one if it is shorter than `least`."""
    cut = [values[i : i + size] for i in range(0, len(values), size)]
    if len(cut) > 1 and len(cut[-1]) < min(size, max(least, 1)):
        cut[-2:] = [cut[-2] + cut[-1]]
    return cut


class Run:
    """A job as the rules see it: samples in the stretch that trains, by (dimension, node, device)."""

    def __init__(self, job, workers=None, cpus=0):
        self.job, self.workers, self.cpus = job, workers, cpus
        trains = [s for s in job.steps if s.kind != "eval"]
        self.begin = min((s.ts for s in trains), default=None)
        end = max((s.ts + s.dur for s in trains), default=None)
        self.lines = {}
        for ts, dim, node, device, value in sorted(job.samples, key=lambda s: s[0]):
            if self.begin is None or self.begin <= ts < end:
                self.lines.setdefault((dim, node, device), []).append((ts, value))

    def of(self, dimension):
        return [self.lines[key] for key in sorted(self.lines) if key[0] == dimension]

    def keys(self, dimension):
        return sorted(key[1:] for key in self.lines if key[0] == dimension)

    def snapshots(self, node):
        """[(time, {dimension: values})]: what was read within 20 ms of the first."""
        samples = sorted(
            (ts, key[0], value)
            for key, line in self.lines.items()
            if key[1] == node
            for ts, value in line
        )
        found = []
        for ts, dimension, value in samples:
            if not found or ts - found[-1][0] > SNAPSHOT_NS:
                found.append((ts, {}))
            found[-1][1].setdefault(dimension, []).append(value)
        return found

    def nodes(self):
        return sorted({key[1] for key in self.lines})


def mean(values):
    return sum(values, Fraction(0)) / len(values)


def low_gpu(run, p):
    gpus = run.of("gpu")
    if not gpus:
        return NOT_APPLICABLE, 0, 0
    datapoints = sum(map(len, gpus))
    judged = [[v for _, v in gpu] for gpu in gpus if len(gpu) > p["patience"]]
    triggered = 0
    for values in judged:
        if max(values) <= 0:
            triggered += 1
            continue
        for window in windows(values, p["window"], p["patience"]):
            low = quantile(window, 95) < p["threshold_p95"]
            triggered += low or quantile(window, 5) < p["threshold_p5"]
    return status_of(judged, triggered), triggered, datapoints


def status_of(judged, triggered):
    if not judged:
        return NOT_APPLICABLE
    return "issues_found" if triggered else "ok"


def batch_size(run, p):
    gpus = run.keys("gpu")
    if not gpus:
        return NOT_APPLICABLE, 0, 0
    if not run.of("gpu_memory") or not run.of("cpu"):
        return NOT_APPLICABLE, 0, 0
    triggered = datapoints = 0
    judged = []
    for node, device in gpus:
        gpu, memory = run.lines["gpu", node, device], run.lines.get(("gpu_memory", node, device))
        datapoints += len(gpu)
        cpu = [(ts, mean(of["cpu"])) for ts, of in run.snapshots(node) if "cpu" in of]
        if memory is None or not cpu or len(gpu) <= p["patience"]:
            continue
        judged.append(gpu)
        for window in windows(gpu, p["window"], p["patience"]):
            begin, end = window[0][0] - SNAPSHOT_NS, window[-1][0] + SNAPSHOT_NS
            beside = [[v for ts, v in line if begin <= ts <= end] for line in (cpu, memory)]
            triggered += (
                all(beside)
                and quantile(beside[0], 95) < p["cpu_threshold_p95"]
                and quantile([v for _, v in window], 95) < p["gpu_threshold_p95"]
                and quantile(beside[1], 95) < p["gpu_memory_threshold_p95"]
            )
    return status_of(judged, triggered), triggered, datapoints


def wait_at(run, node, ts):
    """Share of the step of the node that goes on then, in per cent."""
    later = [s for s in run.job.steps if s.node == node and s.dur > 0 and s.ts + s.dur > ts]
    if not later:
        return 0
    step = min(later, key=lambda s: s.ts + s.dur)
    return 0 if step.ts > ts else Fraction(100 * min(step.data, step.dur), step.dur)


def bottleneck(run, p, dimension):
    if not run.of("gpu") or not run.of(dimension):
        return NOT_APPLICABLE, 0, 0
    triggered = datapoints = 0
    judged = []
    for node in run.nodes():
        snapshots = [(ts, of) for ts, of in run.snapshots(node) if "gpu" in of]
        datapoints += len(snapshots)
        if len(snapshots) <= p["patience"]:
            continue
        judged.append(node)
        for window in windows(snapshots, p["window"], p["patience"]):
            found = 0
            for ts, of in window:
                if mean(of["gpu"]) >= p["gpu_threshold"]:
                    continue
                if dimension == "cpu":
                    busy = "cpu" in of and mean(of["cpu"]) > p["cpu_threshold"]
                    found += busy or wait_at(run, node, ts) > p["max_wait"]
                else:
                    found += sum(of.get("io", [])) > p["io_threshold"]
            triggered += 100 * found > p["threshold"] * len(window)
    return status_of(judged, triggered), triggered, datapoints


def slope(values):
    """The median of the slopes between the medians of at most 60 blocks (Theil, Sen)."""
    blocks = min(60, len(values))
    if blocks < 2:
        return 0
    points = []
    for i in range(blocks):
        begin, end = i * len(values) // blocks, (i + 1) * len(values) // blocks
        points.append((Fraction(begin + end - 1, 2), quantile(values[begin:end], 50)))
    slopes = [
        Fraction(y2 - y1) / (x2 - x1)
        for i, (x1, y1) in enumerate(points)
        for x2, y2 in points[i + 1 :]
    ]
    return quantile(slopes, 50)


def memory_increase(run, p):
    lines = run.of("gpu_memory")
    datapoints = sum(map(len, lines))
    judged = [[v for _, v in line] for line in lines if len(line) > p["patience"]]
    triggered = sum(
        slope(window) * (len(window) - 1) > p["increase"]
        for values in judged
        for window in windows(values, p["window"], p["patience"])
    )
    return status_of(judged, triggered), triggered, datapoints


def use_distance(a, b):
    """Root of the Jensen-Shannon divergence of histograms to 100 %, less what chance gives."""
    bins = [
        [Fraction(sum(min(int(v / 2), 49) == i for v in values), len(values)) for i in range(50)]
        for values in (a, b)
    ]
    middle = [(x + y) / 2 for x, y in zip(*bins)]
    divergence = sum(
        float(x) * math.log(x / m) / 2 for side in bins for x, m in zip(side, middle) if x > 0
    )
    used = sum(m > 0 for m in middle)
    return math.sqrt(max(0.0, divergence - (used - 1) / (4 * min(len(a), len(b)))))


def turn_distance(a, b):
    """How much two GPUs differ at the same moments, where one is busy when the other is not."""
    pairs, at = [], 0
    for ts, value in a:
        while at < len(b) and b[at][0] < ts - SNAPSHOT_NS:
            at += 1
        if at < len(b) and b[at][0] <= ts + SNAPSHOT_NS:
            pairs.append((value, b[at][1]))
    if not pairs:
        return 0
    mean_x, mean_y = mean([x for x, _ in pairs]), mean([y for _, y in pairs])
    if sum((x - mean_x) * (y - mean_y) for x, y in pairs) >= 0:
        return 0
    return mean([abs(x - y) / 100 for x, y in pairs])


def load_balancing(run, p):
    gpus = run.of("gpu")
    if len(gpus) < 2:
        return NOT_APPLICABLE, 0, 0
    datapoints = sum(map(len, gpus))
    judged = [gpu for gpu in gpus if len(gpu) > p["patience"]]
    if len(judged) < 2:
        return NOT_APPLICABLE, 0, datapoints
    triggered = 0
    for i, a in enumerate(judged):
        for b in judged[i + 1 :]:
            use = use_distance([v for _, v in a], [v for _, v in b])
            triggered += max(use, turn_distance(a, b)) > p["threshold"]
    return status_of(judged, triggered), triggered, datapoints


def dataloader(run, p):
    ranks = {}
    for step in sorted(run.job.steps, key=lambda s: s.ts):
        if step.kind == "train":
            ranks.setdefault(step.rank, []).append(step)
    datapoints = sum(map(len, ranks.values()))
    judged = [steps for steps in ranks.values() if len(steps) > p["patience"]]
    triggered = sum(
        100 * sum(s.data for s in window) > p["max_wait"] * sum(s.dur for s in window)
        for steps in judged
        for window in windows(steps, p["window"], p["patience"])
    )
    loads = run.workers is not None or any(s.data for steps in ranks.values() for s in steps)
    if not loads or not judged:
        return NOT_APPLICABLE, triggered, datapoints
    if run.workers is not None:
        cores = run.cpus or len({d for node, d in run.keys("cpu") if node == run.nodes()[0]})
        triggered += cores > 0 and 100 * run.workers > cores * p["max_threshold"]
    return status_of(judged, triggered), triggered, datapoints


def nearest_median(values):
    return sorted(values)[(len(values) - 1) // 2]


def step_outlier(run, p):
    groups = {}
    for step in run.job.steps:
        if step.kind != "warm-up":
            groups.setdefault((step.rank, step.kind == "eval"), []).append(step.dur)
    datapoints = sum(map(len, groups.values()))
    judged = [durations for durations in groups.values() if len(durations) >= 30]
    triggered = 0
    for durations in judged:
        median = nearest_median(durations)
        spread = nearest_median([abs(d - median) for d in durations])
        deviation = max(Fraction("1.4826") * spread, Fraction("0.03") * median)
        limit = median + int(p["stddev"] * deviation)
        outliers = [d for d in durations if d > limit]
        often = len(outliers) > p["n_outliers"]
        often = often and 100 * len(outliers) > p["rate"] * len(durations)
        cost = 100 * sum(d - median for d in outliers) > p["lost"] * sum(durations)
        triggered += often or cost
    return status_of(judged, triggered), triggered, datapoints


def max_initialization(run, p):
    if run.begin is None:
        return NOT_APPLICABLE, 0, len(run.job.steps)
    late = max(run.begin, 0) > p["threshold"] * 60 * 10**9
    return ("issues_found" if late else "ok"), int(late), len(run.job.steps)


def system_usage(run, _p):
    datapoints = sum(len(run.snapshots(node)) for node in run.nodes())
    return ("ok" if datapoints else NOT_APPLICABLE), 0, datapoints


def framework_metrics(run, _p):
    return ("ok" if run.job.steps else NOT_APPLICABLE), 0, len(run.job.steps)


RULES = {
    "LowGPUUtilization": low_gpu,
    "BatchSize": batch_size,
    "CPUBottleneck": lambda run, p: bottleneck(run, p, "cpu"),
    "IOBottleneck": lambda run, p: bottleneck(run, p, "io"),
    "GPUMemoryIncrease": memory_increase,
    "LoadBalancing": load_balancing,
    "Dataloader": dataloader,
    "StepOutlier": step_outlier,
    "MaxInitializationTime": max_initialization,
    "OverallSystemUsage": system_usage,
    "OverallFrameworkMetrics": framework_metrics,
}


def count_all(run, parameters=None):
    """(status, times triggered, data points) of all twelve, by name."""
    parameters = parameters or {}
    found = {
        rule: function(run, {**PARAMETERS[rule], **parameters.get(rule, {})})
        for rule, function in RULES.items()
    }
    issues = sum(status == "issues_found" for status, _, _ in found.values())
    found["ProfilerReport"] = ("issues_found" if issues else "ok"), issues, len(found)
    return found


SMALL = {
    "LowGPUUtilization": {"window": 40, "patience": 20},
    "BatchSize": {
        "window": 40,
        "patience": 20,
        "cpu_threshold_p95": 90,
        "gpu_threshold_p95": 80,
        "gpu_memory_threshold_p95": 99,
    },
    "CPUBottleneck": {
        "patience": 20,
        "window": 30,
        "gpu_threshold": 85,
        "cpu_threshold": 60,
        "threshold": 30,
    },
    "IOBottleneck": {"patience": 20, "window": 30, "gpu_threshold": 85, "threshold": 30},
    "GPUMemoryIncrease": {"patience": 20, "window": 40},
    "LoadBalancing": {"patience": 20},
    "Dataloader": {"patience": 10, "window": 20},
    "StepOutlier": {"n_outliers": 1, "rate": 2, "lost": 8},
    "MaxInitializationTime": {"threshold": Fraction(1, 2)},
}


def case_text(seed):
    series, job = compat.drawn_job(210 + seed)
    rng = random.Random(2000 + seed)
    job = job._replace(loadings=())  # what this mode does not look at
    workers = rng.choice([None, 2, 40])
    cpus = rng.choice([0, 8])
    lines = [f"case drawn with seed {seed}", "mode modern"]
    if cpus:
        lines.append(f"run cpus={cpus}")
    if workers is not None:
        lines.append(f'fact loader {{"workers":{workers}}}')
    lines += [
        *compat.series_lines(series),
        *compat.training_lines(job),
        *compat.set_lines(SMALL),
    ]
    for rule, (status, triggered, datapoints) in count_all(Run(job, workers, cpus), SMALL).items():
        counts = f" triggered={triggered} datapoints={datapoints}"
        # What does not apply has no counts that mean anything.
        lines.append(f"expect {rule} {status}" + ("" if status == NOT_APPLICABLE else counts))
    return "\n".join(lines) + "\n"


def all_cases():
    return "\n".join(case_text(seed) for seed in range(6))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    Path(sys.argv[1]).write_text(all_cases(), encoding="utf-8")
