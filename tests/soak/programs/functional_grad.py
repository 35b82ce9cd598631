# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made

model, inputs, targets = made()
parameters = dict(model.named_parameters())


def loss_of(values):
    return torch.nn.functional.cross_entropy(
        torch.func.functional_call(model, values, inputs), targets
    )


for _ in range(5):
    gradients, loss = torch.func.grad_and_value(loss_of)(parameters)
    parameters = {name: (p - 0.1 * gradients[name]).detach() for name, p in parameters.items()}
    print(float(loss).hex())
