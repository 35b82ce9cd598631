# SPDX-License-Identifier: Apache-2.0
"""What the programs share: a small model with data that are the same in every process, and its results to the bit."""

import hashlib

import torch


def made(seed=7, width=16, classes=4):
    torch.manual_seed(seed)
    model = torch.nn.Sequential(
        torch.nn.Linear(width, 32), torch.nn.ReLU(), torch.nn.Linear(32, classes)
    )
    inputs = torch.randn(64, width)
    return model, inputs, torch.randint(classes, (64,))


class Samples(torch.utils.data.Dataset):
    def __init__(self, count=64, width=16):
        generator = torch.Generator().manual_seed(11)
        self.inputs = torch.randn(count, width, generator=generator)

    def __len__(self):
        return len(self.inputs)

    def __getitem__(self, index):
        return self.inputs[index], index % 4


def train(model, optimizer, batches, loss_of=torch.nn.functional.cross_entropy):
    for inputs, targets in batches:
        optimizer.zero_grad()
        loss = loss_of(model(inputs), targets)
        loss.backward()
        optimizer.step()
        print(float(loss).hex())


def weights(model):
    digest = hashlib.sha256()
    for name, value in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(value.detach().contiguous().numpy().tobytes())
    print(digest.hexdigest())
