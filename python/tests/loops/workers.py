# SPDX-License-Identifier: Apache-2.0
"""Two worker processes (fork or spawn), kept or not; a validation by an iterable data set."""

import argparse

import torch
from common import Points, loss_of, make_model, report
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __iter__(self):
        return iter(Points(8)[index] for index in range(8))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--context", default="fork")
    options.add_argument("--persistent", action="store_true")
    options = options.parse_args()
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    workers = {
        "num_workers": 2,
        "multiprocessing_context": options.context,
        "persistent_workers": options.persistent,
    }
    training = DataLoader(Points(32), batch_size=4, shuffle=True, **workers)
    validation = DataLoader(Stream(), batch_size=4, **{**workers, "num_workers": 1})
    steps = 0
    for _ in range(2):
        for batch in training:
            loss_of(model, batch).backward()
            optimizer.step()
            optimizer.zero_grad()
            steps += 1
        with torch.no_grad():
            for batch in validation:
                loss_of(model, batch)
    report(steps=steps, batches=16, evaluation_batches=4)


if __name__ == "__main__":
    main()
