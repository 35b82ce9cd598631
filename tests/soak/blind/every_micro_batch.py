# SPDX-License-Identifier: Apache-2.0
"""DDP on two gloo ranks accumulates over four micro-batches without no_sync: each backward exchanges all gradients.

The timer: backward that exchanges nothing, every fourth step and between two that do.
"""

import time

import torch
import torch.distributed as dist
from stopwatch import Parts, tell
from torch import nn
from torch.nn.parallel import DistributedDataParallel

ACCUMULATE = 4


def timed_backward(model, values):
    loss = nn.functional.mse_loss(model(values), values) / ACCUMULATE
    begin = time.perf_counter()
    loss.backward()
    return time.perf_counter() - begin


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    parts = Parts(skip=4)
    model = DistributedDataParallel(
        nn.Sequential(nn.Linear(512, 3072), nn.ReLU(), nn.Linear(3072, 512))
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    values = torch.randn(16, 512)
    alone = 0
    for step in range(80):
        for micro in range(ACCUMULATE):
            parts.add("backward", timed_backward(model, values))
            if step % 4 == 0 and micro == 1:
                with model.no_sync():
                    parts.add("alone", timed_backward(model, values))
                alone += step >= parts.skip
        optimizer.step()
        optimizer.zero_grad()
        parts.step()
    backwards = (parts.steps - parts.skip) * ACCUMULATE
    shares = torch.tensor([parts.share("backward") - parts.share("alone") * backwards / alone])
    dist.all_reduce(shares)
    if dist.get_rank() == 0:
        tell("communication", "exposed", float(shares[0]) / 2)
    dist.destroy_process_group()


main()
