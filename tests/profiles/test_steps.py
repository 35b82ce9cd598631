# SPDX-License-Identifier: Apache-2.0
"""The table `steps` of an imported profile, and what is said of one that marks none."""

import gzip
import json
import os
import pathlib
import subprocess
import sys

import kineto_reference
import profile_runs
import pytest

MARKED = "a100_nccl_rank0of2.pt.trace.json.gz"


def marks_of(path):
    """Number of each step by its marks, in the order of their begins."""
    text = gzip.decompress(path.read_bytes()).decode("utf-8", "replace")
    marks = [
        (event["ts"], int(event["name"].split("#")[1]))
        for event in json.loads(text, strict=False)["traceEvents"]
        if event.get("cat") == "user_annotation" and event["name"].startswith("ProfilerStep#")
    ]
    return [number for _, number in sorted(marks)]


def test_the_steps_of_a_real_profile_are_rows(tmp_path):
    (source,) = profile_runs.shared(MARKED)
    run = profile_runs.imported(tmp_path, source)
    rows = profile_runs.table(run, "steps", tmp_path)
    marks = marks_of(source)
    numbers = [int(row["step"]) for row in rows]
    # Steps at the end without device work are left out (docs/reference/report.md, Devices).
    assert numbers and numbers == marks[: len(numbers)]
    report = json.loads(profile_runs.steptrace("report", run, "--json"))
    assert report["steps"]["marked"] is True and report["steps"]["count"] == len(rows)
    assert [(int(r["ts_ns"]), int(r["dur_ns"])) for r in rows] == [
        (role["ts_ns"], role["total_ns"]) for role in report["roles"]["rows"]
    ]
    causes = ("data_pipeline", "model", "communication", "framework_overhead", "other")
    for row in rows:
        assert int(row["ts_ns"]) >= 0
        assert sum(int(row[f"{cause}_ns"]) for cause in causes) == int(row["dur_ns"])
    totals = {s["name"]: s["ns"] for s in report["suspects"]["rows"]}
    assert sum(totals.values()) == sum(int(row["dur_ns"]) for row in rows)
    rules = json.loads(profile_runs.steptrace("rules", run, "--json"))
    assert rules["step_durations"]["data"][0]["count"] == len(rows)
    nodes = json.loads((run / "run.json").read_text(encoding="utf-8"))["nodes"]
    assert all(node["cpus"] is None and node["memory_bytes"] is None for node in nodes)


def steps_by_reference(slices):
    """(begin, name, category, step) of each slice: the host's by its begin, a device's by what has its
    correlation on the host."""
    marks = sorted(
        (s.ts, s.ts + s.dur, int(s.name.split("#")[1]))
        for s in slices
        if s.category == "user_annotation" and s.name.startswith("ProfilerStep#")
    )

    def at(ts):
        begun = [mark for mark in marks if mark[0] <= ts]
        return begun[-1][2] if begun and ts < begun[-1][1] else None

    launched = {}
    for s in sorted(slices, key=lambda s: s.ts):
        if s.place[0] == "host" and s.correlation is not None and at(s.ts) is not None:
            launched.setdefault(s.correlation, at(s.ts))
    return [
        (
            s.ts,
            s.name,
            s.category,
            launched.get(s.correlation) if s.place[0] == "device" else at(s.ts),
        )
        for s in slices
    ]


@pytest.mark.parametrize("real", [True, False])
def test_slices_know_their_step(tmp_path, real):
    if real:
        (source,) = profile_runs.shared(MARKED)
    else:
        make_trace = pathlib.Path(__file__).with_name("make_trace.py")
        subprocess.run([sys.executable, make_trace, tmp_path / "made", "--steps", "4"], check=True)
        source = tmp_path / "made" / "rank0.pt.trace.json"
    slices = [
        s for s in kineto_reference.slices(kineto_reference.load(source)) if s.category != "Trace"
    ]
    epoch = min(s.ts for s in slices)
    wanted = sorted(
        (ts - epoch, name, cat, "" if step is None else str(step))
        for ts, name, cat, step in steps_by_reference(slices)
        if cat != "instant"
    )
    run = profile_runs.imported(tmp_path, source)
    rows = profile_runs.table(run, "slices", tmp_path)
    rows = [row for row in rows if row["category"] not in ("Trace", "instant")]
    found = sorted((int(r["ts_ns"]), r["name"], r["category"], r["step"]) for r in rows)
    assert found == wanted
    assert len({step for *_, step in found}) > 2


