# SPDX-License-Identifier: Apache-2.0
"""Processes that outlive their command, or whose pids are of another namespace; and the run's end."""

import os
import shutil
import signal
import subprocess
import sys

import pytest
from fault_tools import (
    LIMIT_S,
    Run,
    can_mount,
    executable,
    plain,
    record,
    script,
    small_tmpfs_prefix,
    wait_for,
)

# Trains in the end, but first imports for a while: no ring until then.
IMPORTS_LONG = "import time; time.sleep(2.5)\n"
TRAINS = "for i in range(30): step()\n"


def namespaces():
    """Command prefixes that make a pid namespace, as far as they may run here."""
    found = []
    for prefix in (
        ["unshare", "--pid", "--fork", "--mount-proc"],
        ["bwrap", "--unshare-pid", "--dev-bind", "/", "/", "--proc", "/proc"],
    ):
        works = shutil.which(prefix[0]) and not subprocess.call(
            [*prefix, "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        why = f"{prefix[0]} is not there, or may make no pid namespace"
        found.append(
            pytest.param(prefix, id=prefix[0], marks=() if works else pytest.mark.skip(why))
        )
    return found


def slow_script(folder):
    """A script whose probe is loaded after some seconds, as by an import of a framework."""
    command = script(folder, TRAINS, name="slow.py")
    with open(command[1], encoding="utf-8") as file:
        text = file.read()
    with open(command[1], "w", encoding="utf-8") as file:
        file.write(IMPORTS_LONG + text)
    return command


def when_closed(run):
    return wait_for(
        lambda: run.manifest()["status"] != "in_progress" and run.manifest(), timeout=LIMIT_S
    )


@pytest.mark.parametrize("prefix", namespaces())
def test_a_command_in_a_pid_namespace_ends_when_it_ends(tmp_path, prefix):
    outcome = record(tmp_path, [*prefix, *script(tmp_path, TRAINS)])
    assert outcome.status == 0, outcome.stderr
    assert outcome.run.manifest()["status"] == "completed", "closed before the launcher ended"
    assert b"still" not in outcome.stderr
    report = outcome.run.report()
    assert report["steps"]["count"] == 30 and report["data_loss"]["rows"] == []
    assert report["phases"]["finalization_ns"] < 30e9, "not the silence after it"


@pytest.mark.parametrize("prefix", namespaces())
def test_a_pid_namespace_that_goes_on_is_recorded_to_its_end(tmp_path, prefix):
    inner = " ".join([*prefix, *slow_script(tmp_path)])
    outcome = record(tmp_path, ["bash", "-c", f"{inner} >/dev/null 2>&1 & exit 3"])
    assert outcome.status == 3
    when_closed(outcome.run)
    assert outcome.run.report()["steps"]["count"] == 30
    assert outcome.run.causes() == {}


def test_a_trainer_that_imports_when_the_command_ends_is_recorded(tmp_path):
    python, file = slow_script(tmp_path)
    outcome = record(tmp_path, ["bash", "-c", f"{python} {file} >/dev/null 2>&1 & sleep 0.3"])
    assert outcome.status == 0
    assert b"may come to train" in outcome.stderr
    when_closed(outcome.run)
    report = outcome.run.report()
    assert report["steps"]["count"] == 30 and report["data_loss"]["rows"] == []
    assert report["phases"]["finalization_ns"] < 30e9


def test_a_daemon_that_trains_is_recorded(tmp_path):
    """A double fork in a session of its own, nothing of the command's tree left."""
    python, file = slow_script(tmp_path)
    daemon = tmp_path / "daemon.py"
    daemon.write_text(
        "import os\n"
        "if os.fork(): os._exit(0)\n"
        "os.setsid()\n"
        "if os.fork(): os._exit(0)\n"
        "for fd in (0, 1, 2): os.dup2(os.open(os.devnull, os.O_RDWR), fd)\n"
        f"os.execv({python!r}, [{python!r}, {file!r}])\n"
    )
    outcome = record(tmp_path, [sys.executable, str(daemon)])
    assert outcome.status == 0
    when_closed(outcome.run)
    assert outcome.run.report()["steps"]["count"] == 30
    assert outcome.run.causes() == {}


def test_a_program_that_never_trains_keeps_no_run_open(tmp_path):
    line = "sleep 60 >/dev/null 2>&1 & echo $!; exit 2"
    outcome = record(tmp_path, ["bash", "-c", line])
    try:
        assert outcome.status == 2
        assert outcome.run.manifest()["status"] == "failed", "closed before the launcher ended"
        report = outcome.run.report()
        (loss,) = report["data_loss"]["rows"]
        assert (loss["cause"], loss["table"], loss["count"]) == (
            "unrecorded_process",
            "counters",
            1,
        )
        assert f"sleep (pid {int(outcome.stdout)})" in loss["detail"]
    finally:
        os.kill(int(outcome.stdout), signal.SIGKILL)


def test_what_ends_with_its_container_is_named(tmp_path):
    """The launcher is the first process of a pid namespace: what is left has no time to train."""
    (prefix, *_) = namespaces()
    if prefix.marks:
        pytest.skip("unshare may make no pid namespace")
    python, file = slow_script(tmp_path)
    line = f"{python} {file} >/dev/null 2>&1 & sleep 0.3"
    outcome = record(tmp_path, ["bash", "-c", line], prefix=prefix.values[0])
    assert outcome.status == 0
    assert outcome.run.manifest()["status"] == "completed"
    report = outcome.run.report()
    (loss,) = report["data_loss"]["rows"]
    assert (loss["cause"], loss["table"], loss["count"]) == ("unrecorded_process", "steps", 1)
    assert report["verdict"]["headline"].startswith("no step seen: the run was closed before")
    assert not any(
        "no process of the command was Python" in note["text"] for note in report["notes"]
    )


@pytest.mark.skipif(not can_mount(), reason="needs root and mount namespaces")
def test_time_after_steps_that_the_disk_refused_is_no_finalization(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    run = disk / "run"
    # More steps than rows wait in memory for a disk that takes none.
    fills = f"""
for i in range(400): step()
time.sleep(1.5)
with open({str(disk / "full")!r}, "wb", 0) as file:
    for size in (65536, 4096, 1):
        try:
            while True: file.write(bytes(size))
        except OSError: pass
for i in range(20000): step(0)
"""
    command = script(tmp_path, fills)
    line = f'"$@"; code=$?; cp -r "{run}" "{tmp_path}/saved"; exit $code'
    done = subprocess.run(
        [
            *small_tmpfs_prefix(disk, "2m"),
            *("sh", "-c", line, "sh"),
            *(executable(), "run", "--no-report", "--output", str(run), "--", *command),
        ],
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = Run(tmp_path / "saved").report()
    lost = {(loss["table"], loss["cause"]) for loss in report["data_loss"]["rows"]}
    assert ("steps", "disk_refused") in lost, lost
    assert report["phases"]["finalization_ns"] is None
    assert any(note["text"].startswith("finalization is unknown") for note in report["notes"])
    rules = plain([executable(), "report", str(tmp_path / "saved"), "--section", "rules"])
    assert b"finalization is unknown" in rules.stdout
