# SPDX-License-Identifier: Apache-2.0
"""Trainings whose memory the agent may not read: they sample their own stacks, and stages are named
as ever."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from fault_tools import Recording
from test_stacks import TRAINING, samples_by_process, share, unread

STAGED = Path(__file__).resolve().parent / "trainings" / "staged.py"
ONE_THREAD = {"OMP_NUM_THREADS": "1"}

# Runs a script in a process that is not dumpable, and so cannot be read without a capability.
HIDDEN = """
import ctypes, runpy, sys
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def without_the_capability():
    """A command prefix for who may trace all."""
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        pytest.skip("setpriv is needed to drop a capability")
    return ["setpriv", "--bounding-set", "-sys_ptrace", "--inh-caps", "-sys_ptrace"]


def record_hidden(folder, *command):
    (folder / "hidden.py").write_text(HIDDEN)
    hidden = [sys.executable, str(folder / "hidden.py"), *map(str, command)]
    recording = Recording(
        folder,
        hidden,
        "--quiet",
        "--stack-rate",
        "100",
        prefix=without_the_capability(),
        env=ONE_THREAD,
        cwd=folder,
    )
    outcome = recording.finish()
    assert (outcome.status, outcome.stderr) == (0, b"")
    return outcome


def test_a_training_and_its_workers_sample_themselves(tmp_path):
    (tmp_path / "train.py").write_text(TRAINING)
    outcome = record_hidden(tmp_path, tmp_path / "train.py", "fork")
    assert outcome.stdout == b"trained\n"
    told = unread(outcome.run)
    assert len(told) == 3
    assert all(fact["reason"] == "its memory may not be read" for fact in told)
    assert all("sample itself" in fact["instead"] for fact in told)
    hooks = [
        json.loads(row["json"]) for row in outcome.run.rows("run_metadata") if row["kind"] == "hook"
    ]
    assert sum("steptrace-stack" in fact["reason"] for fact in hooks) >= 3
    found = samples_by_process(outcome.run)
    assert len(found) == 3
    mains = [pid for pid, samples in found.items() if share(samples, "train_on") > 0]
    workers = [pid for pid, samples in found.items() if share(samples, "decode_sample") > 0]
    assert len(mains) == 1 and len(workers) == 2
    lines = TRAINING.splitlines()
    for pid, samples in found.items():
        times = [one["ts_ns"] for one in samples if one["tid"] == pid]
        assert times == sorted(times) and len(times) >= 5
        for one in samples:
            assert one["interval_ns"] >= 0 and one["frames"][0]["parent"] is None
            for caller, frame in zip(one["frames"], one["frames"][1:]):
                if frame["function"] == "decode_sample":
                    assert lines[caller["line"] - 1].strip() == "return decode_sample(index)"
    for worker in workers:
        own = [one for one in found[worker] if one["tid"] == worker]
        assert share(own, "decode_sample") > 0.3
        running = [one for one in own if one["state"] == "running"]
        assert share(running, "spin") > 0.3
    numbers = [row["stack"] for row in outcome.run.rows("stacks")]
    assert sorted(numbers) == list(range(len(numbers)))
    assert "invalid_samples" not in outcome.run.causes()


def test_the_stage_of_a_slow_dataset_is_named(tmp_path):
    outcome = record_hidden(tmp_path, STAGED, "decode", tmp_path, 60)
    report = outcome.run.report()
    assert report["verdict"]["suspect"] == "data_pipeline"
    # On a busy machine the shortage of CPU may come first; of the dataset's own work this does.
    stages = {stage["name"]: stage for stage in report["data_pipeline"]["stages"]}
    assert stages["decode"]["samples"] > 0
    for other in ("storage_read", "augmentation", "tokenise", "dataset_code", "getitem", "lock"):
        assert stages["decode"]["ns"] > stages.get(other, {"ns": 0})["ns"], stages
    function = stages["decode"]["functions"][0]
    assert function["function"].split(".")[-1] == "make"
    assert Path(function["file"]) == STAGED
    assert function["call"] == "ParquetFile.read_row_group"


def test_who_can_be_read_has_no_thread_of_ours(tmp_path):
    """A training that prints the names of its threads at each step."""
    program = """
import os, time, torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
names = set()
for _ in range(60):
    model(torch.ones(1, 4)).sum().backward()
    optimizer.step()
    time.sleep(0.01)  # so that many a sample falls into it
    for task in os.listdir("/proc/self/task"):
        names.add(open(f"/proc/self/task/{task}/comm").read().strip())
print([name for name in names if name.startswith("steptrace")])
"""
    (tmp_path / "train.py").write_text(program)
    command = [sys.executable, str(tmp_path / "train.py")]
    outcome = Recording(tmp_path, command, "--stack-rate", "100", env=ONE_THREAD).finish()
    assert (outcome.status, outcome.stdout) == (0, b"[]\n")
    assert outcome.run.rows("samples") != []
