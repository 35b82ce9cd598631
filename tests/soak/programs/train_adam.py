# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, train, weights

model, inputs, targets = made()
train(model, torch.optim.Adam(model.parameters(), lr=0.01), [(inputs, targets)] * 12)
weights(model)