@pytest.mark.parametrize("category", ["user_annotation", "cpu_op", "Operator"])
def test_marks_of_any_profiler_are_steps_and_no_operators(tmp_path, category):
    """Ascend's profiler writes them as cpu_op, PyTorch's of 2021 as Operator."""
    host = {"ph": "X", "pid": 1, "tid": 1}
    events = [
        {
            **host,
            "cat": category,
            "name": f"ProfilerStep#{n}",
            "ts": 100 * n,
            "dur": 100,
            "args": {},
        }
        for n in (1, 2)
    ] + [
        {**host, "cat": "cpu_op", "name": "aten::mm", "ts": 100 * n + 10, "dur": 30, "args": {}}
        for n in (1, 2)
    ]
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    run = profile_runs.imported(tmp_path, path)
    report = json.loads(profile_runs.steptrace("report", run, "--json"))
    assert report["steps"]["marked"] is True
    assert [(o["name"], o["calls"], o["host_total_ns"]) for o in report["operators"]["rows"]] == [
        ("aten::mm", 2, 60_000)
    ]
    assert [(r["step"], r["cpu_ns"], r["other_ns"]) for r in report["roles"]["rows"]] == [
        (1, 30_000, 70_000),
        (2, 30_000, 70_000),
    ]


def one_step(folder):
    """A step of 130 ns: a kernel of 20 in it, launched in 10 by an operator of 40."""
    at = {"pid": 1, "tid": 1}
    events = [
        {**at, "cat": "user_annotation", "name": "ProfilerStep#1", "ts": 0, "dur": 0.13},
        {**at, "cat": "cpu_op", "name": "aten::mm", "ts": 0, "dur": 0.04},
        {**at, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 0.02, "dur": 0.01},
        {"pid": 0, "tid": 7, "cat": "kernel", "name": "gemm", "ts": 0.04, "dur": 0.02},
    ]
    events = [{"ph": "X", "args": {"correlation": 5}, **event} for event in events]
    path = folder / "one.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return profile_runs.imported(folder, path)


def test_the_text_tells_the_stages_to_the_nanosecond(tmp_path):
    run = one_step(tmp_path)
    report = json.loads(profile_runs.steptrace("report", run, "--json"))
    told = sorted(stage["ns"] for stage in report["stages"]["rows"] if stage["ns"] > 0)
    assert sum(told) == 130 and 20 in told
    text = profile_runs.steptrace("report", run).split("Verdict")[0]
    rows = [line.split() for line in text.splitlines() if line.startswith("  ") and " % " in line]
    assert sorted(int(row[-2]) for row in rows if row[-1] == "ns") == told


def test_sections_that_hold_nothing_say_so(tmp_path):
    run = one_step(tmp_path)
    for name in ("memory", "modules"):
        section = profile_runs.section(run, name)
        assert any(
            note["text"].startswith(f"{name}: not applicable: ") for note in section["notes"]
        )
        assert len(profile_runs.steptrace("report", run, "--section", name).splitlines()) > 2
    notes = [note["text"] for note in profile_runs.section(run, "kernels")["notes"]]
    assert not any("operators" in note or "kernels" in note for note in notes)


def test_a_profile_without_marks_says_so(tmp_path):
    event = {"ph": "X", "cat": "cpu_op", "pid": 1, "tid": 1}
    trace = [{**event, "name": "aten::mm", "ts": 10 * i, "dur": 5} for i in range(20)]
    source = tmp_path / "unmarked.json"
    source.write_text(json.dumps({"traceEvents": trace}), encoding="utf-8")
    run = profile_runs.imported(tmp_path, source)
    assert profile_runs.table(run, "steps", tmp_path) == []
    report = json.loads(profile_runs.steptrace("report", run, "--json"))
    assert report["steps"]["marked"] is False
    assert any("no step marks" in note["text"] for note in report["notes"])
    first = profile_runs.steptrace("report", run).splitlines()[0]
    assert "no step marks" in first and "1 step" not in first


def in_folder(folder, *arguments):
    return subprocess.run(
        [profile_runs.binary(), *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "STEPTRACE_CONFIG": ""},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("kernels, share", [("[]", 0.0), ('["ACME_gem*v2"]', 1.0)])
def test_the_user_names_kernels_of_tensor_cores(tmp_path, kernels, share):
    operator = {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1}
    launch = {**operator, "cat": "cuda_runtime", "name": "cudaLaunchKernel"}
    kernel = {"ph": "X", "cat": "kernel", "name": "acme_gemm_v2", "pid": 0, "tid": 7}
    trace = [
        {**operator, "ts": 0, "dur": 10},
        {**launch, "ts": 1, "dur": 2, "args": {"correlation": 1}},
        {**kernel, "ts": 5, "dur": 9, "args": {"correlation": 1, "device": 0, "stream": 7}},
    ]
    source = tmp_path / "acme.json"
    source.write_text(json.dumps({"traceEvents": trace}), encoding="utf-8")
    run = profile_runs.imported(tmp_path, source)
    (tmp_path / "steptrace.toml").write_text(
        f"[tensor_cores]\nkernels = {kernels}\n", encoding="utf-8"
    )
    done = in_folder(tmp_path, "report", run, "--section", "devices", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["devices"]["rows"][0]["tensor_cores"]["share"] == share


def test_bad_patterns_are_one_line(tmp_path):
    (tmp_path / "steptrace.toml").write_text('[tensor_cores]\nplain = ["*"]\n', encoding="utf-8")
    done = in_folder(tmp_path, "ls")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "'*' in plain fits every kernel" in done.stderr
