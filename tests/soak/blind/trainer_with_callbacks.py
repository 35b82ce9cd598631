# SPDX-License-Identifier: Apache-2.0
"""A Trainer class with callbacks, one of which saves the state every second step."""

import os
import tempfile

import torch
from stopwatch import Parts, tell
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Callback:
    def on_step_end(self, trainer):
        pass


class SaveState(Callback):
    def __init__(self, folder, every, parts):
        self.folder, self.every, self.parts = folder, every, parts

    def on_step_end(self, trainer):
        if trainer.global_step % self.every == 0:
            with self.parts("save"):
                self.write(trainer)

    def write(self, trainer):
        state = {
            "model": trainer.model.state_dict(),
            "optimizer": trainer.optimizer.state_dict(),
            "step": trainer.global_step,
        }
        with open(os.path.join(self.folder, "last.pt"), "wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())


class Trainer:
    def __init__(self, model, loader, callbacks, parts):
        self.model, self.loader, self.callbacks, self.parts = model, loader, callbacks, parts
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)
        self.global_step = 0

    def training_step(self, batch):
        inputs, targets = batch
        return nn.functional.mse_loss(self.model(inputs), targets)

    def train(self, epochs):
        for _ in range(epochs):
            self.model.train()
            for batch in self.loader:
                loss = self.training_step(batch)
                loss.backward()
                self.optimizer.step()
                self.optimizer.zero_grad()
                self.global_step += 1
                for callback in self.callbacks:
                    callback.on_step_end(self)
                self.parts.step()


def main():
    torch.manual_seed(0)
    parts = Parts()
    model = nn.Sequential(nn.Linear(512, 1024), nn.GELU(), nn.Linear(1024, 512))
    data = TensorDataset(torch.randn(2048, 512), torch.randn(2048, 512))
    loader = DataLoader(data, batch_size=64, shuffle=True)
    with tempfile.TemporaryDirectory() as folder:
        Trainer(model, loader, [SaveState(folder, 2, parts)], parts).train(9)
    tell("other_work", "checkpoint", parts.share("save"), "write")


main()
