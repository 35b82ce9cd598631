# SPDX-License-Identifier: Apache-2.0
"""A module with training_step and validation_step, fitted by a loop that validates every tenth step."""

import torch
from stopwatch import Parts, tell
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten()
        )
        self.head = nn.Linear(256, 10)

    def forward(self, images):
        return self.head(self.body(images))

    def training_step(self, batch, _):
        images, labels = batch
        return nn.functional.cross_entropy(self(images), labels)

    def validation_step(self, batch, _):
        images, labels = batch
        return (self(images).argmax(1) == labels).float().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.05, momentum=0.9)


class Fitter:
    def __init__(self, val_check_interval, max_steps, parts):
        self.every, self.max_steps, self.parts = val_check_interval, max_steps, parts

    def validate(self, module, loader):
        module.eval()
        scores = []
        with torch.no_grad():
            for index, batch in enumerate(loader):
                scores.append(module.validation_step(batch, index))
        module.train()
        return torch.stack(scores).mean().item()

    def fit(self, module, train, validation):
        optimizer = module.configure_optimizers()
        step = 0
        while step < self.max_steps:
            for index, batch in enumerate(train):
                optimizer.zero_grad()
                loss = module.training_step(batch, index)
                loss.backward()
                optimizer.step()
                step += 1
                if step % self.every == 0:
                    with self.parts("validate"):
                        self.validate(module, validation)
                self.parts.step()


def pictures(count):
    return TensorDataset(torch.randn(count, 3, 32, 32), torch.randint(0, 10, (count,)))


def main():
    torch.manual_seed(0)
    parts = Parts(skip=10)
    Fitter(10, 320, parts).fit(
        Classifier(),
        DataLoader(pictures(1024), batch_size=32, shuffle=True, drop_last=True),
        DataLoader(pictures(1280), batch_size=64),
    )
    tell("other_work", "evaluation", parts.share("validate"), "validate")


main()
