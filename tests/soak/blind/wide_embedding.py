# SPDX-License-Identifier: Apache-2.0
"""A recommender with a large dense embedding: Adam goes over all its rows each step."""

import torch
from stopwatch import Parts, tell
from torch import nn

ITEMS = 150_000


class TwoTowers(nn.Module):
    def __init__(self):
        super().__init__()
        self.users = nn.Embedding(2_000, 32)
        self.items = nn.Embedding(ITEMS, 32)

    def forward(self, users, items):
        return (self.users(users) * self.items(items)).sum(-1)


def main():
    torch.manual_seed(0)
    parts = Parts()
    model = TwoTowers()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    users = torch.randint(0, 2_000, (256, 200))
    items = torch.randint(0, ITEMS, (256, 200))
    for number in range(400):
        with parts("model"):
            score = model(users[:, number % 200], items[:, number % 200])
            loss = nn.functional.softplus(-score).mean()
        optimizer.zero_grad()
        with parts("model"):
            loss.backward()
        with parts("optimizer"):
            optimizer.step()
        parts.step()
    tell(
        "model",
        "optimizer",
        parts.share("model", "optimizer"),
        stage_share=parts.share("optimizer"),
    )


main()
