# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, train, weights


class Plain(torch.optim.Optimizer):
    def __init__(self, parameters):
        super().__init__(parameters, {})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter -= 0.1 * parameter.grad


model, inputs, targets = made()
train(model, Plain(model.parameters()), [(inputs, targets)] * 4)
weights(model)
