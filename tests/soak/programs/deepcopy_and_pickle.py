# SPDX-License-Identifier: Apache-2.0
import copy
import pickle

import torch
from soak_model import made, train, weights

model, inputs, targets = made()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
train(model, optimizer, [(inputs, targets)] * 2)
twin, keeper = copy.deepcopy((model, optimizer))
train(twin, keeper, [(inputs, targets)] * 2)
weights(twin)
again = pickle.loads(pickle.dumps(model))
weights(again)
print(len(pickle.dumps(torch.utils.data.DataLoader([1, 2], batch_size=1))))
