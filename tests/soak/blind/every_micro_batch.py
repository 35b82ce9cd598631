# SPDX-License-Identifier: Apache-2.0
"""DDP on two gloo ranks accumulates over four micro-batches without no_sync: each backward exchanges all gradients."""

import time

import torch
import torch.distributed as dist
from stopwatch import Parts, tell
from torch import nn
from torch.nn.parallel import DistributedDataParallel

ACCUMULATE = 4


def backward_alone_s(model, values):
    """The mean of what backward takes where nothing is exchanged."""
    with model.no_sync():
        spent = 0.0
        for number in range(24):
            loss = nn.functional.mse_loss(model(values), values)
            begin = time.perf_counter()
            loss.backward()
            if number >= 4:
                spent += time.perf_counter() - begin
    model.zero_grad()
    return spent / 20


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    parts = Parts(skip=3)
    model = DistributedDataParallel(
        nn.Sequential(nn.Linear(512, 3072), nn.ReLU(), nn.Linear(3072, 512))
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    values = torch.randn(16, 512)
    alone_s = backward_alone_s(model, values)
    dist.barrier()
    parts.last = time.perf_counter()
    for _ in range(60):
        for _ in range(ACCUMULATE):
            loss = nn.functional.mse_loss(model(values), values) / ACCUMULATE
            with parts("backward"):
                loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        parts.step()
    alone = (parts.steps - parts.skip) * ACCUMULATE * alone_s / parts.total
    shares = torch.tensor([parts.share("backward") - alone])
    dist.all_reduce(shares)
    if dist.get_rank() == 0:
        tell("communication", "exposed", float(shares[0]) / 2)
    dist.destroy_process_group()


main()
