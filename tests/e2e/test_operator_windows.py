# SPDX-License-Identifier: Apache-2.0
"""Windows of operators on real trainings: what is counted, what the verdict makes of it, and captures
while a run goes on."""

import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from fault_tools import LIMIT_S, Recording, executable, record

pytestmark = pytest.mark.alone

TRAINING = """
import json, sys, time, torch
from torch import nn
torch.set_num_threads(1)
torch.manual_seed(0)
kind, steps = sys.argv[1], int(sys.argv[2])
if kind == "tiny":
    layers = [m for _ in range(24) for m in (nn.Linear(8, 8), nn.ReLU())]
    model, batch = nn.Sequential(*layers), torch.randn(4, 8)
else:
    model = nn.Sequential(nn.Linear(768, 768), nn.ReLU(), nn.Linear(768, 768))
    batch = torch.randn(384, 768)  # beside it what a step frees is small
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, foreach=False)

def step():
    model(batch).pow(2).mean().backward()
    optimizer.step()
    optimizer.zero_grad()

for number in range(steps):
    step()
    if number == 30:
        print("thirty steps", flush=True)
"""

PROFILED_AT_THE_END = """
from torch.profiler import profile, ProfilerActivity
with profile(activities=[ProfilerActivity.CPU]) as profiled:
    step()
# As recorded: events() joins an operator with the one of its own name that it calls.
print(json.dumps([event.name() for event in profiled.profiler.kineto_results.events()]))
"""


def training(folder, kind, steps, more=""):
    path = pathlib.Path(folder) / "train.py"
    path.write_text(TRAINING + more)
    return [sys.executable, str(path), kind, str(steps)]


def windowed(run):
    return [row for row in run.rows("steps") if row["operators_ns"] is not None]


def operators_by_step(run):
    counts = collections.defaultdict(collections.Counter)
    for row in run.rows("slices"):
        if row["category"] == "operator":
            counts[row["step"]][row["name"]] += 1
    return counts


def test_a_step_of_a_window_has_the_operators_that_torch_profiler_sees(tmp_path):
    outcome = record(
        tmp_path, training(tmp_path, "tiny", 120, PROFILED_AT_THE_END), "--window", "40:30"
    )
    assert outcome.status == 0, outcome.stderr
    theirs = collections.Counter(json.loads(outcome.stdout.splitlines()[-1]))
    rows = windowed(outcome.run)
    assert [row["step"] for row in rows] == list(range(40, 70))
    for row in rows:
        # What lies between two operators for over a millisecond belongs to neither.
        assert (
            0
            < row["operators_ns"] + row["dispatch_ns"]
            <= (row["forward_ns"] + row["backward_ns"] + row["optimizer_ns"])
        )
    ours = operators_by_step(outcome.run)
    for step in range(40, 70):
        assert ours[step] == theirs, (ours[step] - theirs, theirs - ours[step])
    assert not set(ours) - set(range(40, 70))
    assert not {"ring_full", "names_full", "too_deep", "window"} & set(outcome.run.causes())
    (window,) = [
        json.loads(f["json"]) for f in outcome.run.rows("run_metadata") if f["kind"] == "window"
    ]
    assert (window["window"], window["steps"], window["end"]) == ("40:30", 30, "done")


def test_tiny_operators_are_framework_overhead(tmp_path):
    # So many that what other processes take of the cores meets operators and the ways between them
    # alike: of 40 steps, a tenth of a second, a few stretches of it may decide.
    outcome = record(tmp_path, training(tmp_path, "tiny", 900), "--window", "100:600")
    report = outcome.run.report()
    verdict = report["verdict"]
    assert (verdict["status"], verdict["suspect"]) == ("found", "framework_overhead"), verdict
    assert verdict["sub_stage"] == "dispatch"
    assert verdict["share_low"] <= verdict["share"] <= verdict["share_high"]
    assert any("torch.compile" in advice["text"] for advice in verdict["advice"])
    names = {row["name"] for row in report["operators"]["rows"]}
    assert {"aten::linear", "aten::addmm", "aten::relu"} <= names
    assert "Optimizer.step#SGD.step" not in names


def test_large_operators_are_the_model(tmp_path):
    outcome = record(tmp_path, training(tmp_path, "large", 120), "--window", "70:20")
    verdict = outcome.run.report()["verdict"]
    assert (verdict["status"], verdict["suspect"]) == ("found", "model"), verdict
    assert verdict["share"] > 0.9


def test_without_a_window_all_is_the_model_and_the_report_names_the_command(tmp_path):
    # Long enough for samples that show it computing.
    outcome = record(tmp_path, training(tmp_path, "tiny", 1500), "--no-window")
    assert windowed(outcome.run) == []
    verdict = outcome.run.report()["verdict"]
    assert verdict["suspect"] == "model", verdict
    assert any("steptrace capture" in advice["text"] for advice in verdict["advice"])


