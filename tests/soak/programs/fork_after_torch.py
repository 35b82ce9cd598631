# SPDX-License-Identifier: Apache-2.0
import os

import torch
from soak_model import made, train, weights

model, inputs, targets = made()
train(model, torch.optim.SGD(model.parameters(), lr=0.1), [(inputs, targets)] * 2)
child = os.fork()
if child == 0:
    torch.set_num_threads(1)
    train(model, torch.optim.SGD(model.parameters(), lr=0.1), [(inputs, targets)] * 2)
    weights(model)
else:
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    weights(model)
