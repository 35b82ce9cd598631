# SPDX-License-Identifier: Apache-2.0
"""The two variants of the example train on the same samples in the same order."""

import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "recommender"


@pytest.fixture
def example(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(EXAMPLE))
    import data
    import train

    yield torch, data, train
    for name in ("data", "train", "dataset"):
        sys.modules.pop(name, None)


def test_both_variants_yield_the_same_batches_in_the_same_order(example, tmp_path):
    torch, data, train = example
    folder = data.make(tmp_path / "clicks", files=2, row_groups=2)
    slow, mended = (train.make_loader(v, folder, workers=0) for v in ("slow", "mended"))
    for _ in range(2):
        left, right = list(slow), list(mended)
        assert len(left) == len(right) == 4
        for a, b in zip(left, right):
            for x, y in zip(a, b):
                assert x.dtype == y.dtype
                assert torch.equal(x, y)


def test_epochs_come_in_different_orders(example, tmp_path):
    torch, data, train = example
    folder = data.make(tmp_path / "clicks", files=2, row_groups=8)
    loader = train.make_loader("mended", folder, workers=0)
    first, second = [batch[3] for batch in loader], [batch[3] for batch in loader]
    assert not all(torch.equal(a, b) for a, b in zip(first, second))


def test_both_variants_reach_the_same_loss(example, tmp_path):
    _, data, train = example
    folder = data.make(tmp_path / "clicks", files=1, row_groups=2)
    losses = [train.train(train.make_loader(v, folder, workers=0), 2) for v in ("slow", "mended")]
    assert losses[0] == losses[1]
