# SPDX-License-Identifier: Apache-2.0
"""Signals, exit statuses and streams: the command must not notice that it is recorded."""

import contextlib
import ctypes
import os
import pathlib
import pty
import signal
import subprocess
import time

import pytest
from fault_tools import (
    LIMIT_S,
    SIGNAL_COUNTER,
    Recording,
    executable,
    record,
    same_as_without,
    script,
    state_of,
    wait_for,
)

TRAINS = "for i in range(20): step()\nprint('trained', flush=True)\n"


@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("", 0),
        ("sys.exit(7)", 7),
        ("os._exit(5)", 5),
        ("raise ValueError('broken')", 1),
        ("os.kill(os.getpid(), signal.SIGSEGV)", -signal.SIGSEGV),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
        ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
        ("raise KeyboardInterrupt", -signal.SIGINT),
        ("os.abort()", -signal.SIGABRT),
    ],
)
def test_exit_status_of_each_ending(tmp_path, ending, status):
    outcome = same_as_without(tmp_path, script(tmp_path, TRAINS + ending + "\n"))
    assert outcome.status == status
    run = outcome.run.report()["run"]
    if status >= 0:
        assert (run["status"], run["exit_code"]) == (
            "completed" if status == 0 else "failed",
            status,
        )
    else:
        assert run["signal"] == -status
        stopped = -status in (signal.SIGINT, signal.SIGTERM)
        assert run["status"] == ("stopped" if stopped else "failed")
    assert len(outcome.run.rows("steps")) == 20


