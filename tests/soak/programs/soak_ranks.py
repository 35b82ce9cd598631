# SPDX-License-Identifier: Apache-2.0
import torch
import torch.distributed
from soak_model import made, train, weights


def main():
    torch.distributed.init_process_group("gloo")
    torch.set_num_threads(1)
    rank = torch.distributed.get_rank()
    model, inputs, targets = made()
    parallel = torch.nn.parallel.DistributedDataParallel(model)
    part = slice(rank * 32, rank * 32 + 32)
    train(
        parallel, torch.optim.SGD(model.parameters(), lr=0.1), [(inputs[part], targets[part])] * 5
    )
    weights(model)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
