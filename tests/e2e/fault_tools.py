# SPDX-License-Identifier: Apache-2.0
"""What the fault tests share: programs to record, a launcher, and a look into the run."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT_S = 90  # far beyond what any of these takes on a loaded machine


# A stack that changed whenever it was read: how many there are depends on how busy the machine is,
# and no fault in these tests has a part in it.
BY_CHANCE = "stack_changed"


def executable():
    """The steptrace that is under test: STEPTRACE_BIN, the package's, or the newest build's."""
    if os.environ.get("STEPTRACE_BIN"):
        return os.environ["STEPTRACE_BIN"]
    installed = pathlib.Path(sys.executable).parent / "steptrace"
    if installed.exists():
        return str(installed)
    built = sorted(ROOT.glob("build/*/bin/steptrace"), key=lambda p: p.stat().st_mtime)
    return str(built[-1]) if built else "steptrace"


# The start of every script: the probe by its path, so that the scripts work in any Python; without
# Steptrace a stand-in that does nothing.
PRELUDE = """
import os, signal, sys, time
from importlib import machinery, util
def _load():
    path = os.environ.get("STEPTRACE_PROBE")
    if not path:
        class Nothing:
            def __getattr__(self, name): return lambda *a: 0
        return Nothing()
    loader = machinery.ExtensionFileLoader("_probe", path)
    module = util.module_from_spec(util.spec_from_loader("_probe", loader))
    loader.exec_module(module)
    module.attach()
    return module
probe = _load()
USER, PHASE = 1, 2
def step(pause_s=0.002):
    for name in ("data", "backward", "optimizer"):
        probe.begin_args(probe.name(name, PHASE), 1, 0)
        time.sleep(pause_s / 3)
        probe.end()
"""


def script(folder, text, name="train.py"):
    path = pathlib.Path(folder) / name
    path.write_text(PRELUDE + text)
    return [sys.executable, str(path)]


class Outcome:
    """A command that has ended, and the run that it left."""

    def __init__(self, process, stdout, stderr, run):
        self.status = process.returncode
        self.stdout = stdout
        self.stderr = stderr
        self.run = Run(run)


class Run:
    def __init__(self, path):
        self.path = pathlib.Path(path)

    def _json(self, *arguments):
        done = subprocess.run(
            [executable(), *arguments], capture_output=True, timeout=LIMIT_S, check=False
        )
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        return json.loads(done.stdout)

    def rows(self, table):
        shown = self._json("show", str(self.path), table, "--json")
        return shown["rows"] if isinstance(shown, dict) else shown

    def report(self):
        report = self._json("report", str(self.path), "--json")
        report["data_loss"]["rows"] = [
            row for row in report["data_loss"]["rows"] if row["cause"] != BY_CHANCE
        ]
        return report

    def manifest(self):
        return json.loads((self.path / "run.json").read_text())

    def causes(self):
        """Counts of the losses by cause; -1: not countable."""
        causes = {}
        for row in self.rows("data_loss"):
            if row["cause"] == BY_CHANCE:
                continue
            causes[row["cause"]] = causes.get(row["cause"], 0) + row["count"]
        return causes


class Recording:
    """`steptrace run` under way."""

    def __init__(self, folder, command, *options, env=None, prefix=(), **popen):
        self.path = pathlib.Path(folder) / "run"
        environment = dict(os.environ, **(env or {}))
        self.process = subprocess.Popen(
            [
                *prefix,
                executable(),
                "run",
                "--output",
                str(self.path),
                "--no-report",
                *options,
                "--",
                *command,
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            **popen,
        )

    @property
    def pid(self):
        return self.process.pid

    def finish(self, timeout=LIMIT_S):
        try:
            stdout, stderr = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return Outcome(self.process, stdout, stderr, self.path)

    def children(self):
        path = f"/proc/{self.pid}/task/{self.pid}/children"
        return [int(pid) for pid in pathlib.Path(path).read_text().split()]

    def child(self, what):
        """The launcher's child whose command line satisfies `what`."""
        return wait_for(lambda: next((p for p in self.children() if what(command_line(p))), None))

    def agent(self):
        return self.child(lambda line: line[1:2] == ["agent"])

    def command(self):
        return self.child(lambda line: "agent" not in line[1:2] and "run" not in line[1:2])

    def wait_for_line(self, text, stream=None):
        """Reads a stream (stdout) until a line has `text`, for LIMIT_S at most."""
        stream = stream or self.process.stdout
        said = []

        def read():
            for line in stream:
                said.append(line)
                if text.encode() in line:
                    return

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        reader.join(LIMIT_S)
        assert not reader.is_alive(), f"{text!r} was not said in {LIMIT_S} s, but {said}"
        assert said and text.encode() in said[-1], f"ended before it said {text!r}, but {said}"


def record(folder, command, *options, **how):
    return Recording(folder, command, *options, **how).finish()


def plain(command, **how):
    return subprocess.run(command, capture_output=True, timeout=LIMIT_S, check=False, **how)


def same_as_without(folder, command, *options, **how):
    """Records a command and checks that exit status and streams are as without us."""
    alone = plain(command)
    recorded = record(folder, command, "--quiet", *options, **how)
    assert recorded.status == alone.returncode
    assert recorded.stdout == alone.stdout
    assert recorded.stderr == alone.stderr
    return recorded


def command_line(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_text().split("\0")[:-1]
    except OSError:
        return []


def state_of(pid):
    """R, S, T, Z, …; empty: gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


def wait_for(what, timeout=LIMIT_S):
    end = time.monotonic() + timeout
    while True:
        found = what()
        if found:
            return found
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def wait_until_gone(pid, timeout=LIMIT_S):
    wait_for(lambda: state_of(pid) in ("", "Z"), timeout)


def ring_folders():
    folder = pathlib.Path(f"/dev/shm/steptrace-{os.geteuid()}")
    return set(os.listdir(folder)) if folder.exists() else set()


def can_mount():
    """Whether this test may make mount namespaces: root with the right capability."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return False
    return (
        subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0
    )


def small_tmpfs_prefix(mount_point, size):
    """A command prefix that runs in a mount namespace with a tmpfs of `size` at `mount_point`."""
    text = f'mount -t tmpfs -o size={size},mode=1777 tmpfs "{mount_point}" && exec "$@"'
    return ["unshare", "-m", "sh", "-c", text, "sh"]


def private_folder():
    """A folder that other users can enter, unlike pytest's."""
    return pathlib.Path(tempfile.mkdtemp(prefix="steptrace-fault-", dir="/tmp"))


SIGNAL_COUNTER = """
import threading
got = []
def on_signal(number, frame): got.append(number)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
    signal.signal(number, on_signal)
print("ready", flush=True)
end = time.monotonic() + 30
while not got and time.monotonic() < end: time.sleep(0.01)
time.sleep(0.6)  # a second one would come by now
print("got", got, flush=True)
sys.exit(7)
"""
