# SPDX-License-Identifier: Apache-2.0
"""The rule for steps on the real packages, from `steptrace run` to the table `steps`.

Each loop says how many steps and batches it did: the table must say exactly the same, and every
step's phases and causes must sum to its duration.
"""

import json
import os
import pathlib
import subprocess
import sys

import hooked
import pytest

PHASES = [
    *["data_ns", "forward_ns", "backward_ns", "optimizer_ns", "communication_phase_ns"],
    *["checkpoint_ns", "evaluation_ns", "logging_ns", "gc_ns", "compile_ns", "capture_ns"],
    "other_phase_ns",
]
CAUSES = [
    *["data_pipeline_ns", "model_ns", "communication_ns", "framework_overhead_ns", "other_ns"],
]


def executable():
    installed = pathlib.Path(sys.executable).parent / "steptrace"
    return os.environ.get("STEPTRACE_BIN") or str(installed)


def steptrace(*arguments, **variables):
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("STEPTRACE_", "PYTHON"))}
    variables = {"STEPTRACE_PACKAGE_DIR": str(hooked.PACKAGE), "OMP_NUM_THREADS": "1", **variables}
    return subprocess.run(
        [executable(), *map(str, arguments)],
        env={**plain, "HF_HUB_OFFLINE": "1", **variables},
        capture_output=True,
        text=True,
        timeout=180,
    )


class Recorded:
    """A loop that ran under Steptrace: what it said, and what the run says."""

    def __init__(self, folder, *command):
        self.path = folder / "run"
        done = steptrace("run", "--quiet", "--no-report", "-o", self.path, "--", *command)
        assert done.returncode == 0, done.stderr[-2000:]
        self.said = json.loads(done.stdout.strip().splitlines()[-1])

    def table(self, name, *options):
        done = steptrace("show", self.path, name, "--json", *options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def steps(self, rank=0):
        """Rows of training steps and of evaluations of a rank, each checked for its sums."""
        rows = [row for row in self.table("steps") if row["rank"] == rank]
        for row in rows:
            for columns in (PHASES, CAUSES):
                assert sum(row[column] for column in columns) == row["dur_ns"], row
                assert all(row[column] >= 0 for column in columns), row
        evaluations = [row for row in rows if row["kind"] == "eval"]
        training = [row for row in rows if row["kind"] != "eval"]
        assert [row["step"] for row in training] == list(range(len(training)))
        ends = [row["ts_ns"] + row["dur_ns"] for row in training]
        assert all(end <= row["ts_ns"] for end, row in zip(ends, training[1:]))
        return training, evaluations


@pytest.fixture()
def record(tmp_path):
    return lambda name, *options: Recorded(
        tmp_path, sys.executable, hooked.LOOPS / f"{name}.py", *options
    )


def total(rows, column):
    return sum(row[column] for row in rows)


# Loop -> backwards and optimizer steps in one step.
LOOPS = {
    "plain": (1, 1),
    "accumulation": (2, 1),
    "gan": (2, 2),
    "zipped": (1, 1),
    "no_loader": (1, 1),
    "lbfgs": (3, 1),
    "amp": (1, 1),
    "workers": (1, 1),
    "workers --context spawn --persistent": (1, 1),
    "lightning_fit": (1, 1),
    "hf_trainer": (2, 1),
    "accelerate_loop": (2, 1),
}


@pytest.mark.parametrize("loop", LOOPS)
def test_steps_are_counted_exactly(record, loop):
    name, *options = loop.split()
    run = record(name, *options)
    training, evaluations = run.steps()
    assert len(training) == run.said["steps"]
    assert total(training, "batches") == run.said["batches"]
    backwards, optimizer_steps = LOOPS[loop]
    assert {row["backwards"] for row in training} == {backwards}
    assert {row["optimizer_steps"] for row in training} == {optimizer_steps}
    assert total(evaluations, "batches") == run.said.get("evaluation_batches", 0) or (
        "evaluations" in run.said
    )
    # What cannot be sampled here (no GPU) is a loss too; nothing that the hooks said may be one.
    # How many stacks changed whenever they were read depends on how busy the machine is.
    losses = [row for row in run.table("data_loss") if row["table"] != "counters"]
    assert [row for row in losses if row["cause"] != "stack_changed"] == []
    for row in training:  # every step did these, whatever else
        assert row["backward_ns"] > 0 and row["optimizer_ns"] > 0
        # Without a loader nothing tells where the first forward pass began.
        assert row["forward_ns"] > 0 or (name == "no_loader" and row["step"] == 0)
        if name not in ("accelerate_loop", "hf_trainer"):  # these read ahead
            assert (row["data_ns"] > 0) == (row["batches"] > 0)


def test_evaluation_and_checkpoints_of_frameworks(record):
    run = record("lightning_fit")
    training, _ = run.steps()
    # Validation lies between the epochs, and so in the step after it.
    assert [row["step"] for row in training if row["evaluation_ns"] > 0][-1] == 4
    assert training[4]["checkpoint_ns"] > 0 and training[5]["checkpoint_ns"] == 0


def torchrun(folder, *options):
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    return Recorded(folder, *command, "--nproc_per_node", "2", hooked.LOOPS / "ddp.py", *options)


def test_a_loop_that_accelerate_launches(tmp_path):
    launch = [pathlib.Path(sys.executable).parent / "accelerate", "launch", "--cpu"]
    launch += ["--num_processes", "1", "--num_machines", "1", "--mixed_precision", "no"]
    run = Recorded(tmp_path, *launch, "--dynamo_backend", "no", hooked.LOOPS / "accelerate_loop.py")
    training, _ = run.steps()
    assert len(training) == run.said["steps"] > 0
    assert total(training, "batches") == run.said["batches"]


def median(values):
    return sorted(values)[len(values) // 2]


def test_two_ranks_and_the_wait_for_a_late_one(tmp_path):
    run = torchrun(tmp_path, "--steps", "12", "--late-ms", "400")
    blocked_ms = []
    for rank in (0, 1):
        training, _ = run.steps(rank)
        assert len(training) == 12 and total(training, "batches") == 12
        # The all_reduce after an optimizer step lies in the step that follows.
        assert all(row["communication_phase_ns"] > 0 for row in training[1:])
        blocked_ms.append(median([row["blocked_in_backward_ns"] for row in training]) / 1e6)
        assert all(row["communication_ns"] >= row["blocked_in_backward_ns"] for row in training)
    # Rank 1 comes 400 ms late: rank 0 waits for it in backward, without CPU time.
    assert blocked_ms[0] > 200 and blocked_ms[1] < blocked_ms[0] / 4
    jobs = [json.loads(row["json"]) for row in run.table("run_metadata") if row["kind"] == "job"]
    assert {job["rank"] for job in jobs} == {0, 1} and {job["world_size"] for job in jobs} == {2}
