# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, train

model, inputs, targets = made()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = [(inputs, targets)] * 4
with torch.profiler.profile(
    activities=[torch.profiler.ProfilerActivity.CPU], with_stack=True
) as profile:
    train(model, optimizer, loader)
keys = {event.name for event in profile.events()}
print(*sorted(key for key in keys if " at 0x" not in key), sep="\n")
