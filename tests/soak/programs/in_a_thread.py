# SPDX-License-Identifier: Apache-2.0
import threading

import torch
from soak_model import made, train, weights

model, inputs, targets = made()
worker = threading.Thread(
    target=train,
    args=(model, torch.optim.SGD(model.parameters(), lr=0.1), [(inputs, targets)] * 6),
)
worker.start()
worker.join()
weights(model)
