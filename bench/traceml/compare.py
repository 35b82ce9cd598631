# SPDX-License-Identifier: Apache-2.0
"""Steptrace beside TraceML 0.5 on the same trainings, in alternating rounds.

usage: compare.py [--rounds N] [--json OUT]

Measures, each as a median over the rounds: cost a step (wall and thread CPU, against the bare
training of the same round), seconds added at start and end, bytes left per 1,000 steps, share of
the training's wall time that the tool accounts for, the verdict in every round, exit status kept.
Checks its answer: every variant trains to the same weights. TraceML lives in an environment of its
own, build/traceml, which this script makes.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TRAINER = Path(__file__).with_name("trainer.py")
OURS = ROOT / ".venv" / "bin"
PEER = ROOT / "build" / "traceml"
STEPS = {0.5: 2000, 10.0: 200}
EXITS = [("--exit", 7, 7), ("--signal", 11, 139), ("--signal", 9, 137)]


def make_peer():
    if (PEER / "bin" / "traceml").exists():
        return
    print("compare: making the environment of TraceML in build/traceml", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", PEER], check=True)
    packages = ["torch==2.13.0", "numpy==2.4.6", "traceml-ai==0.5.0"]
    subprocess.run([PEER / "bin" / "pip", "install", "-q", *packages], check=True)


def command(variant, folder, steps, step_ms, extra=()):
    """The command line of one variant; it writes folder/result.json and leaves folder/trace."""
    trainer = [
        str(TRAINER),
        str(steps),
        str(step_ms),
        str(folder / "result.json"),
        *map(str, extra),
    ]
    trace = str(folder / "trace")
    if variant == "bare":
        return [OURS / "python", *trainer]
    if variant == "steptrace":
        return [OURS / "steptrace", "run", "--output", trace, "--", OURS / "python", *trainer]
    arguments = trainer[1:] + (["--trace-step"] if variant == "traceml trace_step" else [])
    peer = [PEER / "bin" / "traceml", "run", "--mode", "summary", "--logs-dir", trace]
    return [*peer, trainer[0], "--args", *arguments]


def run(variant, steps, step_ms, extra=()):
    """One process: what the trainer measured, and what was seen from outside."""
    with tempfile.TemporaryDirectory(prefix="steptrace-bench-") as name:
        folder = Path(name)
        started = time.time()
        done = subprocess.run(
            command(variant, folder, steps, step_ms, extra),
            cwd=folder,
            capture_output=True,
            text=True,
        )
        ended = time.time()
        result = {"status": done.returncode if done.returncode >= 0 else 128 - done.returncode}
        if (folder / "result.json").exists():
            result.update(json.loads((folder / "result.json").read_text()))
            result["start_s"] = result["begun"] - started
            result["end_s"] = ended - result["ended"]
        trace = folder / "trace"
        result["bytes"] = sum(f.stat().st_size for f in trace.rglob("*") if f.is_file())
        result["verdict"], result["accounted"] = findings(variant, trace, result)
        shutil.rmtree(trace, ignore_errors=True)
    return result


def findings(variant, trace, result):
    """(verdict, share of the training's wall time that lies in what the tool reports)."""
    if variant == "steptrace":
        text = subprocess.run(
            [OURS / "steptrace", "report", trace, "--json"], capture_output=True, text=True
        ).stdout
        report = json.loads(text)
        ns = sum(row["ns"] for row in report["breakdown"]["rows"])
        verdict = report["verdict"]
        name = f"{verdict['status']} {verdict['suspect']}".strip()
        return name, ns / 1e9 / result["training_s"] if "training_s" in result else None
    summary = next(trace.rglob("final_summary.json"), None) if trace.exists() else None
    if summary is None:
        return None, None
    payload = json.loads(summary.read_text())
    window = payload["step_time"]["global"]
    mean_ms = window["average"]["step_time_ms"] or window["average"]["traced_step_time_ms"]
    steps = window["window"]["steps_analyzed"]
    accounted = steps * mean_ms / 1e3 / result["training_s"] if steps and mean_ms else 0.0
    return payload["primary_diagnosis"]["status"], accounted


def median(rows, key):
    values = [row[key] for row in rows if row.get(key) is not None]
    return statistics.median(values) if values else None


def compare(step_ms, rounds):
    variants = ["bare", "steptrace", "traceml", "traceml trace_step"]
    rows = {variant: [] for variant in variants}
    for number in range(rounds):
        for variant in variants[number % 4 :] + variants[: number % 4]:
            rows[variant].append(run(variant, STEPS[step_ms], step_ms))
    weights = {row["loss_weights"] for variant in variants for row in rows[variant]}
    assert len(weights) == 1, f"the variants trained differently: {weights}"
    return {variant: summarise(rows[variant], rows["bare"], step_ms) for variant in variants}


def summarise(rows, bare, step_ms):
    return {
        "step_us": median(rows, "wall_us"),
        "added_us_wall": statistics.median(a["wall_us"] - b["wall_us"] for a, b in zip(rows, bare)),
        "added_us_cpu": statistics.median(a["cpu_us"] - b["cpu_us"] for a, b in zip(rows, bare)),
        "added_s_start_end": statistics.median(
            a["start_s"] + a["end_s"] - b["start_s"] - b["end_s"] for a, b in zip(rows, bare)
        ),
        "bytes_per_1000_steps": median(rows, "bytes") * 1000 / STEPS[step_ms],
        "accounted_share": median(rows, "accounted"),
        "verdicts": sorted({str(row["verdict"]) for row in rows}),
    }


def exit_statuses():
    return {
        variant: [run(variant, 20, 0.5, (flag, value))["status"] for flag, value, _ in EXITS]
        for variant in ("bare", "steptrace", "traceml")
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    make_peer()
    result = {f"{ms} ms": compare(ms, options.rounds) for ms in STEPS}
    result["exit statuses (want 7, 139, 137)"] = exit_statuses()
    text = json.dumps(result, indent=2)
    print(text)
    if options.json:
        options.json.write_text(text + "\n")


if __name__ == "__main__":
    main()
