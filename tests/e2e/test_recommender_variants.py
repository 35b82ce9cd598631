# SPDX-License-Identifier: Apache-2.0
"""The two variants of the example: they train on the same samples in the same order, and the verdict
tells the slow one's data pipeline from the fixed one's model."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.alone

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "recommender"
STEPTRACE = Path(sys.executable).parent / "steptrace"


@pytest.fixture
def example(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(EXAMPLE))
    import data
    import train

    yield torch, data, train
    for name in ("data", "train", "dataset"):
        sys.modules.pop(name, None)


def test_both_variants_yield_the_same_batches_in_the_same_order(example, tmp_path):
    torch, data, train = example
    folder = data.make(tmp_path / "clicks", files=2, row_groups=2)
    slow, fixed = (train.make_loader(v, folder, workers=0) for v in ("slow", "fixed"))
    for _ in range(2):
        left, right = list(slow), list(fixed)
        assert len(left) == len(right) == 4
        for a, b in zip(left, right):
            for x, y in zip(a, b):
                assert x.dtype == y.dtype
                assert torch.equal(x, y)


def test_epochs_come_in_different_orders(example, tmp_path):
    torch, data, train = example
    folder = data.make(tmp_path / "clicks", files=2, row_groups=8)
    loader = train.make_loader("fixed", folder, workers=0)
    first, second = [batch[3] for batch in loader], [batch[3] for batch in loader]
    assert not all(torch.equal(a, b) for a, b in zip(first, second))


def test_both_variants_reach_the_same_loss(example, tmp_path):
    _, data, train = example
    folder = data.make(tmp_path / "clicks", files=1, row_groups=2)
    losses = [train.train(train.make_loader(v, folder, workers=0), 2) for v in ("slow", "fixed")]
    assert losses[0] == losses[1]


ROW_GROUPS = 16  # a file: 64 batches an epoch


def report_of(variant, folder, run, epochs):
    """The report of a small training under Steptrace."""
    command = [sys.executable, "-W", "ignore", EXAMPLE / "train.py", "--variant", variant]
    command += ["--epochs", epochs, "--data", folder, "--row-groups", ROW_GROUPS]
    done = subprocess.run(
        [STEPTRACE, "run", "--output", run, "--no-report", "--", *map(str, command)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    shown = subprocess.run(
        [STEPTRACE, "report", run, "--json"], check=True, capture_output=True, timeout=60
    )
    return json.loads(shown.stdout)


def data_ns(report):
    """What the mean step waits for data."""
    (pipeline,) = (s for s in report["suspects"]["rows"] if s["name"] == "data_pipeline")
    return pipeline["share"] * report["steps"]["duration_ns"]["mean"]


def shares(report):
    return json.dumps(
        {
            "verdict": report["verdict"],
            "suspects": {s["name"]: s["share"] for s in report["suspects"]["rows"]},
            "stages": {s["name"]: s["share"] for s in report["stages"]["rows"] if s["ns"]},
            "waits": {k: v for k, v in report["data_pipeline"].items() if "waits" in k},
        },
        indent=1,
    )


def test_the_slow_one_starves_in_a_named_stage_and_the_fixed_one_does_not(example, tmp_path):
    _, data, _ = example
    folder = data.make(tmp_path / "clicks", row_groups=ROW_GROUPS)
    slow = report_of("slow", folder, tmp_path / "slow", epochs=1)
    fixed = report_of("fixed", folder, tmp_path / "fixed", epochs=3)

    verdict = slow["verdict"]
    assert (verdict["status"], verdict["suspect"]) == ("found", "data_pipeline"), shares(slow)
    pipeline = slow["data_pipeline"]
    assert pipeline["starved_waits"] > pipeline["waits"] / 4, shares(slow)
    stages = {stage["name"]: stage for stage in pipeline["stages"]}
    assert stages["receive"]["share"] < verdict["share"] / 4, "it starves, it does not receive"
    # Where others want the cores too, waiting for one is told apart from the dataset's own work,
    # and may be the larger part. Of the rest the largest is the stage by name, in its line.
    assert verdict["sub_stage"] in ("decode", "augmentation", "cpu_shortage"), shares(slow)
    own = {name: s["ns"] for name, s in stages.items() if name != "cpu_shortage"}
    most = stages[max(own, key=own.get)]
    assert most["name"] in ("decode", "augmentation"), shares(slow)
    assert Path(most["functions"][0]["file"]).name == "dataset.py"
    assert most["functions"][0]["line"] > 0

    assert fixed["verdict"]["suspect"] != "data_pipeline", shares(fixed)
    assert fixed["verdict"]["status"] == "found", shares(fixed)
    assert data_ns(fixed) < data_ns(slow) / 4, shares(fixed)
