# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import Samples, made, train, weights

model, _, _ = made()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    loader = torch.utils.data.DataLoader(Samples(), batch_size=4, num_workers=1)
    batches = iter(loader)
    train(model, optimizer, [next(batches), next(batches)])
    del batches
weights(model)
