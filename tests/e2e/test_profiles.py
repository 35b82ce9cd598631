# SPDX-License-Identifier: Apache-2.0
"""Profiles by PyTorch's own profiler, in windows and on demand: on the run's clock and tracks, of whole
steps, together in all ranks; and what goes wrong leaves the training as it is."""

import collections
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from fault_tools import LIMIT_S, Recording, executable, record, same_as_without, wait_for

TRAINING = """
import os, sys, time, torch
from torch import nn
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
batch = torch.randn(32, 64)
world = int(os.environ.get("WORLD_SIZE", "1"))
if world > 1:
    torch.distributed.init_process_group("gloo")
    model = nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
steps, pause_s = int(sys.argv[1]), float(sys.argv[2])

def step():
    model(batch).pow(2).mean().backward()
    optimizer.step()
    optimizer.zero_grad()

for number in range(steps):
    step()
    time.sleep(pause_s)
    if number in (30, 100):
        os.write(1, b"step %d\\n" % number)  # whole, beside what other ranks write
"""

TWO_RANKS = """
import os, socket, subprocess, sys
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
ranks = []
for rank in range(2):
    env = dict(os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE="2",
               MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    ranks.append(subprocess.Popen([sys.executable, *sys.argv[1:]], env=env))
sys.exit(max(abs(rank.wait()) for rank in ranks))
"""


def training(folder, steps, pause_s=0.0, more="", ranks=1):
    path = pathlib.Path(folder) / "train.py"
    path.write_text(TRAINING + more)
    command = [sys.executable, str(path), str(steps), str(pause_s)]
    if ranks == 1:
        return command
    launcher = pathlib.Path(folder) / "launch.py"
    launcher.write_text(TWO_RANKS)
    return [sys.executable, str(launcher), *command[1:]]


