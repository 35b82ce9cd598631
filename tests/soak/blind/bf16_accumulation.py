# SPDX-License-Identifier: Apache-2.0
"""A transformer layer under bfloat16 autocast on the CPU, four micro-batches a step: the model fills it."""

import torch
from stopwatch import Parts, tell
from torch import nn

ACCUMULATE = 4


def main():
    torch.manual_seed(0)
    parts = Parts(skip=2)
    model = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
    head = nn.Linear(128, 8)
    optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()], lr=1e-4)
    data = torch.randn(64, 16, 128, 128)
    targets = torch.randint(0, 8, (64, 16))
    for number in range(60):
        for micro in range(ACCUMULATE):
            place = (number * ACCUMULATE + micro) % 64
            with parts("forward"), torch.autocast("cpu", dtype=torch.bfloat16):
                logits = head(model(data[place]).mean(1))
                loss = nn.functional.cross_entropy(logits.float(), targets[place]) / ACCUMULATE
            with parts("backward"):
                loss.backward()
        with parts("optimizer"):
            optimizer.step()
            optimizer.zero_grad()
        parts.step()
    stage = parts.largest("forward", "backward", "optimizer")
    tell(
        "model",
        stage,
        parts.share("forward", "backward", "optimizer"),
        stage_share=parts.share(stage),
    )


main()
