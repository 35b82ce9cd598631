# SPDX-License-Identifier: Apache-2.0
"""Profiles of ranks that communicate on the host: two real processes with gloo, of which one comes
late, against hand timers in them and against the trace's own numbers to the nanosecond."""

import json
import os
import socket
import subprocess
import sys
from decimal import Decimal

import profile_runs
import pytest
from other_work import OtherWork

LATE_S = 0.06
CALLS = 12  # two buckets of gradients in each of six steps
TRAINING = f"""
import json, os, sys, threading, time, torch
import torch.distributed as dist
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule

def runs(task):
    try:
        with open(f"/proc/self/task/{{task}}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] == "R"
    except OSError:  # it has ended
        return False

def others_run():
    own = str(threading.get_native_id())
    return any(runs(task) for task in os.listdir("/proc/self/task") if task != own)

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
model = nn.parallel.DistributedDataParallel(nn.Sequential(*[nn.Linear(512, 512) for _ in range(4)]))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
spent = []
with profile(activities=[ProfilerActivity.CPU],
             schedule=schedule(wait=1, warmup=1, active=6, repeat=1),
             on_trace_ready=lambda p: p.export_chrome_trace(sys.argv[1] + f"/rank{{rank}}.json"),
             with_stack=sys.argv[2] == "stacks") as profiler:
    for number in range(8):
        begin = time.perf_counter_ns()
        if rank == 1: time.sleep({LATE_S})
        loss = model(torch.ones(16, 512)).square().mean()
        optimizer.zero_grad()
        forward = time.perf_counter_ns()
        loss.backward()
        backward = time.perf_counter_ns()
        optimizer.step()
        if number == 7:  # until the threads that made the last calls have ended these: see profiled()
            time.sleep(0.02)
            while others_run(): time.sleep(0.001)
        profiler.step()
        if number >= 2: spent.append([forward - begin, backward - forward,
                                      time.perf_counter_ns() - begin])
with open(sys.argv[1] + f"/spent{{rank}}", "w") as file: json.dump(spent, file)
dist.barrier()
# All that is looked at is written. What is left is the end of PyTorch's own threads beside the
# interpreter's, which aborts once in hundreds of such trainings, without a profile of ours in it.
os._exit(0)
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def profiled(folder, stacks):
    """A run, its traces and hand timers. PyTorch loses a call whose gloo thread has not ended it when
    the profiler stops, though the training has its result. The training waits until none of its threads
    runs; one that lost a call even so is made anew."""
    (folder / "train.py").write_text(TRAINING)
    paths = [folder / f"rank{rank}.json" for rank in range(2)]
    for _ in range(5):
        train(folder, stacks)
        if all(len(collectives(path)) == CALLS for path in paths):
            break
    spent = [json.loads((folder / f"spent{rank}").read_text()) for rank in range(2)]
    return profile_runs.imported(folder, *paths), paths, spent


def train(folder, stacks):
    environment = dict(os.environ, MASTER_ADDR="127.0.0.1", MASTER_PORT=str(free_port()))
    ranks = [
        subprocess.Popen(
            [sys.executable, str(folder / "train.py"), str(folder), stacks],
            env=dict(environment, WORLD_SIZE="2", RANK=str(rank)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for rank in range(2)
    ]
    for rank in ranks:
        _, said = rank.communicate(timeout=300)
        assert rank.returncode == 0, said.decode()


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    with OtherWork() as other:
        made = profiled(tmp_path_factory.mktemp("gloo"), "plain")
    return *made, other.shared()


def collectives(path):
    """Begin and end of a rank's, in its own ns, in the order of their begin."""
    trace = json.loads(path.read_text(), parse_float=Decimal)
    base = int(trace["baseTimeNanoseconds"])
    found = [
        (base + int(event["ts"] * 1000), int(event["dur"] * 1000))
        for event in trace["traceEvents"]
        if event.get("ph") == "X" and event["name"].startswith("gloo:")
    ]
    return sorted((begin, begin + dur) for begin, dur in found)


def test_waits_are_those_of_the_traces_to_the_nanosecond(plain):
    run, paths, _, _ = plain
    distributed = profile_runs.section(run, "distributed")["distributed"]
    first, second = [collectives(path) for path in paths]
    assert len(first) == len(second) == distributed["collective_count"] == CALLS
    assert distributed["status"] == "found"
    assert not distributed["clocks_corrected"]
    waits = [0, 0]
    for (begin, _), (other, _) in zip(first, second, strict=True):
        waits[0] += max(0, other - begin)
        waits[1] += max(0, begin - other)
    assert [row["wait_ns"] for row in distributed["ranks"]] == waits
    for row, calls in zip(distributed["ranks"], (first, second), strict=True):
        assert row["transfer_ns"] + row["wait_ns"] == sum(end - begin for begin, end in calls)
        assert row["unmatched"] == 0
    # gloo has several calls at once, whose sum may be longer than the time that passed.
    at_once = sum(end - begin for begin, end in first) > sum(
        distributed["ranks"][0][part] for part in ("overlap_ns", "exposed_ns")
    )
    said = profile_runs.steptrace("report", run, "--section", "distributed")
    assert ("several at once" in said) == at_once
    assert distributed["blame"][0]["rank"] == 1
    assert all(one["group"] == "0" for one in distributed["collectives"])


def test_the_verdict_is_the_rank_that_comes_late(plain):
    run, _, spent, _shared = plain
    report = json.loads(profile_runs.steptrace("report", run, "--json"))
    verdict = report["verdict"]
    assert verdict["suspect"] == "communication"
    assert "rank 1 is late" in verdict["headline"], verdict["headline"]
    # The exchange runs on the cores that compute: what the rest takes without the sleep is not known.
    assert verdict["at_most_speedup"] is None
    assert any(one["kind"] == "communication.on_the_host" for one in verdict["evidence"])
    # Of rank 0's backward the rest, but for what rank 1 needs for its own, is waiting.
    waited_ns = sum(a[1] - b[1] for a, b in zip(*spent, strict=True))
    (row,) = [r for r in report["stages"]["rows"] if r["name"] == "straggler"]
    assert row["ns"] == pytest.approx(waited_ns, rel=0.2)
    assert verdict["share"] == row["share"]


def test_stacks_name_what_makes_it_late(tmp_path):
    run, _, _ = profiled(tmp_path, "stacks")
    report = json.loads(profile_runs.steptrace("report", run, "--json"))
    assert "time.sleep (train.py:" in report["verdict"]["headline"], report["verdict"]["headline"]
    distributed = profile_runs.section(run, "distributed")["distributed"]
    late = distributed["blame"][0]
    assert (late["rank"], late["cause"]) == (1, "host_work")
    assert "sleep" in late["parts"][0]["name"]
