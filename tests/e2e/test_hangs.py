# SPDX-License-Identifier: Apache-2.0
"""Trainings that hang are told while they do, with who waits for whom and in which line; others are
not."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest
from fault_tools import LIMIT_S, Recording, Run, executable, record, wait_for

# Waits in `late` until a file is there, so that no test depends on how busy the machine is.
TRAINING = """
import os, sys, time
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)
GO = os.environ.get("TEST_GO", "")

def late():
    while not os.path.exists(GO):
        time.sleep(0.05)

class Rows(Dataset):
    def __init__(self, count, at=None, pause=0.0):
        self.count, self.at, self.pause = count, at, pause

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if index == self.at:
            late()
        time.sleep(self.pause)
        return torch.zeros(4)

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train(batch, pause=0.0):
    optimizer.zero_grad()
    model(batch).sum().backward()
    time.sleep(pause)
    if dist.is_initialized():
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad)
    optimizer.step()
"""

MISSING_RANK = """
dist.init_process_group("gloo")
for number, batch in enumerate(DataLoader(Rows(40), batch_size=1)):
    if number == 20 and dist.get_rank() == 1:
        late()
    train(batch)
dist.destroy_process_group()
"""

BLOCKED_WORKER = """
for batch in DataLoader(Rows(64, at=40), batch_size=1, num_workers=2):
    train(batch)
"""

FIRST_BATCH = """
for batch in DataLoader(Rows(64, at=0), batch_size=1, num_workers=1):
    train(batch)
"""

# Its workers have made all that they may by then, and wait for the training.
FIRST_STEP = """
for batch in DataLoader(Rows(64), batch_size=1, num_workers=2):
    late()
    train(batch)
"""

NO_HANG = """
for batch in DataLoader(Rows(20), batch_size=1):
    train(batch)
with torch.no_grad():
    for batch in DataLoader(Rows(2, pause=11.0), batch_size=1):
        model(batch)
for batch in DataLoader(Rows(10), batch_size=1):
    train(batch)
for batch in DataLoader(Rows(5), batch_size=1):
    train(batch, pause=2.0)
