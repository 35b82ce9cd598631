# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import Samples, made, train, weights

model, _, _ = made()
loader = torch.utils.data.DataLoader(Samples(), batch_size=8, shuffle=True, num_workers=0)
for _ in range(2):
    train(model, torch.optim.SGD(model.parameters(), lr=0.1), loader)
weights(model)
