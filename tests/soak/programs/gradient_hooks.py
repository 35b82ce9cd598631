# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, train, weights

model, inputs, targets = made()
for parameter in model.parameters():
    parameter.register_hook(lambda gradient: gradient * 0.5)
    parameter.register_post_accumulate_grad_hook(lambda p: print(tuple(p.grad.shape)))
train(model, torch.optim.SGD(model.parameters(), lr=0.1), [(inputs, targets)] * 3)
weights(model)