def test_a_steady_run_takes_an_early_window_and_a_steady_one_by_itself(tmp_path):
    outcome = record(tmp_path, training(tmp_path, "tiny", 1500))
    rows = windowed(outcome.run)
    steps = [row["step"] for row in rows]
    early = [step for step in steps if step < 6 + 20]
    steady = steps[len(early) :]
    assert early == list(range(6, 6 + len(early))) and len(early) >= 3
    assert steady == list(range(steady[0], steady[0] + len(steady))) and 3 <= len(steady) <= 20
    assert all(row["kind"] == "train" for row in rows)


def test_windows_that_make_no_sense_stop_before_anything_starts(tmp_path):
    for options in (
        ["--window", "5:0"],
        ["--window", "5:10s"],
        ["--window", "5:5,7:1"],
        ["--window", "0:2"],
    ):
        done = subprocess.run(
            [executable(), "run", *options, "--", "touch", str(tmp_path / "ran")],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode == 2
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr
        assert not (tmp_path / "ran").exists()


def capture(*arguments):
    return subprocess.run(
        [executable(), "capture", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def wait_until_it_trains(recording):
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        done = capture(recording.path, "--steps", 1)
        if done.returncode == 0:
            return
        time.sleep(0.3)
    pytest.fail("it never trained: " + done.stderr)


def test_capture_on_demand_returns_the_report_of_its_steps(tmp_path):
    recording = Recording(
        tmp_path, training(tmp_path, "large", 100_000), "--no-window", start_new_session=True
    )
    try:
        wait_until_it_trains(recording)
        done = capture(recording.path, "--steps", 12, "--json")
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert {"aten::addmm", "aten::mm"} <= {row["name"] for row in report["operators"]["rows"]}
        by_process = capture(recording.command(), "--steps", 2)
        assert by_process.returncode == 0, by_process.stderr
        assert "aten::addmm" in by_process.stdout
        by_launcher = capture(recording.process.pid, "--steps", 2)
        assert by_launcher.returncode == 0, by_launcher.stderr
        other_rank = capture(recording.path, "--ranks", 7)
        assert other_rank.returncode == 2
        assert "none of those ranks" in other_rank.stderr
        paths = (recording.path, os.path.relpath(recording.path))  # the shorter is told
        assert any(f"steptrace show {path} steps" in other_rank.stderr for path in paths)
        if not pathlib.Path("/proc/driver/nvidia").exists():
            kernels = capture(recording.path, "--steps", 2, "--capture", "kernels")
            assert kernels.returncode == 2, kernels.stdout
            assert len(kernels.stderr.strip().splitlines()) == 1, kernels.stderr
            assert any(f"steptrace show {path} run_metadata" in kernels.stderr for path in paths)
    finally:
        os.killpg(recording.pid, signal.SIGTERM)
        outcome = recording.finish()
    windows = [
        json.loads(f["json"]) for f in outcome.run.rows("run_metadata") if f["kind"] == "window"
    ]
    assert [w["steps"] for w in windows if w["end"] == "done"][-3:] == [12, 2, 2]
    ended = capture(recording.path)
    assert ended.returncode == 2
    assert "the run has ended" in ended.stderr


def test_capture_of_what_is_none(tmp_path):
    for argument in (tmp_path / "nothing", os.getpid()):
        done = capture(argument)
        assert done.returncode == 2
        assert len(done.stderr.strip().splitlines()) == 1, done.stderr


def test_the_training_outlives_an_agent_that_is_killed_in_a_window(tmp_path):
    recording = Recording(tmp_path, training(tmp_path, "tiny", 2000), "--window", "10:1000000")
    recording.wait_for_line("thirty steps")
    os.kill(recording.agent(), signal.SIGKILL)
    outcome = recording.finish()
    assert outcome.status == 0, outcome.stderr
    assert b"the agent was gone" in outcome.stderr
    assert outcome.run.manifest()["status"] == "completed"


def test_another_tools_collector_leaves_the_window_empty_and_says_so(tmp_path):
    outcome = record(
        tmp_path,
        training(tmp_path, "tiny", 100),
        "--window",
        "40:30",
        env={"INTEL_LIBITTNOTIFY64": "/nonexistent/collector.so"},
    )
    assert outcome.status == 0, outcome.stderr
    assert windowed(outcome.run) == []
    assert "window" in outcome.run.causes()
    reasons = [
        json.loads(f["json"]) for f in outcome.run.rows("run_metadata") if f["kind"] == "hook"
    ]
    assert any("another tool" in fact["reason"] for fact in reasons)
