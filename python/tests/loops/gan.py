# SPDX-License-Identifier: Apache-2.0
"""A discriminator and a generator with an optimizer each: one step a batch."""

import torch
from common import Points, make_model, report
from torch.utils.data import DataLoader


def main():
    discriminator, generator = make_model(), torch.nn.Linear(4, 8)
    optimizer_d = torch.optim.Adam(discriminator.parameters())
    optimizer_g = torch.optim.Adam(generator.parameters())
    steps = 0
    for real, _ in DataLoader(Points(32), batch_size=4):
        fake = generator(torch.randn(4, 4))
        optimizer_d.zero_grad()
        (discriminator(fake.detach()).mean() - discriminator(real).mean()).backward()
        optimizer_d.step()
        optimizer_g.zero_grad()
        (-discriminator(fake).mean()).backward()
        optimizer_g.step()
        steps += 1
    report(steps=steps, batches=8)


main()