"""


def command(folder, text, *launcher):
    path = pathlib.Path(folder) / "train.py"
    path.write_text(TRAINING + text)
    return [sys.executable, *launcher, str(path)]


def hangs(run):
    if not (run.path / "run.json").exists():
        return []
    return [row for row in run.rows("findings") if row["subject"] == "hang"]


def text_report(run):
    done = subprocess.run(
        [executable(), "report", str(run.path)], capture_output=True, timeout=LIMIT_S, check=True
    )
    return done.stdout.decode()


def line_of(folder, text):
    lines = (pathlib.Path(folder) / "train.py").read_text().splitlines()
    return 1 + next(number for number, line in enumerate(lines) if text in line)


def in_late(folder, frames):
    """The innermost frame is in `late`, in its loop."""
    loop = line_of(folder, "while not os.path.exists(GO)")
    names = [frame["function"] for frame in frames]
    frame = frames[names.index("late")]
    return frame["line"] in (loop, loop + 1) and frame["file"].endswith("train.py")


def test_the_missing_rank_is_named_while_the_others_wait(tmp_path):
    go = tmp_path / "go"
    training = command(
        tmp_path,
        MISSING_RANK,
        *("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"),
    )
    running = Recording(tmp_path, training, env={"TEST_GO": str(go)})
    run = Run(running.path)
    (told,) = wait_for(lambda: hangs(run), LIMIT_S)
    assert told["severity"] == "error"
    assert "rank 0 waits in all_reduce (" in told["text"]
    assert "rank 1 is missing: in no phase, in late (train.py:" in told["text"]
    evidence = json.loads(told["evidence"])
    assert (evidence["stuck"], evidence["missing"]) == ([0], [1])
    ranks = {rank["rank"]: rank for rank in evidence["ranks"]}
    assert ranks[0]["in"]["name"] == "all_reduce" and ranks[0]["in"]["bytes"] > 0
    assert in_late(tmp_path, ranks[1]["stack"])
    assert any(frame["function"] == "train" for frame in ranks[0]["stack"])
    shown = text_report(run)
    assert "rank 1 is missing" in " ".join(shown.split())
    assert "Hang: at " in "".join(shown.splitlines()[:4]), "on top"
    go.write_text("")
    outcome = running.finish()
    assert outcome.status == 0
    rows = hangs(outcome.run)
    assert [row["severity"] for row in rows] == ["error", "info"]
    assert "steps go on" in rows[1]["text"]
    notices = [line for line in outcome.stderr.decode().splitlines() if "hang: " in line]
    assert len(notices) == 1 and "rank 1 is missing" in notices[0]
    assert "Hang:" not in text_report(outcome.run)


def test_a_blocked_worker_is_named_and_stays_told_when_the_job_is_killed(tmp_path):
    training = command(tmp_path, BLOCKED_WORKER)
    running = Recording(tmp_path, training, "--quiet", env={"TEST_GO": str(tmp_path / "never")})
    run = Run(running.path)
    (told,) = wait_for(lambda: hangs(run), LIMIT_S)
    evidence = json.loads(told["evidence"])
    worker = evidence["ranks"][0]["in"]["worker"]
    assert f"rank 0 waits for data of worker {worker}, which is in late (train.py:" in told["text"]
    workers = {one["pid"]: one for one in evidence["workers"]}
    assert len(workers) == 2
    assert in_late(tmp_path, workers[worker]["stack"])
    for pid in (running.command(), *workers):  # as who ends a job does
        os.kill(pid, signal.SIGKILL)
    outcome = running.finish()
    assert outcome.status == -signal.SIGKILL or outcome.status == 128 + signal.SIGKILL
    assert outcome.stderr == b"", "--quiet"
    assert [row["severity"] for row in hangs(outcome.run)] == ["error"]
    shown = text_report(outcome.run)
    assert "Hang: at " in "".join(shown.splitlines()[:4]), "on top"


def test_before_the_first_batch_it_is_told_where_the_job_is(tmp_path):
    """There is no usual step yet to tell a hang by, and somebody stops it."""
    training = command(tmp_path, FIRST_BATCH)
    running = Recording(tmp_path, training, "--quiet", env={"TEST_GO": str(tmp_path / "never")})
    run = Run(running.path)

    loop = line_of(tmp_path, "for batch in DataLoader(Rows(64, at=0)")

    def told():  # once it has awaited its batch for longer than it took to get there
        if not (run.path / "run.json").exists():
            return None
        verdict = run.report()["verdict"]
        texts = [one["text"] for one in verdict["evidence"]]
        found = next((text for text in texts if f"(train.py:{loop})" in text), None)
        return found and (verdict, found)

    verdict, text = wait_for(told, LIMIT_S)
    place = f"time.sleep (train.py:{line_of(tmp_path, 'while not os.path.exists(GO)') + 1})"
    assert verdict["headline"].startswith("no step yet")
    (share,) = re.findall(rf"worker waited in {re.escape(place)} \((\d+) % of \d+ samples\)$", text)
    assert int(share) >= 80
    os.kill(running.command(), signal.SIGINT)
    outcome = running.finish()
    assert outcome.status in (-signal.SIGINT, 128 + signal.SIGINT)
    verdict = run.report()["verdict"]
    assert "was stopped before its first optimizer step" in verdict["headline"]
    assert f"look at {place}: it was there when it was stopped" in verdict["advice"][0]["text"]
    (text,) = [one["text"] for one in verdict["evidence"] if one["kind"] == "run.last_seen"]
    assert f"(train.py:{loop})" in text, text


def test_workers_that_have_made_their_batches_are_not_blamed(tmp_path):
    training = command(tmp_path, FIRST_STEP)
    running = Recording(tmp_path, training, "--quiet", env={"TEST_GO": str(tmp_path / "never")})
    run = Run(running.path)
    place = f"time.sleep (train.py:{line_of(tmp_path, 'while not os.path.exists(GO)') + 1})"

    def told():
        if not (run.path / "run.json").exists():
            return None
        verdict = run.report()["verdict"]
        advice = [one["text"] for one in verdict["advice"]]
        return verdict if any(text == f"look at {place}: it is there" for text in advice) else None

    verdict = wait_for(told, LIMIT_S)
    (text,) = [one["text"] for one in verdict["evidence"] if one["kind"] == "run.last_seen"]
    assert f"the training thread waited in {place}" in text
    assert "worker" not in text
    os.kill(running.command(), signal.SIGINT)
    running.finish()


def test_an_evaluation_and_a_training_that_slows_down_are_no_hang(tmp_path):
    outcome = record(tmp_path, command(tmp_path, NO_HANG))
    assert outcome.status == 0
    assert hangs(outcome.run) == []
    assert b"hang" not in outcome.stderr


@pytest.mark.soak
def test_off_by_one_flag(tmp_path):
    go = tmp_path / "go"
    training = command(tmp_path, BLOCKED_WORKER)
    running = Recording(tmp_path, training, "--no-hang-watch", env={"TEST_GO": str(go)})
    run = Run(running.path)

    def steps():
        rows = run.rows("slices") if (run.path / "run.json").exists() else []
        return sum(row["name"] == "optimizer" for row in rows)

    wait_for(lambda: steps() >= 20, LIMIT_S)
    time.sleep(13)
    go.write_text("")
    assert running.finish().status == 0
    assert hangs(run) == []
