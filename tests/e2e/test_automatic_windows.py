# SPDX-License-Identifier: Apache-2.0
"""Windows that a run takes by itself: one in steady state, another when its steps become slower."""

import json
import pathlib
import sys

import pytest
from fault_tools import record

SLOWER_FROM = 350

TRAINING = f"""
import sys
import time
import torch

torch.set_num_threads(1)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

def train(number):
    optimizer.zero_grad()
    model(torch.zeros(2, 4)).sum().backward()
    time.sleep(0.02 if number < {SLOWER_FROM} else 0.12)
    optimizer.step()

for number in range({SLOWER_FROM} + int(sys.argv[1])):
    train(number)
"""


def train(folder, *options, slow=200, **environment):
    path = pathlib.Path(folder) / "train.py"
    path.write_text(TRAINING)
    command = [sys.executable, str(path), str(slow)]
    outcome = record(folder, command, *options, env=environment)
    assert outcome.status == 0, outcome.stderr
    facts = [
        json.loads(row["json"])
        for row in outcome.run.rows("run_metadata")
        if row["kind"] == "window"
    ]
    shifts = [row for row in outcome.run.rows("findings") if row["subject"] == "step time"]
    # A machine that gets slower for others' sake shifts the steps as well.
    return facts, [row for row in shifts if abs(step_of(row) - SLOWER_FROM) <= 20]


def step_of(shift):
    return json.loads(shift["evidence"])["step"]


def test_a_training_that_becomes_slower_has_a_second_window(tmp_path):
    windows, shifts = train(tmp_path)
    assert [row["severity"] for row in shifts] == ["warning"], [row["text"] for row in shifts]
    evidence = json.loads(shifts[0]["evidence"])
    assert evidence["to_ns"] > 2 * evidence["from_ns"]
    assert f"since step {evidence['step']}" in shifts[0]["text"]
    assert all(one["source"] == "automatic" for one in windows)
    whys = [one["why"] for one in windows if one["steps"] > 0]
    # A rule may fire as well, of a training that is not alone on its machine.
    assert whys[:2] == ["early", "steady"] and "shift" in whys


@pytest.mark.soak
def test_without_a_budget_it_is_told_and_not_captured(tmp_path):
    windows, shifts = train(tmp_path, STEPTRACE_WINDOW_BUDGET_S="0")
    assert len(shifts) == 1
    assert windows == []


# The steps take six times as long: a rise of 500 %.
@pytest.mark.parametrize(
    "percent, reported", [(900, 0), pytest.param(300, 1, marks=pytest.mark.soak)]
)
def test_a_rise_is_reported_if_it_is_above_the_threshold(tmp_path, percent, reported):
    _, shifts = train(tmp_path, "--alert", f"step_rise_percent={percent}", slow=80)
    assert len(shifts) == reported, [row["text"] for row in shifts]
