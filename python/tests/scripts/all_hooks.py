# SPDX-License-Identifier: Apache-2.0
"""Reaches every hook of torch's in one process, as a job of one rank or more would."""

import gc
import io
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "loops"))
import torch
import torch.distributed as dist
from common import Points, loss_of, make_model, report
from torch.utils.data import DataLoader


def communicate():
    # A world of two whose ranks are two groups' names for this process would hang: a fake backend.
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
    tensor = torch.ones(4)
    dist.all_reduce(tensor)
    dist.broadcast(tensor, 0)
    dist.all_gather([torch.empty(4), torch.empty(4)], tensor)
    dist.reduce_scatter(torch.empty(4), [torch.ones(4), torch.ones(4)])
    dist.barrier()
    dist.all_reduce(tensor, async_op=True).wait()


def train():
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(Points(16), batch_size=4, num_workers=1)
    steps = 0
    for batch in loader:
        loss_of(model, batch).backward()
        optimizer.step()
        optimizer.zero_grad()
        steps += 1
    buffer = io.BytesIO()
    torch.save(model.state_dict(), buffer)
    buffer.seek(0)
    torch.load(buffer)
    return steps


def main():
    gc.collect()
    if "--communicate" in sys.argv:
        communicate()
    if "--compile" in sys.argv:
        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(1))
    report(steps=train())


main()
