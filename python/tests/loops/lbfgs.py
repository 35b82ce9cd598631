# SPDX-License-Identifier: Apache-2.0
"""Forward and backward inside optimizer.step(closure), three times a step."""

import torch
from common import Points, loss_of, make_model, report
from torch.utils.data import DataLoader


def main():
    model = make_model()
    optimizer = torch.optim.LBFGS(
        model.parameters(), lr=0.01, max_iter=3, tolerance_grad=0, tolerance_change=0
    )
    steps, backwards = 0, 0
    for batch in DataLoader(Points(24), batch_size=4):

        def closure(batch=batch):
            nonlocal backwards
            optimizer.zero_grad()
            loss = loss_of(model, batch)
            loss.backward()
            backwards += 1
            return loss

        optimizer.step(closure)
        steps += 1
    report(steps=steps, batches=6, backwards=backwards)


main()
