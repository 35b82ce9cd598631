# SPDX-License-Identifier: Apache-2.0
"""Trainings that wait for one stage of their dataset: the samples of stacks name it, with function
and line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from other_work import OtherWork

pytestmark = pytest.mark.alone

ROOT = Path(__file__).resolve().parents[2]
STAGED = ROOT / "tests" / "e2e" / "trainings" / "staged.py"
RECOMMENDER = ROOT / "examples" / "recommender"
STEPTRACE = Path(sys.executable).parent / "steptrace"

SOAK = pytest.mark.soak  # others of their kind are tried with every change

# cause, steps -> suspect, stage, function (its last name), call
CAUSES = [
    ("decode", 60, "data_pipeline", "decode", "make", "ParquetFile.read_row_group"),
    pytest.param(
        "decode_in_loop",
        60,
        "data_pipeline",
        "decode",
        "make",
        "ParquetFile.read_row_group",
        marks=SOAK,
    ),
    pytest.param(
        "own_loader",
        60,
        "data_pipeline",
        "decode",
        "make",
        "ParquetFile.read_row_group",
        marks=SOAK,
    ),
    pytest.param("images", 60, "data_pipeline", "decode", "make", None, marks=SOAK),
    pytest.param("augment", 60, "data_pipeline", "augmentation", "make", None, marks=SOAK),
    ("tokenise", 60, "data_pipeline", "tokenise", "make", None),
    ("slow_files", 60, "data_pipeline", "storage_read", "fetch", "os.read"),
    pytest.param("locked", 60, "data_pipeline", "lock", "make", None, marks=SOAK),
    ("locked_by_a_thread", 100, "data_pipeline", "lock", "make", "self.lock.__enter__"),
    ("stream", 60, "data_pipeline", "decode", "__iter__", "loads"),
    ("beside_the_model", 100, "other_work", "loop_code", "burn", None),
    pytest.param("garbage", 60, "framework_overhead", "garbage_collection", None, None, marks=SOAK),
]


def report_of(run, command, folder=None, **environment):
    """Runs a command under Steptrace; returns its report."""
    environment = {**os.environ, "STEPTRACE_STACK_RATE": "100", **environment}
    done = subprocess.run(
        [STEPTRACE, "run", "--output", run, "--no-report", "--", *map(str, command)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    shown = subprocess.run(
        [STEPTRACE, "report", run, "--json"],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
        cwd=folder,
    )
    return json.loads(shown.stdout)


def describe(report):
    stages = [s for s in report["stages"]["rows"] if s["ns"]]
    return json.dumps({"verdict": report["verdict"], "stages": stages}, indent=1)


def check_sums(report):
    total = sum(suspect["ns"] for suspect in report["suspects"]["rows"])
    assert sum(stage["ns"] for stage in report["stages"]["rows"]) == total
    pipeline = sum(stage["ns"] for stage in report["data_pipeline"]["stages"])
    assert pipeline == report["suspects"]["rows"][0]["ns"]


def blamed(report, shared):
    """Stage and function of the verdict. Where others have the cores, waiting for one may be the
    larger part and come first; then the largest of the rest is what the training does."""
    verdict = report["verdict"]
    if verdict["sub_stage"] != "cpu_shortage" or not shared:
        return verdict["sub_stage"], verdict["function"]
    stages = [s for s in report["stages"]["rows"] if s["name"] != "cpu_shortage"]
    stages = [s for s in stages if s["suspect"] == verdict["suspect"]]
    most = max(stages, key=lambda stage: stage["ns"])
    return most["name"], most["functions"][0] if most["functions"] else None


@pytest.mark.parametrize(
    "cause, steps, suspect, stage, function, call", CAUSES, ids=lambda v: str(v)[:24]
)
def test_stage_function_and_line(cause, steps, suspect, stage, function, call, tmp_path):
    with OtherWork() as other:
        report = report_of(tmp_path / "run", [sys.executable, STAGED, cause, tmp_path, steps])
    verdict = report["verdict"]
    assert (verdict["status"], verdict["suspect"]) == ("found", suspect), describe(report)
    found_stage, found = blamed(report, other.shared())
    assert found_stage == stage, describe(report)
    check_sums(report)
    if function is None:
        return
    assert found["function"].split(".")[-1] == function, describe(report)
    assert Path(found["file"]) == STAGED
    line = STAGED.read_text().splitlines()[found["line"] - 1]
    assert line.strip() and not line.strip().startswith(("#", "def "))
    if call is not None:
        assert found["call"] == call, describe(report)


def test_users_own_functions(tmp_path):
    command = [sys.executable, STAGED, "own_tokenise", tmp_path, 60]
    plain = report_of(tmp_path / "plain", command, tmp_path)
    assert plain["verdict"]["sub_stage"] == "dataset_code", describe(plain)
    (tmp_path / "steptrace.toml").write_text('[stages]\n"staged.py:Vocabulary.*" = "tokenise"\n')
    shown = subprocess.run(
        [STEPTRACE, "report", tmp_path / "plain", "--json"],
        check=True,
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    verdict = json.loads(shown.stdout)["verdict"]
    assert verdict["sub_stage"] == "tokenise"
    assert verdict["function"]["function"] == "Vocabulary.run"


def test_without_samples_nothing_is_divided(tmp_path):
    command = [sys.executable, STAGED, "augment", tmp_path, 40]
    report = report_of(tmp_path / "run", command, STEPTRACE_STACK_RATE="0")
    assert report["verdict"]["sub_stage"] == "getitem", describe(report)
    assert report["verdict"]["function"] is None
    assert all(stage["samples"] == 0 for stage in report["stages"]["rows"])


def test_shares_are_those_of_timers_in_the_dataset(tmp_path):
    """The demo's slow variant, its stages timed by hand: within 5 points of the step."""
    timers = tmp_path / "timers"
    timers.mkdir()
    command = [sys.executable, "-W", "ignore", RECOMMENDER / "train.py", "--variant", "slow"]
    command += ["--epochs", 1, "--data", tmp_path / "data"]
    report = report_of(tmp_path / "run", command, RECOMMENDER_TIMERS=str(timers))
    sums = [json.loads(path.read_text()) for path in timers.glob("*.json")]
    assert sums
    timed = {key: sum(one[key] for one in sums) for key in ("getitem", "decode", "augmentation")}
    stages = {stage["name"]: stage for stage in report["data_pipeline"]["stages"]}
    dataset = ("storage_read", "decode", "augmentation", "dataset_code", "getitem")
    of_dataset = sum(stages[name]["share"] for name in dataset)
    for stage in ("decode", "augmentation"):
        expected = of_dataset * timed[stage] / timed["getitem"]
        assert stages[stage]["share"] == pytest.approx(expected, abs=0.05), describe(report)
        assert Path(stages[stage]["functions"][0]["file"]).name == "dataset.py"
        assert stages[stage]["functions"][0]["line"] > 0
    check_sums(report)
