# SPDX-License-Identifier: Apache-2.0
"""Two gloo ranks average their gradients by an all_reduce of their own after backward."""

import torch
import torch.distributed as dist
from stopwatch import Parts, tell
from torch import nn


def average_gradients(model, parts):
    flat = torch.cat([parameter.grad.flatten() for parameter in model.parameters()])
    with parts("exchange"):
        dist.all_reduce(flat)
    flat /= dist.get_world_size()
    place = 0
    for parameter in model.parameters():
        count = parameter.numel()
        parameter.grad.copy_(flat[place : place + count].view_as(parameter))
        place += count


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    parts = Parts()
    model = nn.Sequential(nn.Linear(512, 4096), nn.ReLU(), nn.Linear(4096, 512))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    values = torch.randn(8, 512)
    for _ in range(150):
        loss = nn.functional.mse_loss(model(values), values)
        optimizer.zero_grad()
        loss.backward()
        average_gradients(model, parts)
        optimizer.step()
        parts.step()
    shares = torch.tensor([parts.share("exchange")])
    dist.all_reduce(shares)
    if dist.get_rank() == 0:
        tell("communication", "exposed", float(shares[0]) / 2, "average_gradients")
    dist.destroy_process_group()


main()
