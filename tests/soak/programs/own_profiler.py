# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, train, weights

model, inputs, targets = made()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
    train(model, optimizer, [(inputs, targets)] * 4)
for row in sorted((r.key, r.count) for r in profile.key_averages()):
    print(*row)
weights(model)
