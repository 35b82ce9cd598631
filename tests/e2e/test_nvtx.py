# SPDX-License-Identifier: Apache-2.0
"""NVTX ranges of a script, through the package `nvtx`, which holds a copy of NVTX's own header."""

import collections
import sys

from fault_tools import record

TRAINING = """
import threading
import nvtx, steptrace

@nvtx.annotate("batch", domain="mine", category="loading")
def batch():
    with nvtx.annotate("read"):
        pass

started = nvtx.start_range("prefetch", domain="mine")
for step in range(5):
    batch()
    with nvtx.annotate("tokenise", payload=step):
        pass
    nvtx.mark("here")
    steptrace.step()
thread = threading.Thread(target=lambda: nvtx.end_range(started))
thread.start()
thread.join()
other = nvtx.Domain("other")
attributes = other.get_event_attributes(message="kept")
for _ in range(3):
    other.push_range(attributes)
    other.pop_range()
"""


def test_ranges_of_the_package_nvtx_are_ranges_of_the_users(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(TRAINING)
    outcome = record(tmp_path, [sys.executable, str(path)])
    assert outcome.status == 0, outcome.stderr
    rows = [row for row in outcome.run.rows("slices") if row["category"] == "user"]
    counts = collections.Counter(row["name"] for row in rows)
    assert counts["mine/loading: batch"] == 5
    assert counts["read"] == 5
    assert counts["tokenise"] == 5
    assert counts["here"] == 5
    assert counts["mine: prefetch"] == 1
    assert counts["other: kept"] == 3
    batches = [row for row in rows if row["name"] == "mine/loading: batch"]
    reads = [row for row in rows if row["name"] == "read"]
    for outer, inner in zip(batches, reads):
        assert inner["depth"] == outer["depth"] + 1
        assert outer["ts_ns"] <= inner["ts_ns"]
        assert inner["ts_ns"] + inner["dur_ns"] <= outer["ts_ns"] + outer["dur_ns"]
    prefetch = next(row for row in rows if row["name"] == "mine: prefetch")
    last = max(row["ts_ns"] for row in rows if row["name"] == "here")
    assert prefetch["ts_ns"] <= batches[0]["ts_ns"]
    assert prefetch["ts_ns"] + prefetch["dur_ns"] >= last
    assert prefetch["track"] != batches[0]["track"]
    assert outcome.run.causes() == {}
    # Each step's own time of each of them, to the nanosecond.
    steps = [(row["ts_ns"], row["ts_ns"] + row["dur_ns"]) for row in outcome.run.rows("steps")]
    own = collections.Counter()
    for begin, end in steps:
        for name in ("read", "tokenise"):
            inside = [row for row in rows if row["name"] == name and begin <= row["ts_ns"] < end]
            own[begin, name] += sum(row["dur_ns"] for row in inside)
    told = {
        (row["ts_ns"], row["stage"]): row["dur_ns"]
        for row in outcome.run.rows("step_stages")
        if row["stage"] in ("read", "tokenise")
    }
    assert told == {key: ns for key, ns in own.items() if ns > 0}
    assert {row["phase"] for row in outcome.run.rows("step_stages")} == {"other"}


def test_without_a_run_nothing_is_loaded(tmp_path):
    """The variable alone, as a child with a cleared environment may keep it: NVTX stays off."""
    path = tmp_path / "train.py"
    path.write_text(
        "import os, subprocess, sys\n"
        "keep = {'NVTX_INJECTION64_PATH': os.environ['NVTX_INJECTION64_PATH']}\n"
        "code = \"import nvtx; r = nvtx.start_range('x'); nvtx.end_range(r); print('done')\"\n"
        "print(subprocess.run([sys.executable, '-c', code], env=keep, check=True,\n"
        "      capture_output=True, text=True).stdout, end='')\n"
    )
    outcome = record(tmp_path, [sys.executable, str(path)])
    assert outcome.stdout == b"done\n", outcome.stderr
