# SPDX-License-Identifier: Apache-2.0
"""Captures of processes without hooks, by the protocol that Kineto itself speaks: of steps and of times,
of ranks together; and neither the endpoint nor its end costs the training its exit."""

import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from fault_tools import LIMIT_S, Recording, Run, executable, plain, record, wait_for

OPTIONS = ("--kineto", "--hooks", "off", "--no-window", "--stack-rate", "0")

TRAINING = """
import sys, time, torch
torch.set_num_threads(1)
model = torch.nn.Linear(64, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
batch = torch.randn(32, 64)
def step():
    model(batch).pow(2).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
    time.sleep(0.02)
print("trains", flush=True)
until = time.monotonic() + float(sys.argv[1])
while time.monotonic() < until: step()
"""

# How long the training's last statement is before its end.
TIMED = """
import subprocess, sys, time
training = subprocess.Popen([sys.executable, *sys.argv[1:]], stdout=subprocess.PIPE, text=True)
for line in training.stdout:
    print(line, end="", flush=True)
    if line.startswith("ends"):
        said = time.monotonic()
status = training.wait()
print("exit", time.monotonic() - said, flush=True)
sys.exit(status)
"""

RANKS = """
import os, subprocess, sys
ranks = [subprocess.Popen([sys.executable, *sys.argv[1:]], env=dict(os.environ, RANK=str(rank)))
         for rank in range(2)]
sys.exit(max(abs(rank.wait()) for rank in ranks))
"""


def training(folder, seconds, more="", wrapper=""):
    path = pathlib.Path(folder) / "train.py"
    path.write_text(TRAINING + more)
    command = [sys.executable, str(path), str(seconds)]
    if not wrapper:
        return command
    launcher = pathlib.Path(folder) / "launch.py"
    launcher.write_text(wrapper)
    return [sys.executable, str(launcher), *command[1:]]


