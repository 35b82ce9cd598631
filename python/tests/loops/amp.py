# SPDX-License-Identifier: Apache-2.0
"""Automatic mixed precision, with a gradient scaler and clipping."""

import torch
from common import Points, loss_of, make_model, report
from torch.utils.data import DataLoader


def main():
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters())
    scaler = torch.amp.GradScaler("cpu")
    steps = 0
    for batch in DataLoader(Points(32), batch_size=4):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = loss_of(model, batch)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        steps += 1
    report(steps=steps, batches=8)


main()
