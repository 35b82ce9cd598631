# SPDX-License-Identifier: Apache-2.0
"""Gradients of two batches a step."""

import torch
from common import Points, loss_of, make_model, report
from torch.utils.data import DataLoader


def main():
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    steps = 0
    for index, batch in enumerate(DataLoader(Points(48), batch_size=4)):
        loss_of(model, batch).backward()
        if index % 2 == 1:
            optimizer.step()
            optimizer.zero_grad()
            steps += 1
    report(steps=steps, batches=12)


main()
