# SPDX-License-Identifier: Apache-2.0
"""A GAN with two optimizers that saves a grid of its samples each step."""

import os
import tempfile

import torch
from PIL import Image
from stopwatch import Parts, tell
from torch import nn


def save_grid(images, path):
    rows = []
    for begin in range(0, 64, 8):
        rows.append(torch.cat(list(images[begin : begin + 8]), dim=2))
    grid = torch.cat(rows, dim=1)
    pixels = ((grid + 1) * 127.5).clamp(0, 255).to(torch.uint8)
    Image.fromarray(pixels.permute(1, 2, 0).numpy()).resize((768, 768)).save(path)


def main():
    torch.manual_seed(0)
    parts = Parts()
    generator = nn.Sequential(nn.Linear(32, 256), nn.ReLU(), nn.Linear(256, 3 * 32 * 32), nn.Tanh())
    critic = nn.Sequential(nn.Linear(3 * 32 * 32, 256), nn.LeakyReLU(0.2), nn.Linear(256, 1))
    of_generator = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
    of_critic = torch.optim.Adam(critic.parameters(), lr=2e-4, betas=(0.5, 0.999))
    real = torch.rand(64, 3 * 32 * 32) * 2 - 1
    fixed = torch.randn(64, 32)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(130):
            noise = torch.randn(64, 32)
            fake = generator(noise)
            of_critic.zero_grad()
            loss = nn.functional.softplus(critic(fake.detach())).mean()
            loss = loss + nn.functional.softplus(-critic(real)).mean()
            loss.backward()
            of_critic.step()
            of_generator.zero_grad()
            nn.functional.softplus(-critic(fake)).mean().backward()
            of_generator.step()
            with parts("pictures"), torch.no_grad():
                save_grid(
                    generator(fixed).view(64, 3, 32, 32),
                    os.path.join(folder, f"{number % 4}.png"),
                )
            parts.step()
    tell("other_work", "logging", parts.share("pictures"), "save_grid")


main()
