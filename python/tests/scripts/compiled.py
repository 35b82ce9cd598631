# SPDX-License-Identifier: Apache-2.0
"""Prints the graphs and graph breaks that torch.compile finds: the same with and without hooks."""

import torch
from torch._dynamo.utils import counters

torch.set_num_threads(1)


def count(name, function, *arguments):
    torch._dynamo.reset()
    counters.clear()
    compiled = torch.compile(function, backend="eager")
    for _ in range(2):
        compiled(*arguments)
    breaks = counters["graph_break"]
    print(name, counters["stats"]["unique_graphs"], len(breaks), sum(breaks.values()))


def main():
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = torch.ones(2, 4)
    loader = torch.utils.data.DataLoader(torch.ones(4, 4), batch_size=2)

    def step():
        model(data).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    def epoch():
        total = 0
        for batch in loader:
            total = total + model(batch).sum()
        return total

    def save():
        torch.save(model(data), "/dev/null")

    model(data).sum().backward()
    count("forward", model, data)
    count("optimizer", optimizer.step)
    count("step", step)
    count("epoch", epoch)
    count("save", save)


main()
