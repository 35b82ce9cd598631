# SPDX-License-Identifier: Apache-2.0
"""Two gloo ranks by torchrun: DDP, an explicit all_reduce a step, optionally a late rank."""

import argparse
import os
import sys
import time

import torch
import torch.distributed as dist
from common import Points, loss_of, make_model, report
from torch.utils.data import DataLoader, DistributedSampler


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--late-ms", type=float, default=0, help="rank 1 comes so late each step")
    options.add_argument("--steps", type=int, default=8)
    options = options.parse_args()
    dist.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(make_model())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    points = Points(8 * options.steps)
    loader = DataLoader(points, batch_size=4, sampler=DistributedSampler(points))
    steps = 0
    for batch in loader:
        loss = loss_of(model, batch)
        if dist.get_rank() == 1:
            time.sleep(options.late_ms / 1e3)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        steps += 1
    dist.all_reduce(torch.ones(10), async_op=True).wait()
    dist.barrier()
    if dist.get_rank() == 0:
        report(steps=steps, batches=steps)
    dist.destroy_process_group()
    # torch 2.13 by itself aborts in one of some 30 exits, when gloo's threads meet the interpreter's
    # end ("terminate called without an active exception"); what is tested here is over by now.
    sys.stdout.flush()
    os._exit(0)


main()
