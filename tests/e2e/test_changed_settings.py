# SPDX-License-Identifier: Apache-2.0
"""What is captured may change while a run goes on, by its file of settings; a window may say what it
captures; and what a window lacks is told."""

import json
import sys

from fault_tools import Recording, Run, record, wait_for

TRAINING = """
import sys, time, torch
torch.set_num_threads(1)
model = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(8)])
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, foreach=False)
steps, end = int(sys.argv[1]), time.monotonic() + float(sys.argv[2])
number = 0
while number < steps and time.monotonic() < end:
    model(torch.randn(4, 8)).pow(2).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    time.sleep(0.002)
    number += 1
    if number == 20:
        print("twenty steps", flush=True)
"""


def training(folder, steps, seconds=60):
    path = folder / "train.py"
    path.write_text(TRAINING)
    return [sys.executable, str(path), str(steps), str(seconds)]


def change(config, text):
    """At once, as an editor does: half a file is settings too."""
    new = config.with_suffix(".new")
    new.write_text(text)
    new.replace(config)


def facts(run, kind):
    return [json.loads(row["json"]) for row in run.rows("run_metadata") if row["kind"] == kind]


def test_a_changed_file_of_settings_reaches_a_running_job(tmp_path):
    config = tmp_path / "steptrace.toml"
    config.write_text('window = "none"\n')
    recording = Recording(
        tmp_path,
        training(tmp_path, 10**6),
        env={"STEPTRACE_CONFIG": str(config)},
    )
    try:
        recording.wait_for_line("twenty steps")
        change(config, 'window = ":15"\nstack_rate = 50\n')
        run = Run(recording.path)
        settings = wait_for(lambda: facts(run, "settings"))
        assert settings == [{"window": ":15", "capture": "operators", "stack_rate": 50}]
        [window] = wait_for(lambda: facts(run, "window"))
        assert (window["end"], window["steps"]) == ("done", 15)
        change(config, 'window = "dreams"\n')
        recording.wait_for_line("goes on with the settings that it has", recording.process.stderr)
    finally:
        recording.process.terminate()
        outcome = recording.finish()
    assert b"goes on with" not in outcome.stderr, "it is said once"
    assert len(facts(outcome.run, "settings")) == 1
    assert sum(row["operators_ns"] is not None for row in outcome.run.rows("steps")) == 15


def test_flags_stand_above_a_changed_file(tmp_path):
    config = tmp_path / "steptrace.toml"
    config.write_text("")
    recording = Recording(
        tmp_path,
        training(tmp_path, 10**6),
        "--window",
        "none",
        env={"STEPTRACE_CONFIG": str(config)},
    )
    try:
        recording.wait_for_line("twenty steps")
        change(config, 'window = ":15"\nstack_rate = 0\n')
        [settings] = wait_for(lambda: facts(Run(recording.path), "settings"))
    finally:
        recording.process.terminate()
        outcome = recording.finish()
    assert settings == {"window": "none", "capture": "operators", "stack_rate": 0}
    assert facts(outcome.run, "window") == []


def test_windows_of_different_kinds_and_from_a_moment_on(tmp_path):
    options = ["--window", "200:4=operators", "--window", "300:3=stacks+shapes", "--window", "0s:"]
    outcome = record(tmp_path, training(tmp_path, 400), *options)
    assert outcome.status == 0, outcome.stderr
    windows = {window["window"]: window for window in facts(outcome.run, "window")}
    assert windows["200:4=operators"]["kinds"] == "operators"
    assert windows["300:3=stacks+shapes"]["kinds"] == "stacks,shapes"
    assert [
        windows[name]["steps"] for name in ("200:4=operators", "300:3=stacks+shapes", "0s:")
    ] == [
        4,
        3,
        1,
    ]


def test_what_a_window_lacks_is_told(tmp_path):
    options = ["--window", "20:500=operators+kernels"]
    outcome = record(tmp_path, training(tmp_path, 60), *options)
    assert outcome.status == 0, outcome.stderr
    details = [
        row["detail"] for row in outcome.run.rows("data_loss") if "window 20:500" in row["detail"]
    ]
    assert any("captured no kernels" in detail for detail in details), details
    assert any("the training or the capture ended first" in detail for detail in details), details