def test_shell_sees_128_plus_signal(tmp_path):
    command = script(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)\n")
    line = '"$@"; echo "status $?"'
    done = subprocess.run(
        [
            "bash",
            "-c",
            line,
            "bash",
            executable(),
            "run",
            "--quiet",
            "--output",
            str(tmp_path / "run"),
            "--",
            *command,
        ],
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert b"status 137" in done.stdout


def test_missing_and_unusable_commands(tmp_path):
    missing = record(tmp_path, ["no-such-program-here"])
    assert missing.status == 127
    assert missing.stderr.count(b"\n") == 1 and b"command not found" in missing.stderr
    assert not missing.run.path.exists()
    unusable = tmp_path / "text.txt"
    unusable.write_text("no program")
    refused = record(tmp_path, [str(unusable)])
    assert refused.status == 126
    assert refused.stderr.count(b"\n") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_signal_to_the_launcher_reaches_the_command_once(tmp_path, number):
    recording = Recording(tmp_path, script(tmp_path, SIGNAL_COUNTER))
    recording.wait_for_line("ready")
    os.kill(recording.pid, number)
    outcome = recording.finish()
    assert f"got [{int(number)}]".encode() in outcome.stdout
    assert outcome.status == 7


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_to_the_group_reaches_the_command_once(tmp_path, number):
    recording = Recording(tmp_path, script(tmp_path, SIGNAL_COUNTER), start_new_session=True)
    recording.wait_for_line("ready")
    os.killpg(recording.pid, number)
    outcome = recording.finish()
    assert f"got [{int(number)}]".encode() in outcome.stdout
    assert outcome.status == 7


def test_interrupt_key_reaches_the_command_once(tmp_path):
    """SIGINT as the terminal sends it: to the whole foreground group."""
    command = script(tmp_path, SIGNAL_COUNTER)
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(
            executable(),
            [executable(), "run", "--quiet", "--output", str(tmp_path / "run"), "--", *command],
        )
    text = b""
    while b"ready" not in text:
        text += os.read(terminal, 1024)
    os.write(terminal, b"\x03")
    end = time.monotonic() + 30
    while b"got [2]" not in text and time.monotonic() < end:
        text += os.read(terminal, 1024)
    assert b"got [2]" in text
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.WEXITSTATUS(status) == 7


def test_signal_after_an_interrupt_key_still_reaches_the_command(tmp_path):
    """What the terminal sent to all must not be taken for what comes to the launcher alone later."""
    counter = """
got = []
signal.signal(signal.SIGINT, lambda *_: got.append(1) or print("got", len(got), flush=True))
print("ready", flush=True)
end = time.monotonic() + 30
while len(got) < 2 and time.monotonic() < end: time.sleep(0.01)
sys.exit(len(got))
"""
    command = script(tmp_path, counter)
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(
            executable(),
            [executable(), "run", "--quiet", "--output", str(tmp_path / "run"), "--", *command],
        )
    text = b""
    while b"ready" not in text:
        text += os.read(terminal, 1024)
    os.write(terminal, b"\x03")
    while b"got 1" not in text:
        text += os.read(terminal, 1024)
    time.sleep(0.3)
    os.kill(pid, signal.SIGINT)
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.WEXITSTATUS(status) == 2


def test_interrupt_before_the_command_begins(tmp_path):
    """The launcher holds it while the agent starts: the command gets it then."""
    for i in range(5):
        command = ["sleep", "600"]  # longer than anybody waits for it
        recording = Recording(tmp_path / str(i), command, "--quiet", start_new_session=True)
        wait_for(lambda pid=recording.pid: blocks(pid, signal.SIGTERM))
        os.killpg(recording.pid, signal.SIGTERM)
        assert recording.finish().status == -signal.SIGTERM


def blocks(pid, number):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    mask = int(status.split("SigBlk:")[1].split()[0], 16)
    return mask >> (number - 1) & 1


def test_agent_leaves_no_zombie(tmp_path):
    """In a container whose first process buries nobody a zombie would stay."""
    set_child_subreaper = 36  # PR_SET_CHILD_SUBREAPER
    libc = ctypes.CDLL(None)
    libc.prctl(set_child_subreaper, 1, 0, 0, 0)
    try:
        for i in range(3):
            record(tmp_path / str(i), script(tmp_path, TRAINS))
            left = []
            with contextlib.suppress(ChildProcessError):
                left.append(os.waitpid(-1, 0))
            assert left == []
    finally:
        libc.prctl(set_child_subreaper, 0, 0, 0, 0)


def waits_for(file):
    """A script that says that it is there and ends when that file is."""
    return (
        f"print('ready', flush=True)\nwhile not os.path.exists({str(file)!r}): time.sleep(0.01)\n"
    )


def targets(pid):
    found = set()
    for entry in os.scandir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile: not kept
            found.add(os.readlink(entry.path))
    return found


def test_agent_keeps_none_of_the_scripts_descriptors(tmp_path):
    """A lock or a pipe that is handed on by number is free when the script has ended."""
    reader, writer = os.pipe()
    go = tmp_path / "go"
    recording = Recording(tmp_path, script(tmp_path, waits_for(go)), pass_fds=[writer])
    recording.wait_for_line("ready")
    pipe = os.readlink(f"/proc/self/fd/{writer}")
    held = {
        who: pipe in targets(pid)
        for who, pid in (("command", recording.command()), ("agent", recording.agent()))
    }
    go.touch()
    assert recording.finish().status == 0
    os.close(reader)
    os.close(writer)
    assert held == {"command": True, "agent": False}


def test_limit_on_files_fails_the_journal_not_the_agent(tmp_path):
    many = """
name = probe.name("mine", USER)
for i in range(20):
    for j in range(10_000):
        probe.begin(name)
        probe.end()
    time.sleep(0.02)
"""
    outcome = record(
        tmp_path,
        script(tmp_path, many),
        prefix=["bash", "-c", 'ulimit -f 7000; exec "$@"', "bash"],
        env={"STEPTRACE_RING_BUDGET_BYTES": "1"},
    )
    assert outcome.status == 0
    assert b"agent" not in outcome.stderr
    assert "agent_gap" not in outcome.run.causes()


def test_default_interrupt_ends_as_without_us(tmp_path):
    recording = Recording(
        tmp_path, script(tmp_path, "print('ready', flush=True)\nwhile True: step()\n"), "--quiet"
    )
    recording.wait_for_line("ready")
    os.kill(recording.pid, signal.SIGINT)
    outcome = recording.finish()
    assert outcome.status == -signal.SIGINT
    assert b"KeyboardInterrupt" in outcome.stderr
    assert outcome.run.report()["run"]["status"] == "stopped"


def test_job_control(tmp_path):
    """Stopped and continued as a shell's job: the launcher follows the command."""
    recording = Recording(
        tmp_path,
        script(tmp_path, "print('ready', flush=True)\nfor i in range(400): step(0.01)\n"),
        start_new_session=True,
    )
    recording.wait_for_line("ready")
    command = recording.command()
    os.kill(command, signal.SIGSTOP)
    wait_for(lambda: state_of(command) == "T")
    wait_for(lambda: state_of(recording.pid) == "T")
    os.killpg(recording.pid, signal.SIGCONT)
    wait_for(lambda: state_of(recording.pid) in "SR" and state_of(command) in "SR")
    os.kill(recording.pid, signal.SIGTERM)
    assert recording.finish().status == -signal.SIGTERM


def test_pipes_end_with_the_command(tmp_path):
    """Nobody of ours holds the script's streams open, and stdin is the script's."""
    command = script(tmp_path, "print(sys.stdin.read().upper()); sys.stdout.flush(); step()\n")
    done = subprocess.run(
        [executable(), "run", "--quiet", "--output", str(tmp_path / "run"), "--", *command],
        input=b"for the script",
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.stdout == b"FOR THE SCRIPT\n" and done.returncode == 0


def test_closed_streams(tmp_path):
    line = '"$@" <&- >&- 2>&-'
    command = script(tmp_path, "step(); os._exit(9)\n")
    done = subprocess.run(
        [
            "sh",
            "-c",
            line,
            "sh",
            executable(),
            "run",
            "--output",
            str(tmp_path / "run"),
            "--",
            *command,
        ],
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 9


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_while_closing_ends_the_wait_not_the_closing(tmp_path, number):
    """The command has ended and its agent is slow: the launcher can be told to go."""
    go = tmp_path / "go"
    recording = Recording(tmp_path, script(tmp_path, TRAINS + waits_for(go) + "sys.exit(7)\n"))
    recording.wait_for_line("ready")
    agent, command = recording.agent(), recording.command()
    os.kill(agent, signal.SIGSTOP)  # a disk that takes its time
    go.touch()
    wait_for(lambda: state_of(command) == "")
    time.sleep(0.3)
    assert recording.process.poll() is None, "it waits for the agent"
    os.kill(recording.pid, number)
    outcome = recording.finish()  # while the agent is stopped
    assert outcome.status == 7, "as the command ended"
    assert b"not waiting" in outcome.stderr
    os.kill(agent, signal.SIGCONT)
    wait_for(lambda: outcome.run.manifest()["status"] != "in_progress")
    manifest = outcome.run.manifest()
    assert (manifest["status"], manifest["exit_code"]) == ("failed", 7)
    assert len(outcome.run.rows("steps")) == 20


def test_of_two_runs_with_one_output_the_second_is_refused(tmp_path):
    go = tmp_path / "go"
    recording = Recording(tmp_path, script(tmp_path, waits_for(go)))
    recording.wait_for_line("ready")
    before = {p: p.stat().st_ino for p in recording.path.rglob("*") if p.suffix != ".json"}
    second = record(tmp_path, ["touch", str(tmp_path / "ran")])
    assert second.status == 2
    assert second.stderr.count(b"\n") == 1 and b"--output" in second.stderr
    assert not (tmp_path / "ran").exists(), "a run that was asked for by name is recorded or is not"
    assert all(p.exists() and p.stat().st_ino == inode for p, inode in before.items())
    go.touch()
    outcome = recording.finish()
    assert outcome.status == 0
    assert outcome.run.manifest()["status"] == "completed"
