# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, train, weights

model, inputs, targets = made()
with torch.autograd.detect_anomaly(check_nan=True):
    train(model, torch.optim.SGD(model.parameters(), lr=0.1), [(inputs, targets)] * 3)
weights(model)
