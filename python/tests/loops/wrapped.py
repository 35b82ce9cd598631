# SPDX-License-Identifier: Apache-2.0
"""Two gloo ranks: a model that is wrapped as the first argument says, with a BatchNorm in it."""

import os
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks


def wrap(model, how):
    if how == "functional":
        return model
    if how == "ddp":
        wrapped = nn.parallel.DistributedDataParallel(
            model, find_unused_parameters=True, bucket_cap_mb=5, gradient_as_bucket_view=True
        )
        wrapped.register_comm_hook(None, default_hooks.allreduce_hook)
        return wrapped
    if how == "fsdp":
        from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy

        once = ShardingStrategy.SHARD_GRAD_OP
        cpu = torch.device("cpu")
        return FullyShardedDataParallel(model, sharding_strategy=once, device_id=cpu)
    from torch.distributed.device_mesh import init_device_mesh

    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    if how == "tensor":
        from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel
        from torch.distributed.tensor.parallel import parallelize_module as shard

        return shard(model, mesh, {"0": ColwiseParallel(), "1": RowwiseParallel()})
    from torch.distributed.fsdp import fully_shard

    for part in model:
        fully_shard(part, mesh=mesh)
    return fully_shard(model, mesh=mesh, reshard_after_forward=False)


def exchange(model):
    from torch.distributed import _functional_collectives as functional

    for parameter in model.parameters():
        summed = functional.all_reduce(parameter.grad, "sum", dist.group.WORLD)
        parameter.grad.copy_(summed)


def main(how):
    dist.init_process_group("gloo")
    layers = [nn.Linear(4, 4), nn.Linear(4, 1)]
    if how == "ddp":
        layers.insert(1, nn.BatchNorm1d(4))
    model = wrap(nn.Sequential(*layers), how)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        model(torch.ones(2, 4)).sum().backward()
        if how == "functional":
            exchange(model)
        optimizer.step()
        optimizer.zero_grad()
    dist.barrier()
    sys.stdout.flush()
    os._exit(0)  # as ddp.py


main(sys.argv[1])
