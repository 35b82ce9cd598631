# SPDX-License-Identifier: Apache-2.0
"""An import that is stopped leaves nothing; one that was killed is cleaned up by the next."""

import gzip
import os
import shutil
import signal
import subprocess
import time

import make_trace
import pytest
from imports import executable, manifest, steptrace


def long_profile(path):
    """Hundreds of MB that are few on the disk: one gzip member of events, again and again."""
    events = make_trace.text(steps=100).split('"traceEvents": [\n')[1].split("\n  ],\n")[0]
    member = gzip.compress((events + ",\n").encode(), 1)
    with open(path, "wb") as out:
        out.write(gzip.compress(b'{"schemaVersion": 1, "traceEvents": [\n'))
        for _ in range(100):
            out.write(member)
        out.write(gzip.compress(b'{"ph": "M"}]}'))


def hidden(folder):
    return sorted(p.name for p in folder.iterdir() if p.name.startswith("."))


def begin(path, run):
    """An import that is halted as soon as its folder is seen; it may have ended before."""
    child = subprocess.Popen(
        [executable(), "import", str(path), "-o", str(run)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    name = f".{run.name}.{child.pid}.partial"
    limit = time.monotonic() + 60
    while name not in hidden(run.parent) and not run.exists():
        assert child.poll() is None and time.monotonic() < limit, child.communicate()
        time.sleep(0.001)
    child.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
    return child


def halted(path, run):
    """An import that is at work, and halted: its folder is there, and stays so."""
    for _ in range(20):
        child = begin(path, run)
        if hidden(run.parent) == [f".{run.name}.{child.pid}.partial"]:
            return child
        child.send_signal(signal.SIGCONT)  # a busy machine: it was done before it was seen
        assert child.wait(timeout=60) == 0, child.communicate()
        shutil.rmtree(run)
    raise AssertionError("no import was seen at work")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_import_leaves_nothing(tmp_path, number):
    path = tmp_path / "long.json.gz"
    long_profile(path)
    child = halted(path, tmp_path / "run")
    child.send_signal(number)
    child.send_signal(signal.SIGCONT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 128 + number
    assert out == ""
    assert err.count("\n") == 1 and "was stopped" in err and str(tmp_path / "run") in err
    assert os.listdir(tmp_path) == ["long.json.gz"]


def test_the_next_import_removes_what_a_killed_one_left(tmp_path):
    path = tmp_path / "long.json.gz"
    long_profile(path)
    child = halted(path, tmp_path / "run")
    child.kill()
    child.communicate(timeout=60)
    assert hidden(tmp_path) == [f".run.{child.pid}.partial"]
    short = tmp_path / "short.json"
    short.write_text(make_trace.text(steps=1))
    steptrace("import", short, "-o", tmp_path / "run")
    assert hidden(tmp_path) == []
    assert manifest(tmp_path / "run")["status"] == "completed"


def test_an_import_at_work_is_left_alone(tmp_path):
    path = tmp_path / "long.json.gz"
    long_profile(path)
    child = halted(path, tmp_path / "run")
    short = tmp_path / "short.json"
    short.write_text(make_trace.text(steps=1))
    steptrace("import", short, "-o", tmp_path / "other")
    assert hidden(tmp_path) == [f".run.{child.pid}.partial"]
    child.send_signal(signal.SIGCONT)
    err = child.communicate(timeout=120)[1]
    assert child.returncode == 0, err
    assert hidden(tmp_path) == []
