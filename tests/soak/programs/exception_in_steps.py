# SPDX-License-Identifier: Apache-2.0
import signal

import torch
from soak_model import made, weights


class Alarm(Exception):
    pass


def on_alarm(number, frame):
    raise Alarm


signal.signal(signal.SIGALRM, on_alarm)
model, inputs, targets = made()
optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
caught = 0
while caught < 60:
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0007)
        while True:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(inputs), targets).backward()
            optimizer.step()
    except Alarm:
        caught += 1
signal.setitimer(signal.ITIMER_REAL, 0)
print(caught)
weights(model)
