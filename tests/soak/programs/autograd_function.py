# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, weights


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        ctx.save_for_backward(value)
        return 2 * value

    @staticmethod
    def backward(ctx, gradient):
        (value,) = ctx.saved_tensors
        return 2 * gradient + 0 * value


model, inputs, targets = made()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(6):
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(Twice.apply(model(inputs)), targets)
    loss.backward()
    optimizer.step()
    print(float(loss).hex())
weights(model)
