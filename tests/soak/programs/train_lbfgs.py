# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, weights

model, inputs, targets = made()
optimizer = torch.optim.LBFGS(model.parameters(), max_iter=4)


def closure():
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(inputs), targets)
    loss.backward()
    print(float(loss).hex())
    return loss


for _ in range(3):
    optimizer.step(closure)
weights(model)
