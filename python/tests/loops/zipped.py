# SPDX-License-Identifier: Apache-2.0
"""Two loaders side by side."""

import torch
from common import Points, loss_of, make_model, report
from torch.utils.data import DataLoader


def main():
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    one, other = DataLoader(Points(32), batch_size=4), DataLoader(Points(64), batch_size=8)
    steps = 0
    for first, second in zip(one, other):
        (loss_of(model, first) + loss_of(model, second)).backward()
        optimizer.step()
        optimizer.zero_grad()
        steps += 1
    report(steps=steps, batches=16)


main()
