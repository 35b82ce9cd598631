# SPDX-License-Identifier: Apache-2.0
import torch
from soak_model import made, train, weights

model, inputs, targets = made()
compiled = torch.compile(model, backend="aot_eager")
train(compiled, torch.optim.SGD(model.parameters(), lr=0.1), [(inputs, targets)] * 4)
print(torch._dynamo.utils.counters["graph_break"])
weights(model)
