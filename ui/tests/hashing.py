# SPDX-License-Identifier: Apache-2.0
"""A small training whose own loop hashes between its steps; saved once behind them.   usage: hashing.py STEPS"""

import hashlib
import io
import sys

import torch

BLOB = b"x" * 8_000_000


def digest(data):
    return hashlib.sha256(data).hexdigest()


def main():
    model = torch.nn.Linear(16, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    for _ in range(int(sys.argv[1])):
        optimizer.zero_grad()
        model(torch.ones(8, 16)).pow(2).mean().backward()
        optimizer.step()
        digest(BLOB)
        digest(BLOB)
    torch.save(model.state_dict(), io.BytesIO())


if __name__ == "__main__":
    main()