def capture(*arguments):
    return subprocess.run(
        [executable(), "capture", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def captured_when_it_trains(recording, *arguments):
    deadline = time.monotonic() + LIMIT_S
    while True:
        done = capture(recording.path, *arguments)
        if done.returncode == 0:
            return done
        assert time.monotonic() < deadline, done.stderr
        early = ("no such run", "not a run", "nothing trains yet", "does not answer")
        assert any(words in done.stderr for words in early), done.stderr
        time.sleep(0.3)


def windows(run):
    facts = [
        json.loads(fact["json"]) for fact in run.rows("run_metadata") if fact["kind"] == "window"
    ]
    return [fact for fact in facts if fact["steps"] > 0]


def operators_by_step(run):
    counts = collections.defaultdict(collections.Counter)
    for row in run.rows("slices"):
        if row["category"] == "operator":
            counts[row["rank"], row["step"]][row["name"]] += 1
    return counts


def left_files(run):
    folder = run.path / "profiles"
    return sorted(file.name for file in folder.iterdir()) if folder.exists() else []


def test_a_capture_on_demand_has_stacks_shapes_and_memory_of_its_steps(tmp_path):
    recording = Recording(
        tmp_path, training(tmp_path, 100_000, 0.005), "--no-window", start_new_session=True
    )
    try:
        done = captured_when_it_trains(
            recording, "--steps", 4, "--capture", "stacks,shapes,memory", "--json"
        )
        text = capture(recording.path, "--steps", 2, "--capture", "memory")
    finally:
        os.killpg(recording.pid, signal.SIGTERM)
        outcome = recording.finish()
    report = json.loads(done.stdout)
    linear = [row for row in report["operators"]["rows"] if row["name"] == "aten::linear"]
    assert sum(row["calls"] for row in linear) == 4 * 2, linear
    assert report["memory"], "allocations by operator"
    assert report["steps"]["count"] == 4
    assert text.returncode == 0, text.stderr
    assert "aten::addmm" in text.stdout, text.stdout
    assert "host memory" in text.stdout

    run = outcome.run
    first, second = windows(run)
    assert (first["steps"], second["steps"]) == (4, 2)
    assert (first["kinds"], second["kinds"]) == ("stacks,shapes,memory", "memory")
    counts = operators_by_step(run)
    of_steps = [counts[rank, step] for rank, step in sorted(counts, key=str) if step is not None]
    assert len(of_steps) == 6
    assert all(count["aten::linear"] == 2 for count in of_steps), of_steps
    slices = run.rows("slices")
    main = {row["track"] for row in slices if row["name"] == "optimizer"}
    assert {row["track"] for row in slices if row["name"] == "aten::linear"} == main
    assert any("train.py" in r["name"] for r in slices if r["category"] == "python_function")
    assert any("Input Dims" in row["details"] for row in slices if row["name"] == "aten::linear")
    allocations = run.rows("memory")
    assert allocations
    assert all(
        any(w["from_ns"] <= row["ts_ns"] <= w["to_ns"] for w in (first, second))
        for row in allocations
    ), "by the run's clock"
    assert left_files(run) == []
    assert "profile" not in run.causes()


def test_ranks_are_captured_together_and_the_files_stay_if_they_are_to(tmp_path):
    recording = Recording(
        tmp_path,
        training(tmp_path, 100_000, 0.01, ranks=2),
        "--window",
        "40:3",
        "--capture",
        "profile",
        "--keep-traces",
        start_new_session=True,
    )
    try:
        recording.wait_for_line("step 100")  # the window is over
        done = captured_when_it_trains(recording, "--steps", 50, "--capture", "shapes", "--json")
    finally:
        os.killpg(recording.pid, signal.SIGTERM)
        outcome = recording.finish()
    # The launcher of the ranks may be gone before them: the run then ends with the last of them.
    wait_for(lambda: outcome.run.manifest()["status"] != "in_progress", LIMIT_S)
    assert {row["name"] for row in json.loads(done.stdout)["operators"]["rows"]} >= {"aten::linear"}
    steps = collections.defaultdict(set)
    for rank, step in operators_by_step(outcome.run):
        if step is not None:
            steps[rank].add(step)
    of_window, demanded = {40, 41, 42}, steps[0] - {40, 41, 42}
    assert of_window <= steps[0]
    assert of_window <= steps[1]
    # From the same step on, but for one whose word came late on a busy machine.
    assert demanded & steps[1]
    assert len(left_files(outcome.run)) == 4
    assert all(name.startswith("kept-") for name in left_files(outcome.run))


OWN_PROFILER = """
from torch.profiler import profile, ProfilerActivity
with profile(activities=[ProfilerActivity.CPU]) as theirs:
    step(); step()
print(len([e for e in theirs.events() if e.name == "aten::linear"]), "theirs", flush=True)
for _ in range(20): step()
pid = os.fork()
if pid == 0:
    sys.exit(3)  # would wait for ever in Kineto's destructor
print("child", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


def test_the_scripts_own_profiler_goes_first_and_a_window_may_outlast_the_run(tmp_path):
    outcome = record(
        tmp_path,
        training(tmp_path, 50, 0.0, OWN_PROFILER),
        "--window",
        "45:1000000",
        "--capture",
        "profile",
    )
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout.splitlines()[-2:] == [b"4 theirs", b"child 3"]
    counts = operators_by_step(outcome.run)
    assert set(range(45, 50)) <= {step for _, step in counts}
    assert {step for _, step in counts} & set(range(54, 72)), "again after it"
    assert all(count["aten::linear"] == 2 for (_, step), count in counts.items() if step)
    assert left_files(outcome.run) == []


def test_windows_of_each_kind_follow_each_other_and_overlap(tmp_path):
    """As SageMaker's: each kind has its own steps. A step takes a millisecond here."""
    outcome = record(
        tmp_path,
        training(tmp_path, 60),
        "--window",
        "5:1=operators,7:1=stacks,9:1=shapes",
        "--window",
        "20:6=operators,22:2=shapes",
    )
    assert outcome.status == 0, outcome.stderr
    run = outcome.run
    assert not {"window", "window_cut"} & set(run.causes()), run.rows("data_loss")
    assert [(fact["window"], fact["steps"]) for fact in windows(run)] == [
        ("5:1=operators", 1),
        ("7:1=stacks", 1),
        ("9:1=shapes", 1),
        ("20:2=operators", 2),
        ("22:2=operators+shapes", 2),
        ("24:2=operators", 2),
    ]
    steps = {step for _, step in operators_by_step(run) if step is not None}
    assert {5, 7, 9, *range(20, 26)} <= steps
    linear = [row for row in run.rows("slices") if row["name"] == "aten::linear"]
    shaped = {row["step"] for row in linear if "Input Dims" in (row["details"] or "")}
    assert shaped == {9, 22, 23}
    whole = collections.Counter(row["step"] for row in linear if row["step"] is not None)
    assert whole == dict.fromkeys([5, 7, 9, *range(20, 26)], 2)


FORKS = """
import torch
from torch import nn
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
data = torch.utils.data.TensorDataset(torch.ones(80, 64))
for epoch in range(3):  # with workers that are forked in the window
    for (batch,) in torch.utils.data.DataLoader(data, batch_size=8, num_workers=2):
        model(batch).pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
print("done", flush=True)
"""


def test_what_is_forked_in_a_window_says_nothing(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(FORKS)
    outcome = same_as_without(
        tmp_path, [sys.executable, str(path)], "--window", "5:20", "--capture", "stacks"
    )
    assert [window["steps"] for window in windows(outcome.run)] == [20]


CUT_OFF = """
import pathlib
from torch.profiler import profile, ProfilerActivity
with profile(activities=[ProfilerActivity.CPU]) as theirs:
    for _ in range(10): step()
whole = pathlib.Path(sys.argv[0]).with_name("whole.json")
theirs.export_chrome_trace(str(whole))
text = whole.read_text()
folder = pathlib.Path(os.environ["STEPTRACE_RUN_DIR"]) / "profiles"
folder.mkdir()
new = folder / "new"
new.write_text(text[: len(text) // 2])
new.rename(folder / f"{os.getpid()}-1.json")
(folder / f"{os.getpid()}-2.json").write_text("no profile at all")
(folder / "1-1.json").symlink_to("/etc/passwd")
time.sleep(1)
"""


def test_a_trace_that_is_cut_off_gives_what_it_has_and_says_so(tmp_path):
    outcome = record(tmp_path, training(tmp_path, 60, 0.0, CUT_OFF), "--no-window")
    assert outcome.status == 0, outcome.stderr
    linear = [row for row in outcome.run.rows("slices") if row["name"] == "aten::linear"]
    assert 0 < len(linear) < 20
    details = [row["detail"] for row in outcome.run.rows("data_loss") if row["cause"] == "profile"]
    assert any("cut" in detail for detail in details), details
    assert any("could not be imported" in detail for detail in details), details
    assert [name for name in left_files(outcome.run) if name.startswith("refused-")]


@pytest.mark.parametrize("victim", ["agent", "training"])
def test_who_is_killed_in_a_window_takes_nobody_along(tmp_path, victim):
    steps = 1000 if victim == "agent" else 100_000
    recording = Recording(
        tmp_path,
        training(tmp_path, steps, 0.005),
        "--window",
        "10:1000000",
        "--capture",
        "profile",
        start_new_session=True,
    )
    recording.wait_for_line("step 30")
    if victim == "agent":
        os.kill(recording.agent(), signal.SIGKILL)
    else:
        os.kill(recording.command(), signal.SIGKILL)
    outcome = recording.finish()
    if victim == "agent":
        assert outcome.status == 0, outcome.stderr
        assert b"the agent was gone" in outcome.stderr
        # Its file lies there for `steptrace import`.
        assert len(left_files(outcome.run)) == 1
    else:
        assert outcome.run.manifest()["status"] == "failed"
