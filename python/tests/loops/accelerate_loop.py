# SPDX-License-Identifier: Apache-2.0
"""accelerate: a batch read ahead, accumulation by its own context."""

import torch
from accelerate import Accelerator
from common import Points, loss_of, make_model, report
from torch.utils.data import DataLoader


def main():
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = make_model()
    model, optimizer, loader = accelerator.prepare(
        model, torch.optim.SGD(model.parameters(), lr=0.1), DataLoader(Points(32), batch_size=4)
    )
    steps = 0
    for batch in loader:
        with accelerator.accumulate(model):
            accelerator.backward(loss_of(model, batch))
            optimizer.step()
            optimizer.zero_grad()
            steps += accelerator.sync_gradients
    report(steps=int(steps), batches=8)


main()
