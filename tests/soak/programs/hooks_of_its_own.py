# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, train, weights

model, inputs, targets = made()
seen = []
model[0].register_forward_pre_hook(lambda module, args: seen.append("pre"))
model[2].register_full_backward_hook(lambda module, into, out: seen.append("back"))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
optimizer.register_step_pre_hook(lambda *_: seen.append("step"))
train(model, optimizer, [(inputs, targets)] * 4)
print(seen, len(optimizer._optimizer_step_pre_hooks))
weights(model)
