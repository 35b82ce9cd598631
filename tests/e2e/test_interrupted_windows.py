# SPDX-License-Identifier: Apache-2.0
"""Windows that a capture on demand interrupts have the steps that they have, and say what they lack;
a duration alone begins with the training, in a running job at once."""

import json
import os
import signal
import subprocess
import sys

import pytest
from fault_tools import LIMIT_S, Recording, Run, executable, record, wait_for

TRAINING = """
import sys, time, torch
torch.set_num_threads(1)
model = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(8)])
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, foreach=False)
for number in range(int(sys.argv[1])):
    model(torch.randn(4, 8)).pow(2).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    time.sleep(0.01)
    if number == 130:
        print("in the window", flush=True)
"""


def training(folder, steps):
    path = folder / "train.py"
    path.write_text(TRAINING)
    return [sys.executable, str(path), str(steps)]


def windows(run):
    facts = [json.loads(row["json"]) for row in run.rows("run_metadata") if row["kind"] == "window"]
    return [fact for fact in facts if fact["source"] == "window"]


def in_one(step, stretches):
    end_ns = step["ts_ns"] + step["dur_ns"]
    return any(begin <= step["ts_ns"] and end_ns <= end for begin, end in stretches)


@pytest.mark.parametrize(
    ("kinds", "split_by_profile"),
    [
        pytest.param("operators", 0, id="by the same"),
        pytest.param("stacks", 5, id="by a profile, whose steps have operators, and no split"),
    ],
)
def test_what_an_interrupted_window_has_is_what_its_rows_have(tmp_path, kinds, split_by_profile):
    recording = Recording(
        tmp_path,
        training(tmp_path, 10**6),
        "--window",
        "100:400=operators",
        start_new_session=True,
    )
    try:
        recording.wait_for_line("in the window")
        done = subprocess.run(
            [executable(), "capture", str(recording.path), "--steps", "5", "--capture", kinds],
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        wait_for(lambda: windows(Run(recording.path)), LIMIT_S)
    finally:
        os.killpg(recording.pid, signal.SIGTERM)
        outcome = recording.finish()
    [window] = windows(outcome.run)
    [cut] = [row for row in outcome.run.rows("data_loss") if row["cause"] == "window_cut"]
    assert window["window"] == "100:400=operators"
    assert window["kinds"] == "operators"
    assert window["steps"] + cut["count"] == 400
    assert f"has {window['steps']} of its 400 steps: another capture int" in cut["detail"]
    assert len(window["stretches"]) == 3
    steps = [step for step in outcome.run.rows("steps") if in_one(step, window["stretches"])]
    split = sum(step["operators_ns"] is not None for step in steps)
    assert split + split_by_profile == window["steps"]


def test_a_duration_alone_begins_with_the_training(tmp_path):
    environment = {"STEPTRACE_DURATION": "0.5"}
    outcome = record(tmp_path, training(tmp_path, 400), env=environment)
    assert outcome.status == 0, outcome.stderr
    [window] = windows(outcome.run)
    assert window["window"] == ":500ms"
    assert window["end"] == "done"
    assert window["steps"] > 0
    assert window["to_ns"] - window["from_ns"] >= 500_000_000


def test_a_duration_alone_begins_at_once_in_a_running_job(tmp_path):
    config = tmp_path / "steptrace.toml"
    config.write_text('window = "none"\n')
    recording = Recording(
        tmp_path, training(tmp_path, 10**6), env={"STEPTRACE_CONFIG": str(config)}
    )
    try:
        recording.wait_for_line("in the window")
        new = config.with_suffix(".new")
        new.write_text("duration = 0.5\n")
        new.replace(config)
        [window] = wait_for(lambda: windows(Run(recording.path)), LIMIT_S)
    finally:
        recording.process.terminate()
        recording.finish()
    assert window["window"] == ":500ms"
    assert window["end"] == "done"
    assert window["steps"] > 0
