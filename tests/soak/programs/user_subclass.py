# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, train, weights


class Loud(torch.optim.SGD):
    """An optimizer with a step of its own."""

    def step(self, closure=None):
        print("step", self.step.__name__, type(self).__mro__[1].__name__)
        return super().step(closure)


model, inputs, targets = made()
train(model, Loud(model.parameters(), lr=0.1), [(inputs, targets)] * 3)
weights(model)
