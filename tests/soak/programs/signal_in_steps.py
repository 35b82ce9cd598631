# SPDX-License-Identifier: Apache-2.0
import signal

import torch
from soak_model import made

count = 0


def on_alarm(number, frame):
    global count
    count += 1
    if count < 40:
        signal.setitimer(signal.ITIMER_REAL, 0.002)


signal.signal(signal.SIGALRM, on_alarm)
signal.setitimer(signal.ITIMER_REAL, 0.002)
model, inputs, targets = made()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
while count < 40:
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(model(inputs), targets).backward()
    optimizer.step()
print(count)
