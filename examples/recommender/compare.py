# SPDX-License-Identifier: Apache-2.0
"""Prints two runs side by side.   usage: compare.py RUN RUN"""

import sys

import steptrace

WIDTH = 29  # of a column: "data_pipeline / cpu_shortage" fits


def cells(report):
    """What is compared, top to bottom: (label, text) of one report."""
    steps, verdict = report["steps"], report["verdict"]
    training = report["phases"]["training_ns"] or 0
    yield "training", f"{training / 1e9:.1f} s"
    duration = steps["duration_ns"]
    if duration:
        yield "step, median", f"{duration['p50'] / 1e6:.1f} ms"
        yield "step, p95", f"{duration['p95'] / 1e6:.1f} ms"
    for suspect in report["suspects"]:
        label = suspect["name"].replace("_", " ")
        yield label, f"{suspect['share']:6.1%}  {mean_ms(suspect, steps):8.2f} ms"
    yield "verdict", " / ".join(filter(None, (verdict["suspect"], verdict["sub_stage"])))
    speedup = verdict.get("at_most_speedup")
    yield "at most, without it", f"{speedup:.2f}x" if speedup else "-"


def mean_ms(suspect, steps):
    return suspect["ns"] / max(1, steps["steady"]) / 1e6


def main(left, right):
    runs = [steptrace.open(path).report() for path in (left, right)]
    columns = [dict(cells(report)) for report in runs]
    labels = list(dict.fromkeys(label for column in columns for label in column))
    names = [report["run"]["name"] for report in runs]
    print(f"{'':22}" + "".join(f"{name:<{WIDTH}}" for name in names))
    for label in labels:
        print(f"{label:22}" + "".join(f"{column.get(label, '-'):<{WIDTH}}" for column in columns))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("compare.py: needs two runs; usage: compare.py RUN RUN")
    main(sys.argv[1], sys.argv[2])
