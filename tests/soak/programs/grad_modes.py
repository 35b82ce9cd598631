# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, train, weights

model, inputs, targets = made()
with torch.no_grad():
    print(float(model(inputs).sum()).hex())
with torch.inference_mode():
    print(float(model(inputs).sum()).hex())
print(torch.is_grad_enabled(), torch.is_inference_mode_enabled())
train(model, torch.optim.SGD(model.parameters(), lr=0.1), [(inputs, targets)] * 3)
weights(model)
