# SPDX-License-Identifier: Apache-2.0
"""Sampled stacks of real trainings: whose they are, what they name, and what is said without them."""

import collections
import json
import os
import shutil
import signal
import subprocess
import sys

import pytest
from fault_tools import Recording, executable, plain, record, same_as_without, script, wait_for
from test_pythons import python_of

PERIOD_NS = 10_000_000

TRAINING = """
import sys, time
import torch
from torch.utils.data import DataLoader, Dataset

def spin(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass

class Slow(Dataset):
    def __len__(self):
        return 48

    def __getitem__(self, index):
        return decode_sample(index)

def decode_sample(index):
    spin(0.1)
    return torch.zeros(4)

def train_on(model, optimizer, batch):
    optimizer.zero_grad()
    model(batch).sum().backward()
    spin(0.15)
    optimizer.step()

if __name__ == "__main__":
    torch.set_num_threads(1)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Slow(), batch_size=4, num_workers=2,
                        multiprocessing_context=sys.argv[1] if sys.argv[1:] else None)
    for batch in loader:
        train_on(model, optimizer, batch)
    print("trained")
"""

# Ranges of its own, so that any Python has a ring; the last line is line 5 of `innermost`.
CALLS = """
def innermost(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        step(0.01)
def outer():
    innermost(1.5)
outer()
print("done")
"""


def stacks_of(run):
    """The frames of each stack, outermost first."""
    stacks = {}
    for row in sorted(run.rows("stacks"), key=lambda row: row["stack"]):
        callers = [] if row["parent"] is None else stacks[row["parent"]]
        stacks[row["stack"]] = [*callers, row]
    return stacks


def samples_by_process(run):
    """For each pid its samples, each with its frames of Python; `calls`: what the innermost calls in
    C, as the source names it, or None."""
    tracks = {row["track"]: row for row in run.rows("tracks")}
    stacks = stacks_of(run)
    found = collections.defaultdict(list)
    for row in run.rows("samples"):
        track = tracks[row["track"]]
        assert track["kind"] == "thread"
        frames = stacks[row["stack"]]
        calls = frames[-1] if frames[-1]["kind"] == "native" else None
        python = frames[:-1] if calls else frames
        found[track["pid"]].append({**row, "tid": track["tid"], "frames": python, "calls": calls})
    return found


def share(samples, function):
    """Of the time that samples stand for, the part in which a function runs."""
    within = sum(
        one["interval_ns"]
        for one in samples
        if any(frame["function"] == function for frame in one["frames"])
    )
    return within / max(1, sum(one["interval_ns"] for one in samples))


