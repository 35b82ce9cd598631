# SPDX-License-Identifier: Apache-2.0
"""Two epochs, a validation after each, a checkpoint at the end."""

import os
import tempfile

import torch
from common import Points, loss_of, make_model, report
from torch.utils.data import DataLoader


def main():
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    training = DataLoader(Points(24), batch_size=4)
    validation = DataLoader(Points(8), batch_size=4)
    steps = 0
    for _ in range(2):
        for batch in training:
            loss_of(model, batch).backward()
            optimizer.step()
            optimizer.zero_grad()
            steps += 1
        with torch.no_grad():
            for batch in validation:
                loss_of(model, batch)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.pt")
        torch.save(model.state_dict(), path)
        torch.load(path)
    report(steps=steps, batches=12, evaluation_batches=4)


main()
