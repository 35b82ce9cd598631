# SPDX-License-Identifier: Apache-2.0
"""Computing and framework overhead are told apart at the first try, however short the training and whatever its
steps are like: of a hundred steps of a millisecond, or of a few of thousands of operators."""

import sys

import pytest
from fault_tools import record

pytestmark = pytest.mark.alone

TRAINING = """
import sys
import torch
steps, width, operators = map(int, sys.argv[1:])
torch.manual_seed(0)
torch.set_num_threads(1)

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(3))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        for _ in range(operators):
            x = x + 0.001
        return x.sum()

model, x = Model(), torch.randn(64 if width > 8 else 1, width)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)
for _ in range(steps):
    model(x).backward()
    optimizer.step()
    optimizer.zero_grad()
"""


@pytest.mark.parametrize(
    ("steps", "width", "operators", "suspect"),
    [
        pytest.param(100, 8, 100, "framework_overhead", id="a hundred steps of a millisecond"),
        pytest.param(16, 8, 4000, "framework_overhead", id="a few of thousands of operators"),
        pytest.param(100, 512, 0, "model", id="a hundred that compute"),
    ],
)
def test_what_a_short_training_spends(tmp_path, steps, width, operators, suspect):
    path = tmp_path / "train.py"
    path.write_text(TRAINING)
    words = [sys.executable, str(path), str(steps), str(width), str(operators)]
    outcome = record(tmp_path, words)
    assert outcome.status == 0, outcome.stderr
    verdict = outcome.run.report()["verdict"]
    assert (verdict["status"], verdict["suspect"]) == ("found", suspect), verdict["headline"]
