# SPDX-License-Identifier: Apache-2.0
"""The critical path of made and real profiles: its parts sum to the window, its device parts lie
inside the device work that they name, and simple cases come out as drawn."""

import collections
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import distributed_reference as reference
from profile_runs import imported, made_ranks, section, shared, steptrace

REAL = [
    ("a100_nccl_rank0of2.pt.trace.json.gz",),
    ("a100_event_sync_multistream.pt.trace.json.gz",),
    ("a100_simple_add.pt.trace.json.gz",),
    ("b200_vllm_eager.pt.trace.json.gz",),
    ("mi300x_resnet_rank0of8.pt.trace.json.gz",),
    ("v100_resnet50_workers0.pt.trace.json.gz",),
    ("sampled_rank0of128.pt.trace.json.gz", "sampled_rank1of128.pt.trace.json.gz"),
]


KEPT = {"device_gap", "not_recorded", "not_linked"}


def check_sums(path):
    window = path["window"]
    assert sum(cause["ns"] for cause in window["causes"]) == window["dur_ns"]
    assert sum(row["ns"] for row in path["rows"]) == window["dur_ns"]
    assert sum(row["segments"] for row in path["rows"]) == path["segment_count"]
    ended = window["ts_ns"]
    for step in path["steps"]:
        assert sum(cause["ns"] for cause in step["causes"]) == step["dur_ns"]
        assert step["ts_ns"] >= ended
        ended = step["ts_ns"] + step["dur_ns"]
    assert ended <= window["ts_ns"] + window["dur_ns"]
    check_what_if(path)


def check_what_if(path):
    """The figures of all what-ifs fit each other and the path."""
    window = path["window"]["dur_ns"]
    on_path = {cause["cause"]: cause["ns"] for cause in path["window"]["causes"]}
    of_steps = collections.Counter()
    for step in path["steps"]:
        for cause in step["causes"]:
            of_steps[cause["cause"]] += cause["ns"]
    total = sum(step["dur_ns"] for step in path["steps"])
    steps = len(path["steps"])
    assert path["mean_step_ns"] == (total // steps if steps else None)
    removed = {}
    for change in path["what_if"]:
        part = 1 if change["change"] == "removed" else 2
        stage = change["stage"]
        assert stage not in KEPT
        saved = -(-on_path[stage] // part)
        assert change["at_most_ns"] == window - saved <= change["window_ns"] <= window
        assert sum(cause["ns"] for cause in change["causes"]) == change["window_ns"]
        if part == 1:
            removed[stage] = change
            assert all(cause["cause"] != stage for cause in change["causes"])
        if not steps:
            assert change["step_ns"] is change["step_at_most_ns"] is None
            continue
        assert change["step_at_most_ns"] <= change["step_ns"] <= path["mean_step_ns"]
        # Steps, each replayed by itself, with what is between them are no shorter than all at once.
        between = window - total
        assert change["window_ns"] <= (change["step_ns"] + 1) * steps + between
    for change in path["what_if"]:
        assert change["window_ns"] >= removed[change["stage"]]["window_ns"]
        if steps:
            assert change["step_ns"] >= removed[change["stage"]]["step_ns"]


@pytest.mark.parametrize("names", REAL)
def test_sums_and_bounds_on_real_profiles(tmp_path, names):
    paths = shared(*names)
    run = imported(tmp_path, *paths)
    path = section(run, "critical-path")["critical_path"]
    assert path["status"] == "found"
    check_sums(path)
    text = steptrace("report", run, "--section", "critical-path")
    assert all(len(line) <= 80 for line in text.splitlines()), text


def test_computing_on_the_path_is_computing_of_the_device(tmp_path):
    """A kernel is on the path for no longer than it ran, of each name; and an idle device cannot
    be a path of computing (HTA says so of profiles: pytorch_profiler.md 2.4)."""
    (source,) = shared("a100_nccl_rank0of2.pt.trace.json.gz")
    rank = reference.Rank(source)
    ran = collections.Counter()
    for event in rank.events:
        if event["cat"] == "kernel":
            ran[event["name"]] += event["to"] - event["from"]
    path = section(imported(tmp_path, source), "critical-path")["critical_path"]
    for row in path["rows"]:
        if row["cause"] in ("compute", "communication"):
            assert row["ns"] <= ran[row["name"]]


def test_made_ranks(tmp_path):
    path = section(imported(tmp_path, *made_ranks(tmp_path)), "critical-path")["critical_path"]
    check_sums(path)
    assert [step["step"] for step in path["steps"]] == [0, 1, 2]
    # The script's thread goes on by itself: it never waits for the device here, so what ends each
    # step is the step's own end, and the last collective hangs on rank 1's loader.
    assert path["what_if"][0]["stage"] in ("data", "host")
