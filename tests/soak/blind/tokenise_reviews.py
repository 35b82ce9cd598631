# SPDX-License-Identifier: Apache-2.0
"""Sentiment of reviews by an LSTM; an IterableDataset in the training process turns text into ids by a regex."""

import random
import re
import time

import torch
from stopwatch import Parts, tell
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|[0-9]+|[^\sa-z0-9]", re.IGNORECASE)
LENGTH = 24
parts = Parts()


def text_to_ids(text, known):
    ids = []
    for word in WORD.findall(text.lower()):
        ids.append(known.setdefault(word, len(known) % 5000))
    return ids


class Reviews(IterableDataset):
    def __init__(self, count):
        self.random = random.Random(3)
        self.vocabulary = ["".join(self.random.choices("abcdefghij", k=6)) for _ in range(3000)]
        self.count = count
        self.known = {}

    def __iter__(self):
        texts = [" ".join(self.random.choices(self.vocabulary, k=1500)) + "!" for _ in range(60)]
        for number in range(self.count):
            begin = time.perf_counter()
            ids = text_to_ids(texts[number % 60], self.known)
            parts.add("tokenise", time.perf_counter() - begin)
            yield torch.tensor(ids[:LENGTH]), number % 2


class Sentiment(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5000, 32)
        self.lstm = nn.LSTM(32, 48, batch_first=True)
        self.head = nn.Linear(48, 2)

    def forward(self, ids):
        states, _ = self.lstm(self.embed(ids))
        return self.head(states[:, -1])


def main():
    torch.manual_seed(0)
    model = Sentiment()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = iter(DataLoader(Reviews(16 * 600), batch_size=16))
    while True:
        with parts("data"):
            batch = next(loader, None)
        if batch is None:
            break
        ids, labels = batch
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(model(ids), labels)
        loss.backward()
        optimizer.step()
        parts.step()
    tell("data_pipeline", "tokenise", parts.share("data"), "text_to_ids", parts.share("tokenise"))


main()
