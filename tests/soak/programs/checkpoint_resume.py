# SPDX-License-Identifier: Apache-2.0
import io

import torch
from soak_model import made, train, weights

model, inputs, targets = made()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
train(model, optimizer, [(inputs, targets)] * 4)
kept = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, kept)
kept.seek(0)
state = torch.load(kept, weights_only=True)
model, inputs, targets = made(seed=8)
model.load_state_dict(state["model"])
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
optimizer.load_state_dict(state["optimizer"])
train(model, optimizer, [(inputs, targets)] * 4)
weights(model)
