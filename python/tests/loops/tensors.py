# SPDX-License-Identifier: Apache-2.0
"""A model with wrappers, tied weights, frozen and late parameters; the argument says what goes wrong.
Its last line has a digest of all parameters: what watches must not change it."""

import hashlib
import sys

import torch
from common import report
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.second = nn.Linear(8, 8, bias=False)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(8, 8)
        self.tied = self.head
        self.frozen = nn.Linear(8, 8)
        self.frozen.requires_grad_(False)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x) + self.frozen(x)


class SeesAll(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        SEEN.append(function)
        return function(*args, **(kwargs or {}))


SEEN = []


def main(case):
    torch.manual_seed(1)
    torch.use_deterministic_algorithms(True)
    net = Net()
    model = nn.DataParallel(net) if case == "wrapped" else net
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    seen = 0
    for step in range(8):
        if case == "late" and step == 4:
            net.extra = nn.Linear(8, 8)
            optimizer.add_param_group({"params": list(net.extra.parameters())})
        if case == "nan" and step == 5:
            with torch.no_grad():
                net.blocks[1].first.weight[3, 3] = float("nan")
        x = torch.randn(16, 8)
        loss = model(x).square().mean()
        if case == "late" and step >= 4:
            loss = loss + net.extra(x).square().mean()
        optimizer.zero_grad()
        if case == "mode" and step == 3:
            with SeesAll():
                loss.backward()
                before = len(SEEN)
                optimizer.step()
                seen = len(SEEN) - before
        else:
            loss.backward()
            optimizer.step()
        if case == "swap":
            net.blocks[0].first.weight = nn.Parameter(net.blocks[0].first.weight.detach().clone())
            optimizer.param_groups[0]["params"][0] = net.blocks[0].first.weight
    digest = hashlib.sha256()
    for parameter in model.parameters():
        digest.update(parameter.detach().numpy().tobytes())
    report(digest=digest.hexdigest(), seen=seen)


main(sys.argv[1] if len(sys.argv) > 1 else "plain")
