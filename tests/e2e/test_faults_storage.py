# SPDX-License-Identifier: Apache-2.0
"""Disks and shared memory that are full, read-only, small or absent: mounted for the test."""

import os
import subprocess

import pytest
from fault_tools import (
    LIMIT_S,
    Recording,
    Run,
    can_mount,
    executable,
    plain,
    record,
    script,
    small_tmpfs_prefix,
)

needs_mounts = pytest.mark.skipif(not can_mount(), reason="needs root and mount namespaces")

TRAINS = "for i in range(60): step()\nprint('trained'); sys.exit(3)\n"
# Unique arguments, so that nothing compresses: some 10 MB of slices.
FLOODS = """
name = probe.name("flood", USER)
for i in range(40):
    for j in range(4000):
        probe.begin_args(name, os.getpid() * 1000003 * (i * 4000 + j + 1), j)
        probe.end()
    time.sleep(0.02)
print("trained"); sys.exit(3)
"""


def in_namespace(prefix, arguments, **how):
    return subprocess.run(
        [*prefix, *arguments], capture_output=True, timeout=LIMIT_S, check=False, **how
    )


@needs_mounts
def test_disk_fills_while_training(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    command = script(tmp_path, FLOODS)
    run = disk / "run"
    line = 'mount -t tmpfs -o size=2m tmpfs "$1"; shift; "$@"; code=$?; '
    line += f'cp -r "{run}" "{tmp_path}/saved"; exit $code'
    done = in_namespace(
        ["unshare", "-m", "sh", "-c", line, "sh", str(disk)],
        [executable(), "run", "--no-report", "--output", str(run), "--", *command],
    )
    assert done.returncode == 3
    assert done.stdout == b"trained\n"
    saved = Run(tmp_path / "saved")
    causes = saved.causes()
    assert any("disk" in cause or "space" in cause for cause in causes), causes
    assert sum(count for count in causes.values() if count > 0) > 0, "what is lost is counted"
    assert saved.report()["data_loss"]["rows"]


@needs_mounts
def test_full_disk_from_the_start(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    command = script(tmp_path, TRAINS)
    line = (
        'mount -t tmpfs -o size=64k tmpfs "$1"; head -c 1m /dev/zero >"$1/full"; shift; exec "$@"'
    )
    done = in_namespace(
        ["unshare", "-m", "sh", "-c", line, "sh", str(disk)],
        [executable(), "run", "--no-report", "--output", str(disk / "run"), "--", *command],
    )
    assert (done.returncode, done.stdout) == (3, b"trained\n"), "a training as ever"
    said = done.stderr.splitlines()[-1]
    assert b"No space left on device" in said and b"unrecorded" in said


@needs_mounts
def test_read_only_output_that_was_asked_for(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    line = 'mount -t tmpfs -o ro tmpfs "$1"; shift; exec "$@"'
    done = in_namespace(
        ["unshare", "-m", "sh", "-c", line, "sh", str(disk)],
        [executable(), "run", "--output", str(disk / "run"), "--", *script(tmp_path, TRAINS)],
    )
    assert done.returncode == 2
    assert done.stdout == b"", "nothing ran"
    assert done.stderr.count(b"\n") == 1 and b"--output" in done.stderr


@needs_mounts
def test_read_only_working_folder(tmp_path):
    """Nobody asked for that folder by name: the training runs, and one line says unrecorded."""
    disk = tmp_path / "disk"
    disk.mkdir()
    line = 'mount -t tmpfs -o ro tmpfs "$1"; cd "$1"; shift; exec "$@"'
    done = in_namespace(
        ["unshare", "-m", "sh", "-c", line, "sh", str(disk)],
        [executable(), "run", "--", *script(tmp_path, TRAINS)],
    )
    assert done.returncode == 3
    assert done.stdout == b"trained\n"
    assert done.stderr.count(b"\n") == 1


def test_output_that_is_in_use(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "mine.txt").write_text("keep")
    outcome = record(tmp_path, script(tmp_path, TRAINS))
    assert outcome.status == 2
    assert outcome.stderr.count(b"\n") == 1
    assert (tmp_path / "run" / "mine.txt").read_text() == "keep"


@needs_mounts
@pytest.mark.parametrize("size", ["1m", "64k"])
def test_small_shared_memory(tmp_path, size):
    """Too small for rings: they go elsewhere, and nothing is lost."""
    prefix = small_tmpfs_prefix("/dev/shm", size)
    outcome = record(tmp_path, script(tmp_path, TRAINS), prefix=prefix)
    assert (outcome.status, outcome.stdout) == (3, b"trained\n")
    assert len(outcome.run.rows("steps")) == 60
    assert outcome.run.causes() == {}


@needs_mounts
def test_small_shared_memory_that_was_asked_for(tmp_path):
    """Rings that do not fit are counted as lost; the training feels nothing."""
    prefix = small_tmpfs_prefix("/dev/shm", "1m")
    outcome = record(
        tmp_path, script(tmp_path, FLOODS), prefix=prefix, env={"STEPTRACE_SHM": "/dev/shm"}
    )
    assert (outcome.status, outcome.stdout) == (3, b"trained\n")
    recorded = len(outcome.run.rows("slices"))
    lost = outcome.run.causes()
    assert recorded == 160000 or lost, "everything is there, or what is not is named"
    if lost:
        assert all(row["detail"] for row in outcome.run.rows("data_loss"))


@needs_mounts
@pytest.mark.parametrize("size", ["4k", "16k", "64k"])
def test_tiny_shared_memory_that_was_asked_for(tmp_path, size):
    """From no room for a ring to a ring without names: told as what it is, and as nothing else."""
    prefix = small_tmpfs_prefix("/dev/shm", size)
    outcome = record(
        tmp_path, script(tmp_path, TRAINS), prefix=prefix, env={"STEPTRACE_SHM": "/dev/shm"}
    )
    assert (outcome.status, outcome.stdout) == (3, b"trained\n")
    assert "shared_memory_full" in outcome.run.causes()
    others = {"cannot_record", "no_hooks", "ring_damaged", "names_full"}
    assert not others & outcome.run.causes().keys()
    headline = outcome.run.report()["verdict"]["headline"]
    assert headline == "no step seen: shared memory was full"


@needs_mounts
def test_no_shared_memory(tmp_path):
    """/dev/shm cannot be written at all, as in some containers."""
    line = 'mount -t tmpfs -o ro tmpfs /dev/shm; exec "$@"'
    outcome = record(
        tmp_path, script(tmp_path, TRAINS), prefix=["unshare", "-m", "sh", "-c", line, "sh"]
    )
    assert (outcome.status, outcome.stdout) == (3, b"trained\n")
    assert len(outcome.run.rows("steps")) == 60
    assert outcome.run.causes() == {}


def test_wished_shared_memory_absent(tmp_path):
    command = script(tmp_path, TRAINS)
    outcome = record(tmp_path, command, env={"STEPTRACE_SHM": str(tmp_path / "nowhere")})
    assert (outcome.status, outcome.stdout) == (3, plain(command).stdout)
    assert b"STEPTRACE_SHM" in outcome.stderr and outcome.stderr.count(b"\n") == 1
    assert not outcome.run.path.exists()


def test_runs_at_once_share_nothing(tmp_path):
    recordings = []
    for number in range(4):
        folder = tmp_path / str(number)
        folder.mkdir()
        text = f"name = probe.name('mine{number}', USER)\n"
        text += "for i in range(50):\n    probe.begin(name); step(); probe.end()\n"
        recordings.append(Recording(folder, script(folder, text)))
    for number, recording in enumerate(recordings):
        outcome = recording.finish()
        assert outcome.status == 0
        names = {row["name"] for row in outcome.run.rows("slices")}
        assert f"mine{number}" in names
        assert not {f"mine{other}" for other in range(4) if other != number} & names
        assert len(outcome.run.rows("steps")) == 50


def test_runs_of_one_second_have_folders_of_their_own(tmp_path):
    command = [executable(), "run", "--no-report", "--", *script(tmp_path, "step()\n")]
    started = [subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE) for _ in range(3)]
    for process in started:
        process.communicate(timeout=LIMIT_S)
        assert process.returncode == 0
    assert len(os.listdir(tmp_path / "steptrace-runs")) == 3
