# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, train, weights


class Failing(torch.optim.SGD):
    def step(self, closure=None):
        super().step(closure)
        raise OverflowError("too far")


model, inputs, targets = made()
for _ in range(3):
    try:
        train(model, Failing(model.parameters(), lr=0.1), [(inputs, targets)])
    except OverflowError as error:
        print(error)
weights(model)
