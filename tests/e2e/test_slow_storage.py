# SPDX-License-Identifier: Apache-2.0
"""A training whose samples lie on storage that is really slow to read is told so, with function, line
and call: no sleep of its own, the kernel holds the worker back in a read."""

import os
import sys
from pathlib import Path

import pytest
from other_work import OtherWork
from slow_storage import SlowMount, ThrottledReads
from test_sampled_stages import STAGED, blamed, check_sums, describe, report_of

pytestmark = pytest.mark.alone

STEPS = 60
SAMPLES = STEPS * 8
SAMPLE_BYTES = 32 << 10


@pytest.fixture()
def rows(tmp_path):
    """A file on disk, of which nothing is in memory."""
    path = tmp_path / "rows.bin"
    with open(path, "wb") as file:
        file.write(os.urandom(SAMPLES * SAMPLE_BYTES))
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    return path


@pytest.fixture(params=["cgroup", "fuse"])
def slow(request, rows, tmp_path):
    """Folder of the samples, and the environment in which they are slow: 8 ms a read or so."""
    try:
        if request.param == "cgroup":
            storage = ThrottledReads(rows, bytes_per_s=4 << 20)
            where = rows.parent, {"STORAGE_CGROUP": str(storage.procs)}
        else:
            folder = tmp_path / "mounted"
            folder.mkdir()
            storage = SlowMount(folder, rows, pause_s=0.008)
            where = folder, {}
    except OSError as error:
        needs = {
            "cgroup": "a writable cgroup (io.max of version 2, blkio of 1) for the disk of "
            "pytest's folder",
            "fuse": "/dev/fuse and the right to mount",
        }
        pytest.skip(f"needs {needs[request.param]}: {error}")
    yield where
    storage.remove()


def test_a_training_that_waits_for_its_storage(slow, tmp_path):
    folder, environment = slow
    command = [sys.executable, STAGED, "slow_storage", folder, STEPS]
    with OtherWork() as other:
        report = report_of(tmp_path / "run", command, **environment)
    verdict = report["verdict"]
    assert (verdict["status"], verdict["suspect"]) == ("found", "data_pipeline"), describe(report)
    stage, function = blamed(report, other.shared())
    assert stage == "storage_read", describe(report)
    check_sums(report)
    assert function["function"].split(".")[-1] == "fetch", describe(report)
    assert Path(function["file"]) == STAGED
    line = STAGED.read_text().splitlines()[function["line"] - 1]
    assert "os.pread" in line
    assert function["call"] == "os.pread", describe(report)
    # It waits there: hardly any of the step's time is work of a core.
    stages = {one["name"]: one for one in report["data_pipeline"]["stages"]}
    others = ("decode", "augmentation", "dataset_code", "getitem", "lock")
    assert all(stages["storage_read"]["ns"] > stages.get(one, {"ns": 0})["ns"] for one in others)
