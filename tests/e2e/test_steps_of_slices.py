# SPDX-License-Identifier: Apache-2.0
"""The slices of a closed run name their step: a real training with a worker."""

import sys

from fault_tools import record

TRAINING = """
import torch
from torch.utils.data import DataLoader, TensorDataset

class Slow(TensorDataset):
    def __getitem__(self, index):
        import time
        time.sleep(0.002)
        return super().__getitem__(index)

if __name__ == "__main__":
    torch.set_num_threads(1)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = Slow(torch.randn(60, 4), torch.randn(60, 1))
    for inputs, targets in DataLoader(data, batch_size=4, num_workers=1):
        torch.nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
        optimizer.zero_grad()
"""


def test_a_slice_names_the_step_in_which_it_begins(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(TRAINING)
    outcome = record(tmp_path, [sys.executable, str(path)])
    assert outcome.status == 0, outcome.stderr
    steps = {row["step"]: row for row in outcome.run.rows("steps")}
    assert len(steps) == 15
    slices = outcome.run.rows("slices")
    by_name = {}
    for row in slices:
        inside = [
            number
            for number, step in steps.items()
            if step["ts_ns"] <= row["ts_ns"] < step["ts_ns"] + step["dur_ns"]
        ]
        assert row["step"] == (inside[0] if inside else None), row
        by_name.setdefault(row["name"], []).append(row["step"])
    # Of the training thread each step has one; the worker is ahead, so its batches lie in the steps
    # during which it made them.
    assert sorted(by_name["backward"]) == sorted(steps)
    assert sorted(by_name["optimizer"]) == sorted(steps)
    assert len(by_name["fetch"]) == 15
    assert any(step is not None for step in by_name["fetch"])