def unread(run):
    facts = [json.loads(row["json"]) for row in run.rows("run_metadata") if row["kind"] == "source"]
    return [fact for fact in facts if fact["source"] == "stacks"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_training_and_its_workers(tmp_path, method):
    (tmp_path / "train.py").write_text(TRAINING)
    command = [sys.executable, str(tmp_path / "train.py"), method]
    outcome = record(tmp_path, command, "--stack-rate", str(1_000_000_000 // PERIOD_NS))
    assert (outcome.status, outcome.stdout) == (0, b"trained\n")
    found = samples_by_process(outcome.run)
    mains = [pid for pid, samples in found.items() if share(samples, "train_on") > 0]
    workers = [pid for pid, samples in found.items() if share(samples, "decode_sample") > 0]
    assert len(mains) == 1 and len(workers) == 2
    main = mains[0]
    train = [one for one in found[main] if share([one], "train_on") > 0]
    assert len(train) >= 5
    lines = TRAINING.splitlines()
    innermost = collections.Counter(
        lines[one["frames"][-1]["line"] - 1].strip()
        for one in train
        if one["frames"][-1]["function"] == "spin"
    )
    assert set(innermost) <= {
        "def spin(seconds):",
        "end = time.monotonic() + seconds",
        "while time.monotonic() < end:",
        "pass",
    }
    assert sum(innermost.values()) >= 3
    clocks = [one["calls"] for one in train if one["calls"]]
    assert {call["file"] for call in clocks} <= {
        "<built-in time>",
        "<built-in torch>",
        "<built-in>",
    }
    assert "time.monotonic" in {call["function"] for call in clocks}, "called all the time"
    for worker in workers:
        fetches = [one for one in found[worker] if one["tid"] == worker]
        first = next(i for i, one in enumerate(fetches) if share([one], "decode_sample"))
        assert len(fetches) - first >= 10
        assert share(fetches[first:], "decode_sample") > 0.3, "most of its life, once imported"
    slowed = [row for row in outcome.run.rows("findings") if "Sampling stacks" in row["text"]]
    longest_ns = 2 * PERIOD_NS * 2 ** len(slowed)
    for pid, samples in found.items():
        for one in samples:
            assert one["state"] in ("running", "waiting")
            assert 0 < one["interval_ns"] <= longest_ns
            assert {frame["kind"] for frame in one["frames"]} == {"python"}
        times = [one["ts_ns"] for one in samples if one["tid"] == pid]
        assert times == sorted(times)
    slices = {row["track"] for row in outcome.run.rows("slices")}
    assert slices & {row["track"] for row in outcome.run.rows("samples")}, "the same tracks"
    assert unread(outcome.run) == []
    numbers = [row["stack"] for row in outcome.run.rows("stacks")]
    assert sorted(numbers) == list(range(len(numbers)))


@pytest.mark.parametrize("version", [(3, minor) for minor in range(11, 15)], ids="{0[1]}".format)
def test_every_python_names_function_and_line(tmp_path, version):
    python = python_of(version)
    command = [python, *script(tmp_path, CALLS)[1:]]
    outcome = record(tmp_path, command, "--stack-rate", "50")
    assert (outcome.status, outcome.stdout) == (0, b"done\n")
    samples = [one for found in samples_by_process(outcome.run).values() for one in found]
    assert share(samples, "innermost") > 0.5
    text = (tmp_path / "train.py").read_text().splitlines()
    for one in samples:
        names = [frame["function"] for frame in one["frames"]]
        if "innermost" not in names[:-1]:
            continue
        assert names[:4] == ["<module>", "outer", "innermost", "step"]
        called = [text[frame["line"] - 1].strip() for frame in one["frames"][:3]]
        assert called == ["outer()", "innermost(1.5)", "step(0.01)"]
    waiting = [one for one in samples if one["state"] == "waiting"]
    assert waiting, "it sleeps most of the time"
    asleep = [one for one in waiting if one["calls"] and one["calls"]["function"] == "time.sleep"]
    assert len(asleep) > len(waiting) / 2
    assert {one["calls"]["file"] for one in asleep} == {"<built-in time>"}


def test_a_training_is_sampled_more_often_at_its_begin(tmp_path):
    text = "end = time.monotonic() + 4.5\nwhile time.monotonic() < end: step(0.003)\n"
    outcome = record(tmp_path, script(tmp_path, text), "--stack-rate", "20")
    begin = min(row["ts_ns"] for row in outcome.run.rows("steps"))
    since = [(row["ts_ns"] - begin) / 1e9 for row in outcome.run.rows("samples")]
    at_first = sum(0.7 < one < 1.7 for one in since)
    later = sum(3.2 < one < 4.2 for one in since)
    assert at_first > 2 * later > 0, (at_first, later)


def test_so_is_one_of_fewer_steps_than_its_warm_up_takes_to_know(tmp_path):
    text = "for _ in range(30): step(0.03)\n"
    outcome = record(tmp_path, script(tmp_path, text), "--stack-rate", "20")
    steps = outcome.run.rows("steps")
    begin, end = (pick(row["ts_ns"] for row in steps) for pick in (min, max))
    within = [one for one in outcome.run.rows("samples") if begin < one["ts_ns"] < end]
    assert len(within) > 1.5 * 20 * (end - begin) / 1e9, (len(within), end - begin)


def test_off_by_one_flag(tmp_path):
    outcome = same_as_without(tmp_path, script(tmp_path, CALLS), "--stack-rate", "0")
    assert outcome.run.rows("samples") == []
    assert outcome.run.rows("stacks") == []
    (told,) = unread(outcome.run)  # what the verdict says where stacks would tell more
    assert told["reason"] == "--stack-rate is 0"
    assert outcome.run.report()["data_loss"]["rows"] == []


def test_an_older_python_is_told_and_recorded(tmp_path):
    python = python_of((3, 8))
    outcome = record(tmp_path, [python, *script(tmp_path, CALLS)[1:]])
    assert (outcome.status, outcome.stdout) == (0, b"done\n")
    assert outcome.run.rows("samples") == []
    told = unread(outcome.run)
    assert len(told) == 1
    assert "CPython before 3.11" in told[0]["reason"]


HIDDEN = (
    """
import ctypes
ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE
"""
    + CALLS
)


def test_a_process_that_forbids_it_is_told_and_unchanged(tmp_path):
    """Without the capability to trace all, a process that is not dumpable cannot be read."""
    prefix = []
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            pytest.skip("setpriv is needed to drop a capability")
        prefix = ["setpriv", "--bounding-set", "-sys_ptrace", "--inh-caps", "-sys_ptrace"]
    command = script(tmp_path, HIDDEN)
    alone = plain([*prefix, *command])
    outcome = Recording(tmp_path, command, prefix=prefix).finish()
    assert (outcome.status, outcome.stdout) == (0, alone.stdout)
    told = unread(outcome.run)
    assert len(told) == 1 and told[0]["reason"] == "its memory may not be read"
    assert "SYS_PTRACE" in told[0]["remedy"]
    assert {row["name"] for row in outcome.run.rows("slices")} >= {"backward", "optimizer"}


def test_stacks_are_there_while_it_runs_and_after_the_agent_died(tmp_path):
    running = Recording(tmp_path, script(tmp_path, CALLS.replace("1.5", "4")))
    run_path = tmp_path / "run"

    def samples_now():
        if not (run_path / "run.json").exists():
            return 0
        shown = subprocess.run(
            [executable(), "show", str(run_path), "samples", "--json"],
            capture_output=True,
            check=False,
        )
        rows = json.loads(shown.stdout) if shown.returncode == 0 else []
        return len(rows["rows"] if isinstance(rows, dict) else rows)

    wait_for(lambda: samples_now() > 5)
    os.kill(running.agent(), signal.SIGKILL)
    outcome = running.finish()
    assert outcome.status == 0
    samples = [one for found in samples_by_process(outcome.run).values() for one in found]
    assert share(samples, "innermost") > 0.3


def test_export_for_viewers(tmp_path):
    outcome = record(tmp_path, script(tmp_path, CALLS), "--stack-rate", "50")
    run = str(outcome.run.path)
    for form in ("speedscope", "folded"):
        done = plain([executable(), "export", run, "--format", form, "-o", str(tmp_path / form)])
        assert done.returncode == 0, done.stderr
    profile = json.loads((tmp_path / "speedscope").read_text())
    frames = profile["shared"]["frames"]
    main = profile["profiles"][0]
    assert len(main["samples"]) == len(main["weights"])
    assert len(main["samples"]) == len(outcome.run.rows("samples"))
    names = [[frames[number]["name"] for number in sample] for sample in main["samples"]]
    assert any(one[:3] == ["<module>", "outer", "innermost"] for one in names)
    assert sum(main["weights"]) == sum(row["interval_ns"] for row in outcome.run.rows("samples"))
    folded = [line.rsplit(" ", 1) for line in (tmp_path / "folded").read_text().splitlines()]
    assert sum(int(weight) for _, weight in folded) == sum(main["weights"])
    assert any(";innermost (" in stack for stack, _ in folded)
