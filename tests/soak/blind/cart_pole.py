# SPDX-License-Identifier: Apache-2.0
"""REINFORCE on a pole that is simulated finely in Python: the simulation takes the time."""

import math
import random

import torch
from stopwatch import Parts, tell
from torch import nn


class Pole:
    FINE = 2500

    def reset(self):
        self.state = [random.uniform(-0.05, 0.05) for _ in range(4)]
        return self.state

    def advance(self, push):
        x, speed, angle, turn = self.state
        for _ in range(self.FINE):
            force = 10.0 if push else -10.0
            sine, cosine = math.sin(angle), math.cos(angle)
            pull = (force + 0.05 * turn * turn * sine) / 1.1
            angular = (9.8 * sine - cosine * pull) / (0.5 * (4 / 3 - 0.1 * cosine * cosine / 1.1))
            linear = pull - 0.05 * angular * cosine / 1.1
            pace = 0.02 / self.FINE
            x, speed = x + pace * speed, speed + pace * linear
            angle, turn = angle + pace * turn, turn + pace * angular
        self.state = [x, speed, angle, turn]
        return self.state, 1.0, abs(x) > 2.4 or abs(angle) > 0.6


def episode(pole, policy, parts):
    chosen, rewards = [], []
    state = pole.reset()
    for _ in range(60):
        logits = policy(torch.tensor(state))
        choice = torch.distributions.Categorical(logits=logits)
        action = choice.sample()
        chosen.append(choice.log_prob(action))
        with parts("simulate"):
            state, reward, done = pole.advance(int(action))
        rewards.append(reward)
        if done:
            break
    return torch.stack(chosen), rewards


def main():
    torch.manual_seed(0)
    random.seed(0)
    parts = Parts()
    policy = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
    pole = Pole()
    for _ in range(110):
        chosen, rewards = episode(pole, policy, parts)
        returns, total = [], 0.0
        for reward in reversed(rewards):
            total = reward + 0.99 * total
            returns.insert(0, total)
        loss = -(chosen * torch.tensor(returns)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        parts.step()
    tell("other_work", "loop_code", parts.share("simulate"), "advance")


main()
