# SPDX-License-Identifier: Apache-2.0
"""Data made on the spot."""

import torch
from common import loss_of, make_model, report


def main():
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    steps = 10
    for _ in range(steps):
        loss_of(model, (torch.randn(4, 8), torch.zeros(4, 1))).backward()
        optimizer.step()
        optimizer.zero_grad()
    report(steps=steps, batches=0)


main()
