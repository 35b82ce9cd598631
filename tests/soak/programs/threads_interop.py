# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, train, weights

torch.set_num_threads(1)
torch.set_num_interop_threads(1)
model, inputs, targets = made()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), [(inputs, targets)] * 4)
print(torch.get_num_threads(), torch.get_num_interop_threads())
weights(model)
