# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, weights

model, inputs, targets = made()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(6):
    optimizer.zero_grad()
    for part, wanted in zip(inputs.chunk(4), targets.chunk(4)):
        loss = torch.nn.functional.cross_entropy(model(part), wanted) / 4
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    print(float(loss).hex())
weights(model)