def capture(recording, *arguments):
    """Once the process has asked: every 5 s it does."""
    deadline = time.monotonic() + LIMIT_S
    while True:
        done = subprocess.run(
            [executable(), "capture", str(recording.path), *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        if "asks Kineto's endpoint (yet)" not in done.stderr:
            return done
        assert time.monotonic() < deadline, done.stderr
        time.sleep(0.3)


def operators(run):
    times = collections.defaultdict(list)
    for row in run.rows("slices"):
        if row["category"] == "operator":
            times[row["rank"], row["name"]].append(row["ts_ns"])
    return times


def stop(recording):
    os.killpg(recording.pid, signal.SIGTERM)
    outcome = recording.finish()
    wait_for(lambda: outcome.run.manifest()["status"] != "in_progress", LIMIT_S)
    return outcome


def test_steps_and_a_time_of_a_process_without_hooks(tmp_path):
    recording = Recording(tmp_path, training(tmp_path, 600), *OPTIONS, start_new_session=True)
    try:
        recording.wait_for_line("trains")
        # Until it has counted steps there is a duration in their place.
        time.sleep(2)
        steps = capture(recording, "--steps", 4, "--capture", "shapes,memory", "--json")
        lasting = capture(recording, "--duration", "0.5", "--capture", "stacks")
    finally:
        outcome = stop(recording)
    assert steps.returncode == 0, steps.stderr
    assert lasting.returncode == 0, lasting.stderr
    linear = [
        row
        for row in json.loads(steps.stdout)["operators"]["rows"]
        if row["name"] == "aten::linear"
    ]
    assert sum(row["calls"] for row in linear) == 4, linear
    assert "aten::addmm" in lasting.stdout
    run = outcome.run
    slices = run.rows("slices")
    assert any("Input Dims" in row["details"] for row in slices if row["name"] == "aten::linear")
    assert any("train.py" in r["name"] for r in slices if r["category"] == "python_function")
    # PyTorch tells of no allocation when it is asked from outside; that is said.
    assert not run.rows("memory")
    assert "window" in run.causes()
    threads = {t["track"] for t in run.rows("tracks") if t["kind"] == "thread"}
    assert {row["track"] for row in slices if row["name"] == "aten::linear"} <= threads
    profiles = run.path / "profiles"
    assert not profiles.exists() or not list(profiles.iterdir())
    assert "profile" not in run.causes()


def test_ranks_are_captured_at_the_same_time(tmp_path):
    command = training(tmp_path, 600, wrapper=RANKS)
    recording = Recording(tmp_path, command, *OPTIONS, start_new_session=True)
    try:
        recording.wait_for_line("trains")
        recording.wait_for_line("trains")
        for _ in range(3):  # on a full machine one of them may not have asked yet
            time.sleep(6)
            done = capture(recording, "--duration", "1", "--capture", "profile")
            run = Run(recording.path)
            ranks = {row["rank"] for row in run.rows("run_metadata") if row["kind"] == "window"}
            if ranks == {0, 1}:
                break
    finally:
        outcome = stop(recording)
    assert done.returncode == 0, done.stderr
    times = operators(outcome.run)
    last = max(times[0, "aten::linear"]) - 5_000_000_000  # of the last capture
    times = {key: [t for t in ts if t > last] for key, ts in times.items()}
    first = [min(times[rank, "aten::linear"]) for rank in range(2)]
    assert abs(first[0] - first[1]) < 500_000_000, first


@pytest.mark.parametrize("fault", ["none", "agent killed"])
def test_the_exit_is_no_slower(tmp_path, fault):
    command = training(tmp_path, 2, more='print("ends", flush=True)\n', wrapper=TIMED)

    def exit_s(output):
        return float(output.decode().split("exit")[1])

    alone = exit_s(plain(command).stdout)
    recording = Recording(tmp_path, command, *OPTIONS)
    recording.wait_for_line("trains")
    if fault == "agent killed":
        os.kill(recording.agent(), signal.SIGKILL)
    outcome = recording.finish()
    assert outcome.status == 0
    # Without somebody who answers it is some 8 s.
    assert exit_s(outcome.stdout) < alone + 5
    assert b"IPC" not in outcome.stderr


# Kineto has a thread more from when it is asked; the trace begins within 2 s, and takes 5 s. Where a profiler of
# the script's begins as that ends, PyTorch may end the process (docs/concepts/windows.md).
UNTIL_TRACED = """
import os
def threads(): return len(os.listdir("/proc/self/task"))
before = threads()
while threads() == before: step()
until = time.monotonic() + 3
while time.monotonic() < until: step()
"""


def end_in_a_capture(tmp_path, more):
    """Trains until it is captured, then does `more` and ends: its outcome, and whether the capture failed. One that
    failed says so in a line, and is a loss of the run; one that did not is whole."""
    command = training(tmp_path, 4, more=UNTIL_TRACED + more)
    recording = Recording(tmp_path, command, *OPTIONS)
    recording.wait_for_line("trains")
    time.sleep(6)  # it has asked by then, and looks for what it waits for
    line = [executable(), "capture", str(recording.path), "--duration", "5"]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as asked:
        outcome = recording.finish()
        told = asked.communicate(timeout=LIMIT_S)[1]
    failed = asked.returncode != 0
    assert told.count("\n") == failed, told
    assert ("window" in outcome.run.causes()) == failed
    assert failed or any(row["name"] == "aten::linear" for row in outcome.run.rows("slices"))
    return outcome, failed


def test_a_training_that_ends_in_its_capture_has_done_its_work(tmp_path):
    """Kineto's destructors may end it (PyTorch 2.13): docs/concepts/windows.md says so. On a busy machine the
    interpreter's end takes longer than what is left of the capture, which then does not fail."""
    outcome, _ = end_in_a_capture(tmp_path, 'print("ends", flush=True)\n')
    of_kineto = (-signal.SIGSEGV, -signal.SIGABRT)  # or the allocator notices it first
    assert outcome.status in (0, *of_kineto), outcome.stderr
    assert b"ends" in outcome.stdout
    assert outcome.run.manifest()["status"] == ("completed" if outcome.status == 0 else "failed")


def test_a_training_that_is_gone_in_its_capture_fails_it(tmp_path):
    outcome, failed = end_in_a_capture(tmp_path, "os._exit(0)\n")
    assert outcome.status == 0
    assert failed


def test_the_scripts_own_profiler_in_a_capture_goes_first(tmp_path):
    """It takes the place of the one from outside, whose trace is thrown away: that is said."""
    own = """
from torch.profiler import profile
with profile() as theirs:
    step(); step()
print(len([e for e in theirs.events() if e.name == "aten::linear"]), "theirs", flush=True)
"""
    outcome, failed = end_in_a_capture(tmp_path, own)
    assert outcome.status == 0, outcome.stderr
    assert failed
    assert b"2 theirs" in outcome.stdout


def test_a_daemon_of_the_users_own_is_left_alone(tmp_path):
    text = (
        "import os; print(os.environ['KINETO_IPC_SOCKET_DIR'], 'KINETO_USE_DAEMON' in os.environ)"
    )
    command = [sys.executable, "-c", text]
    outcome = record(tmp_path, command, "--kineto", env={"KINETO_IPC_SOCKET_DIR": "/mine"})
    assert outcome.stdout == b"/mine False\n"
    assert b"KINETO_IPC_SOCKET_DIR: is set already" in outcome.stderr


def test_a_run_that_was_not_started_so_says_it(tmp_path):
    recording = Recording(tmp_path, training(tmp_path, 600), start_new_session=True)
    try:
        recording.wait_for_line("trains")
        done = capture(recording, "--duration", "1")
    finally:
        stop(recording)
    assert done.returncode == 2
    assert "started with --kineto" in done.stderr
