# SPDX-License-Identifier: Apache-2.0
"""Clicks from a file of JSON lines, by generators, in a plain loop: parsing the lines takes the time."""

import json
import os
import random
import tempfile
import time

import torch
from stopwatch import Parts, tell
from torch import nn

BATCH = 64
parts = Parts()


def write(path, count=1500):
    random.seed(1)
    with open(path, "w") as out:
        for number in range(count):
            record = {f"field_{n}": round(random.random(), 6) for n in range(250)}
            record["tags"] = [f"tag{random.randrange(1000)}" for _ in range(60)]
            record["label"] = number % 2
            out.write(json.dumps(record) + "\n")


def lines(path):
    while True:
        with open(path) as file:
            yield from file


def records(source):
    for line in source:
        begin = time.perf_counter()
        record = json.loads(line)
        parts.add("parse", time.perf_counter() - begin)
        yield [record[f"field_{n}"] for n in range(32)], record["label"]


def batches(source):
    features, labels = [], []
    for values, label in source:
        features.append(values)
        labels.append(label)
        if len(labels) == BATCH:
            yield torch.tensor(features), torch.tensor(labels)
            features, labels = [], []


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "clicks.jsonl")
        write(path)
        model = nn.Sequential(
            nn.Linear(32, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 2)
        )
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        stream = batches(records(lines(path)))
        for _ in range(900):
            with parts("data"):
                features, labels = next(stream)
            loss = nn.functional.cross_entropy(model(features), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            parts.step()
    tell("data_pipeline", "decode", parts.share("data"), "records", parts.share("parse"))


main()
