# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, weights


class Broken(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        return value.clone()

    @staticmethod
    def backward(ctx, gradient):
        raise RuntimeError("backward is broken")


model, inputs, targets = made()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    out = model(inputs)
    loss = torch.nn.functional.cross_entropy(Broken.apply(out) if step == 2 else out, targets)
    try:
        loss.backward()
    except RuntimeError as error:
        print(error)
        continue
    optimizer.step()
weights(model)
