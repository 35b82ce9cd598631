# SPDX-License-Identifier: Apache-2.0
"""Trainings with an induced cause each get the right suspect and sub-stage."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from other_work import OtherWork

pytestmark = pytest.mark.alone

INDUCED = Path(__file__).parent / "trainings" / "induced.py"
STEPTRACE = Path(sys.executable).parent / "steptrace"
TORCHRUN = Path(sys.executable).parent / "torchrun"

SOAK = pytest.mark.soak  # others of their kind are tried with every change

# cause, steps -> suspect, sub-stages any of which is right. Code of the training's own is named by
# samples of its stacks.
ONE_PROCESS = [
    ("slow_decode", 200, "data_pipeline", {"dataset_code"}),
    pytest.param("slow_decode_no_workers", 60, "data_pipeline", {"dataset_code"}, marks=SOAK),
    ("slow_collate", 60, "data_pipeline", {"collate"}),
    pytest.param("too_few_workers", 60, "data_pipeline", {"dataset_code"}, marks=SOAK),
    ("huge_batches", 20, "data_pipeline", {"receive"}),
    ("outside_any_hook", 200, "other_work", {"loop_code"}),
    ("sleep_without_loader", 60, "unattributed", {"unknown"}),
    ("heavy_model", 40, "model", {"forward", "backward", "optimizer"}),
    pytest.param("healthy", 60, "model", {"forward", "backward", "optimizer"}, marks=SOAK),
    ("checkpoint_every_step", 40, "other_work", {"checkpoint"}),
    pytest.param("long_evaluation", 60, "other_work", {"evaluation"}, marks=SOAK),
    ("garbage", 60, "framework_overhead", {"garbage_collection"}),
]
TWO_RANKS = [
    ("large_all_reduce", 30, "exposed", None),
    pytest.param("explicit_all_reduce", 30, "exposed", None, marks=SOAK),
    ("straggler_by_data", 60, "straggler", {"data_pipeline", "getitem"}),
    pytest.param("straggler_by_forward", 60, "straggler", {"model", "forward"}, marks=SOAK),
    pytest.param("straggler_by_backward", 60, "straggler", {"model", "backward"}, marks=SOAK),
]


def report_of(run, command, before=None, **environment):
    """Runs a command under Steptrace; returns its report."""
    done = subprocess.run(
        [STEPTRACE, "run", "--output", run, "--no-report", "--", *map(str, command)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
        preexec_fn=before,
    )
    assert done.returncode == 0, done.stderr
    text = subprocess.run(
        [STEPTRACE, "report", run, "--json"], check=True, capture_output=True, text=True, timeout=60
    ).stdout
    return json.loads(text)


def describe(report):
    return json.dumps(
        {key: report[key] for key in ("verdict", "suspects", "steps", "data_pipeline")}, indent=1
    )


def short(value):
    """A test's id must be the same in each process that collects it; a set's order is not."""
    return "+".join(sorted(value)) if isinstance(value, set) else str(value)[:24]


@pytest.mark.parametrize("cause, steps, suspect, stages", ONE_PROCESS, ids=short)
def test_cause_of_one_process(cause, steps, suspect, stages, tmp_path):
    with OtherWork() as other:
        report = report_of(tmp_path / "run", [sys.executable, INDUCED, cause, steps])
    verdict = report["verdict"]
    assert (verdict["status"], verdict["suspect"]) == ("found", suspect), describe(report)
    # Where others have the cores, workers that need one wait for it, and that is what to say.
    right = stages | {"cpu_shortage"} if other.shared() else stages
    assert verdict["sub_stage"] in right, describe(report)
    if verdict["sub_stage"] in ("dataset_code", "loop_code"):
        assert verdict["function"]["function"] == "burn", describe(report)
    assert report["steps"]["count"] == steps
    assert sum(s["ns"] for s in report["suspects"]["rows"]) > 0


@pytest.mark.parametrize("cause, steps, stage, causes", TWO_RANKS, ids=short)
def test_cause_of_two_gloo_ranks(cause, steps, stage, causes, tmp_path):
    command = [TORCHRUN, "--nproc-per-node", 2, "--standalone", INDUCED]
    report = report_of(tmp_path / "run", [*command, cause, steps], OMP_NUM_THREADS="1")
    verdict = report["verdict"]
    assert (verdict["status"], verdict["suspect"]) == ("found", "communication"), describe(report)
    assert verdict["sub_stage"] == stage, describe(report)
    if causes:
        assert verdict["straggler_rank"] == 1, describe(report)
        assert verdict["straggler_cause"] in causes, describe(report)


class CpuQuota:
    """A cgroup with a quota of CPU time, of version 1 or 2, for the process that enters it."""

    def __init__(self, cores):
        name = f"steptrace-test-{os.getpid()}"
        v1, v2 = Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup")
        period_us = 100_000
        quota_us = int(cores * period_us)
        if (v1 / "cpu.cfs_quota_us").exists() or (v1 / "cgroup.procs").exists():
            self.folder = v1 / name
            settings = {"cpu.cfs_period_us": period_us, "cpu.cfs_quota_us": quota_us}
        else:
            self.folder = v2 / name
            settings = {"cpu.max": f"{quota_us} {period_us}"}
        self.folder.mkdir()
        try:
            for file, value in settings.items():
                (self.folder / file).write_text(str(value))
        except OSError:
            self.folder.rmdir()
            raise

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def remove(self):
        for _ in range(100):  # the agent may still be ending in it
            try:
                return self.folder.rmdir()
            except OSError:
                time.sleep(0.05)
        raise TimeoutError(f"{self.folder}: processes stay in it")


@pytest.fixture()
def half_a_core():
    try:
        quota = CpuQuota(cores=0.5)
    except OSError as error:
        pytest.skip(f"needs a writable cgroup with the cpu controller: {error}")
    yield quota
    quota.remove()


def test_cpu_quota(half_a_core, tmp_path):
    command = [sys.executable, INDUCED, "quota", 60]
    report = report_of(tmp_path / "run", command, before=half_a_core.enter)
    verdict = report["verdict"]
    assert (verdict["status"], verdict["suspect"]) == ("found", "data_pipeline"), describe(report)
    assert verdict["sub_stage"] == "cpu_shortage", describe(report)
    assert any("quota of 0.5 cores" in line["text"] for line in verdict["evidence"])
    assert "quota" in verdict["advice"][0]["text"]
    assert not any("num_workers" in advice["proposed"] for advice in verdict["advice"])
