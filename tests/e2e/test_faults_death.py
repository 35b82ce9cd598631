# SPDX-License-Identifier: Apache-2.0
"""Deaths by kill -9: of the agent, the training, both, the launcher; and a run folder cut off."""

import os
import shutil
import signal
import subprocess

import pytest
import run_manifest
from fault_tools import (
    LIMIT_S,
    Recording,
    Run,
    executable,
    plain,
    record,
    ring_folders,
    script,
    state_of,
    wait_for,
    wait_until_gone,
)

pytestmark = pytest.mark.alone

# Trains on until it is told: on a busy machine what a test does meanwhile takes its time.
LONG = """
for i in range(30): step()
print("warm", flush=True)
for i in range(6000):
    if i >= 100 and os.path.exists(sys.argv[1]): break
    step(0.01)
print("trained", flush=True)
sys.exit(7)
"""


def start(folder):
    before = ring_folders()
    go = folder / "go"
    recording = Recording(folder, [*script(folder, LONG), str(go)], "--quiet")
    recording.finish_training = go.touch
    recording.wait_for_line("warm")
    return recording, before


def durable_steps(recording):
    """Waits until rows are on disk: a ring's first ones may be alone in their flush."""
    wait_for(lambda: len(Run(recording.path).rows("slices")) >= 60)


def test_agent_killed(tmp_path):
    recording, before = start(tmp_path)
    durable_steps(recording)
    os.kill(recording.agent(), signal.SIGKILL)
    recording.finish_training()
    outcome = recording.finish()
    assert outcome.status == 7
    assert outcome.stdout.endswith(b"trained\n")
    assert len(outcome.run.rows("slices")) >= 60, "what was drained is readable"
    gap = [row for row in outcome.run.rows("data_loss") if row["cause"] == "agent_gap"]
    assert len(gap) == 1
    assert gap[0]["to_ns"] > gap[0]["from_ns"] > 0 and gap[0]["detail"]
    assert outcome.run.report()["run"]["exit_code"] == 7
    assert any(loss["cause"] == "agent_gap" for loss in outcome.run.report()["data_loss"]["rows"])
    assert ring_folders() <= before, "nothing is left in shared memory"


def test_training_killed(tmp_path):
    recording, before = start(tmp_path)
    os.kill(recording.command(), signal.SIGKILL)
    outcome = recording.finish()
    assert outcome.status == -signal.SIGKILL
    report = outcome.run.report()
    assert (report["run"]["status"], report["run"]["signal"]) == ("failed", 9)
    assert len(outcome.run.rows("steps")) >= 29
    assert report["data_loss"]["rows"] == [], "all that the training had recorded was drained"
    assert ring_folders() <= before


def test_agent_and_training_killed(tmp_path):
    recording, before = start(tmp_path)
    durable_steps(recording)
    agent, command = recording.agent(), recording.command()
    os.kill(agent, signal.SIGKILL)
    os.kill(command, signal.SIGKILL)
    outcome = recording.finish()
    assert outcome.status == -signal.SIGKILL
    report = outcome.run.report()
    assert (report["run"]["status"], report["run"]["signal"]) == ("failed", 9)
    assert "agent_gap" in outcome.run.causes()
    assert ring_folders() <= before


def test_launcher_killed(tmp_path):
    """The training goes on; the agent closes the run when it has ended, of unknown status."""
    recording, before = start(tmp_path)
    agent, command = recording.agent(), recording.command()
    os.kill(recording.pid, signal.SIGKILL)
    assert state_of(command) not in ("", "Z"), "the training does not die with us"
    recording.finish_training()
    rest = recording.process.stdout.read()
    assert rest.endswith(b"trained\n")
    wait_until_gone(agent)
    recording.process.wait()
    run = Run(recording.path)
    assert run.manifest()["status"] == "interrupted"
    assert run.manifest().get("exit_code") is None
    assert len(run.rows("steps")) >= 130, "all steps, before and after"
    assert run.causes() == {"launcher_gone": -1}
    assert ring_folders() <= before


def test_launcher_and_agent_killed(tmp_path):
    """The rings stay for the next run to sweep; the run is readable as it stands."""
    recording, before = start(tmp_path)
    durable_steps(recording)
    agent, command = recording.agent(), recording.command()
    os.kill(recording.pid, signal.SIGKILL)
    os.kill(agent, signal.SIGKILL)
    recording.finish_training()
    assert recording.process.stdout.read().endswith(b"trained\n")
    wait_until_gone(command)
    recording.process.wait()
    run = Run(recording.path)
    assert run.report()["run"]["status"] == "interrupted"
    assert len(run.rows("slices")) >= 60
    (left,) = ring_folders() - before
    # A young one might be a run that just begins.
    os.utime(f"/dev/shm/steptrace-{os.geteuid()}/{left}/lock", (0, 0))
    other = tmp_path / "other"
    other.mkdir()
    record(other, script(other, "step()\n"))
    assert ring_folders() <= before, "swept"


def test_agent_stopped(tmp_path):
    """A hung agent holds nobody up for long; what it had written stands."""
    recording, _ = start(tmp_path)
    durable_steps(recording)
    os.kill(recording.agent(), signal.SIGSTOP)
    recording.finish_training()
    outcome = recording.finish(timeout=60)
    assert outcome.status == 7
    assert "agent_gap" in outcome.run.causes()


@pytest.mark.parametrize("limit", [12, 20])
def test_few_open_files(tmp_path, limit):
    """Whether or not the agent can record with so few, the training runs."""
    command = script(tmp_path, "step(); print('trained'); sys.exit(3)\n")
    line = f'ulimit -n {limit}; exec "$@"'
    done = subprocess.run(
        [
            "sh",
            "-c",
            line,
            "sh",
            executable(),
            "run",
            "--no-report",
            "--output",
            str(tmp_path / "run"),
            "--",
            *command,
        ],
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 3
    assert done.stdout == b"trained\n"


@pytest.mark.parametrize("share", [0.0, 0.02, 0.35, 0.71, 0.999])
def test_run_cut_off(tmp_path, share):
    """A journal cut at any byte: what stands before the cut is read."""
    recording, _ = start(tmp_path)
    durable_steps(recording)
    agent = recording.agent()
    os.kill(recording.pid, signal.SIGKILL)
    os.kill(agent, signal.SIGKILL)
    recording.finish_training()
    recording.process.stdout.read()
    recording.process.wait()
    copy = tmp_path / "copy"
    shutil.copytree(recording.path, copy)
    for journal in copy.glob("journal/**/*.arrows"):
        os.truncate(journal, int(journal.stat().st_size * share))
    for arguments in (
        ["report", str(copy)],
        ["report", str(copy), "--json"],
        ["ls", str(tmp_path)],
    ):
        done = plain([executable(), *arguments])
        assert done.returncode == 0, done.stderr
    assert Run(copy).report()["run"]["status"] == "interrupted"


def test_manifest_cut_off(tmp_path):
    outcome = record(tmp_path, script(tmp_path, "step()\n"))
    manifest = run_manifest.newest(outcome.run.path)
    text = manifest.read_bytes()
    for length in (0, 1, len(text) // 2, len(text) - 2):
        manifest.write_bytes(text[:length])
        done = plain([executable(), "report", str(outcome.run.path)])
        assert done.returncode == 2
        assert done.stderr.count(b"\n") == 1 and manifest.name.encode() in done.stderr
