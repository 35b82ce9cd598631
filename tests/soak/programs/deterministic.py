# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, train, weights

torch.use_deterministic_algorithms(True)
model, inputs, targets = made()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), [(inputs, targets)] * 6)
print(torch.are_deterministic_algorithms_enabled(), torch.initial_seed())
weights(model)
