# SPDX-License-Identifier: Apache-2.0
"""Kills or stops each process of a recorded training at random moments, again and again, and checks what must hold:
the training's results and exit status are as bare, the report can be read, and what was lost has a cause.

usage: kill_matrix.py [--times N] [--seed N] [--json FILE]
"""

import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

from outcomes import Outcome, finish

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[0] / "e2e"))

from fault_tools import Recording, executable, wait_for  # noqa: E402

TRAINING = """
import sys, time
sys.path.insert(0, {programs!r})
from soak_model import Samples, made, weights
import torch
model, _, _ = made()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(Samples(), batch_size=8, num_workers=2, persistent_workers=True)
iter(loader)  # begins the workers: CPython may swallow the interrupt of a fork, in what it calls after one
print("begins", flush=True)
for _ in range(10):
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs), targets)
        loss.backward()
        optimizer.step()
        print(float(loss).hex(), flush=True)
        time.sleep(0.02)
weights(model)
"""

# Who is hit, by what, and the causes of which one must stand in the report; none: nothing need be lost.
CASES = (
    ("agent", signal.SIGKILL, {"agent_gap"}),
    ("agent", signal.SIGSTOP, set()),
    ("launcher", signal.SIGKILL, {"launcher_gone"}),
    ("launcher", signal.SIGTERM, set()),
    ("launcher", signal.SIGINT, set()),
    ("launcher", signal.SIGHUP, set()),
    ("launcher", signal.SIGUSR1, set()),
    ("trainer", signal.SIGKILL, set()),
    ("trainer", signal.SIGSEGV, set()),
    ("worker", signal.SIGKILL, set()),
)
STOPPED_S = 3  # how long a stopped agent stays so


def children(pid):
    try:
        return [
            int(p) for p in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        ]
    except OSError:
        return []


def victim(recording, who):
    if who == "launcher":
        return recording.pid
    if who == "agent":
        return recording.agent()
    trainer = recording.command()
    return trainer if who == "trainer" else wait_for(lambda: next(iter(children(trainer)), None))


def hit(pid, number):
    os.kill(pid, number)
    if number == signal.SIGSTOP:
        time.sleep(STOPPED_S)
        os.kill(pid, signal.SIGCONT)


def bare(script, who, number, delay_s):
    """The training alone, hit as the command under us was: its output so far and how it ended."""
    process = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    first = process.stdout.readline()
    if who in ("trainer", "worker") or (who == "launcher" and number != signal.SIGKILL):
        time.sleep(delay_s)
        to = (
            process.pid
            if who != "worker"
            else wait_for(lambda: next(iter(children(process.pid)), None))
        )
        os.kill(to, number)
    return first + process.communicate()[0], process.returncode


def ends_alike(status, bare_status):
    """A launcher's own status, where the command died of a signal, is 128 and its number."""
    return status == bare_status or (bare_status < 0 and status == 128 - bare_status)


def readable(run):
    done = subprocess.run(
        [executable(), "report", str(run), "--json"], capture_output=True, check=False, timeout=120
    )
    return (
        []
        if done.returncode == 0
        else [f"report ends with {done.returncode}: {done.stderr[-200:]!r}"]
    )


def prefix(one, other):
    return one.startswith(other) or other.startswith(one)


def try_once(folder, who, number, causes, delay_s):
    script = folder / "train.py"
    script.write_text(TRAINING.format(programs=str(HERE / "programs")))
    recording = Recording(folder, [sys.executable, str(script)], start_new_session=True, bufsize=0)
    recording.wait_for_line("begins")
    time.sleep(delay_s)
    hit(victim(recording, who), number)
    outcome = recording.finish()
    killed_us = who == "launcher" and number == signal.SIGKILL
    if killed_us:
        wait_for(lambda: outcome.run.manifest()["status"] != "in_progress")
    problems = readable(outcome.run.path)
    alone, status = bare(str(script), who, number, delay_s)
    alone = b"".join(alone.splitlines(keepends=True)[1:])  # the losses
    # A training that a signal ended may have come further than the other.
    same = outcome.stdout == alone if status == 0 else prefix(alone, outcome.stdout)
    if not same:
        problems.append("the losses are not those of the training alone")
    if not killed_us and not ends_alike(outcome.status, status):
        problems.append(f"exit status {outcome.status}, bare {status}")
    if causes and not problems and not causes & set(outcome.run.causes()):
        problems.append(f"none of {sorted(causes)} in {sorted(outcome.run.causes())}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--json")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    print(f"seed {options.seed}")
    outcomes = []
    for who, number, causes in CASES:
        outcomes.append(Outcome(f"{signal.Signals(number).name} to the {who}"))
        for _ in range(options.times):
            delay_s = chance.uniform(0, 1.2)
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                try:
                    problems = try_once(pathlib.Path(folder), who, number, causes, delay_s)
                except Exception as error:  # one case that fails is a finding, the others are tried
                    problems = [f"{type(error).__name__}: {error}"]
            outcomes[-1].saw(f"after {delay_s:.3f} s", problems)
    finish(outcomes, options.json)


if __name__ == "__main__":
    main()
