# SPDX-License-Identifier: Apache-2.0
"""Tensors of real trainings: what is stored is what torch computes, and a NaN is named while it trains."""

import json
import math
import sys

from fault_tools import record

TORCHRUN = [sys.executable, "-m", "torch.distributed.run"]

TRAINING = """
import json, sys, torch
torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(300, 500), torch.nn.ReLU(), torch.nn.Linear(500, 7))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def measured(tensor):
    wide = tensor.detach().double()
    return [tensor.numel(), int((wide == 0).sum()), float(wide.min()), float(wide.max()), float(wide.sum()),
            float(wide.abs().sum()), float(wide.square().sum())]
said = {}
for step in range(6):
    optimizer.zero_grad()
    loss = model(torch.randn(32, 300)).square().mean()
    loss.backward()
    said[f"{step} loss loss"] = measured(loss)
    for name, parameter in model.named_parameters():
        said[f"{step} gradient {name}"] = measured(parameter.grad)
    optimizer.step()
    for name, parameter in model.named_parameters():
        said[f"{step} weight {name}"] = measured(parameter)
print(json.dumps(said))
"""

# Rank 1 gets a NaN into one layer before its step 20; the others get it by the exchange of gradients.
FAULTY = """
import time, torch
import torch.distributed as dist
from torch import nn
torch.set_num_threads(1)
dist.init_process_group("gloo")
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4))
model = nn.parallel.DistributedDataParallel(net)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(30):
    if step == 20 and dist.get_rank() == 1:
        with torch.no_grad():
            net[2].weight[3, 5] = float("nan")
    optimizer.zero_grad()
    model(torch.randn(8, 16)).square().mean().backward()
    optimizer.step()
    time.sleep(0.02)
time.sleep(3)
dist.destroy_process_group()
"""


def write(tmp_path, training):
    path = tmp_path / "train.py"
    path.write_text(training)
    return str(path)


def test_what_is_stored_is_what_torch_computes(tmp_path):
    command = [sys.executable, write(tmp_path, TRAINING)]
    outcome = record(tmp_path, command, "--tensors", "all@every=1")
    assert outcome.status == 0, outcome.stderr
    said = json.loads(outcome.stdout.splitlines()[-1])
    rows = {f"{r['step']} {r['role']} {r['tensor']}": r for r in outcome.run.rows("tensor_stats")}
    assert rows.keys() == said.keys()
    for key, (numel, zeros, least, largest, *sums) in said.items():
        row = rows[key]
        assert (row["numel"], row["zeros"]) == (numel, zeros)
        assert (row["min"], row["max"]) == (least, largest)
        assert row["nan"] == row["positive_inf"] == row["negative_inf"] == 0
        for name, value in zip(("sum", "abs_sum", "square_sum"), sums):
            assert math.isclose(row[name], value, rel_tol=1e-9, abs_tol=1e-12 * row["abs_sum"])
    counts = {}
    for row in outcome.run.rows("tensor_histograms"):
        key = f"{row['step']} {row['role']} {row['tensor']}"
        counts[key] = counts.get(key, 0) + row["count"]
    for key, row in rows.items():
        assert counts.get(key, 0) == row["numel"] - row["zeros"]
    steps = {row["step"]: row for row in outcome.run.rows("steps")}
    for row in rows.values():
        step = steps[row["step"]]
        # The first step begins with the first phase that is seen, its backward: the loss is read before.
        early_ns = 1_000_000 if (row["step"], row["role"]) == (0, "loss") else 0
        assert step["ts_ns"] - early_ns <= row["ts_ns"] <= step["ts_ns"] + step["dur_ns"]
    assert outcome.run.causes() == {}


def test_a_nan_in_one_layer_of_one_rank_is_named_while_it_trains(tmp_path):
    command = [*TORCHRUN, "--standalone", "--nproc-per-node", "2", write(tmp_path, FAULTY)]
    outcome = record(tmp_path, command, "--tensors", "loss,gradients,weights@every=1000")
    assert outcome.status == 0, outcome.stderr
    findings = [
        json.loads(row["evidence"]) | {"ts_ns": row["ts_ns"], "text": row["text"]}
        for row in outcome.run.rows("findings")
        if "not finite" in row["text"]
    ]
    (found,) = findings
    assert found["text"].startswith(
        "2.weight is not finite after step 19 on rank 1: 1 of 1024 elements"
    )
    loss = next(
        row
        for row in outcome.run.rows("tensor_stats")
        if row["role"] == "loss" and row["rank"] == 1 and row["nan"]
    )
    assert loss["step"] == 20
    assert (
        found["ts_ns"] - loss["ts_ns"] < 2_000_000_000
    )  # within a second, on a machine that is free
    assert "2.weight is not finite" in str(outcome.stderr)


def test_without_the_option_no_tensor_is_looked_at(tmp_path):
    outcome = record(tmp_path, [sys.executable, write(tmp_path, TRAINING)])
    assert outcome.status == 0, outcome.stderr
    assert list(outcome.run.rows("tensor_stats")) == []
