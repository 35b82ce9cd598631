# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, train, weights

model, inputs, targets = made()
average = torch.optim.swa_utils.AveragedModel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.2, total_steps=8)
for _ in range(8):
    train(model, optimizer, [(inputs, targets)])
    schedule.step()
    average.update_parameters(model)
    print(schedule.get_last_lr()[0].hex())
weights(average)
