# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, weights

model, inputs, targets = made()
first = torch.optim.SGD(model[0].parameters(), lr=0.1)
second = torch.optim.Adam(model[2].parameters(), lr=0.01)
for _ in range(8):
    first.zero_grad(), second.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(inputs), targets)
    loss.backward()
    first.step(), second.step()
    print(float(loss).hex())
weights(model)
