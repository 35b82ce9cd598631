# SPDX-License-Identifier: Apache-2.0
"""What the hook of the DataLoader tells of batches: samples and tokens, by the shapes of their tensors."""

import collections
import math
import types

import hooked
import pytest

from steptrace._hooks import batches

INT64, FLOAT = "int64", "float32"


class Tensor:
    def __init__(self, *shape, dtype=FLOAT):
        self.shape, self.dtype = shape, dtype

    def dim(self):
        return len(self.shape)

    def numel(self):
        return math.prod(self.shape)


class Own(Tensor):
    """A subclass may run the script's code."""

    def dim(self):
        raise AssertionError


TORCH = types.SimpleNamespace(Tensor=Tensor, int64=INT64, int32="int32")
IDS = Tensor(8, 128, dtype=INT64)


class Texts(collections.UserDict):
    def __getitem__(self, key):
        raise AssertionError


@pytest.mark.parametrize(
    "batch, measured",
    [
        (Tensor(8, 3, 4, 4), (8, None)),
        ([Tensor(8, 3, 4, 4), Tensor(8, dtype=INT64)], (8, None)),
        ({"labels": Tensor(8, dtype=INT64), "input_ids": IDS}, (8, 1024)),
        (Texts({"input_ids": IDS, "attention_mask": IDS}), (8, 1024)),
        ({"input_ids": Tensor(8, 128)}, (8, None)),  # no integers
        ((IDS, IDS), (8, 1024)),  # ids and their targets
        ((IDS, Tensor(8, dtype=INT64)), (8, None)),  # columns of a table
        ({"a": IDS, "b": IDS}, (8, None)),
        ([Tensor(3, 32, 32), Tensor(5, 4)], (None, None)),  # nothing in common
        (Tensor(), (None, None)),
        (Own(8, 3), (None, None)),
        ("text", (None, None)),
        ([Tensor(8) for _ in range(1000)], (None, None)),
    ],
)
def test_measure(batch, measured):
    assert batches.measure(batch, TORCH) == measured


def test_a_batch_within_itself_ends():
    batch = []
    batch.extend([batch, batch, batch])
    assert batches.measure(batch, TORCH) == (None, None)


def test_of_too_many_loaders_none_is_looked_at():
    sizes = batches.BatchSizes(TORCH)
    found = [sizes.of(number) for number in range(100)]
    assert found[0] is sizes.of(0) and found[0] is not None and found[99] is None


LOOP = """
import json, torch
from torch.utils.data import DataLoader
data = [{"input_ids": torch.ones(3 + i // 4, dtype=torch.int64)} for i in range(32)]
model = torch.nn.Embedding(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
seen = 0
for _ in range(2):
    for batch in DataLoader(data, batch_size=4, num_workers=WORKERS):
        model(batch["input_ids"]).sum().backward()
        optimizer.step()
        seen += 1
print(json.dumps(seen))
"""


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_of_a_loader(tmp_path, workers):
    run = hooked.run(tmp_path / "ring", "-c", LOOP.replace("WORKERS", str(workers))).check()
    assert run.said == 16 and run.failed_hooks() == {}
    told = run.facts("batch")
    # Four of each epoch's: of two loaders, each of which is made for one.
    assert [(one["loader"], one["batches"]) for one in told] == [
        (loader, batches) for loader in (1, 2) for batches in (1, 2, 4)
    ]
    assert told[2]["samples"] == 16 and told[2]["samples_alike"]
    assert told[2]["tokens"] == 4 * (3 + 4 + 5 + 6) and not told[2]["tokens_alike"]
    assert told[0]["tokens"] == 12 and told[0]["tokens_alike"]
    assert told[0]["shapes_alike"] and not told[2]["shapes_alike"]


WATCHED = """
import json, torch
from torch.overrides import TorchFunctionMode
from torch.utils.data import DataLoader
class Watching(TorchFunctionMode):
    seen = []
    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.seen.append(function.__name__)
        return function(*args, **(kwargs or {}))
with Watching():
    for batch in DataLoader([1] * 8, batch_size=2, collate_fn=lambda items: HELD):
        batch.neg()
print(json.dumps(sorted(set(Watching.seen))))
"""


def test_a_mode_of_the_script_sees_none_of_it(tmp_path):
    script = WATCHED.replace("with Watching", "HELD = torch.ones(2, 3)\nwith Watching", 1)
    run = hooked.run(tmp_path / "ring", "-c", script).check()
    assert run.facts("batch")[0]["samples"] == 2
    assert "neg" in run.said  # what the loop calls, and torch in its sampler
    assert not {"dim", "numel", "__get__"} & set(run.said)


FAILS = """
import json, torch
from torch.utils.data import DataLoader
class Nested:
    pass
def collate(items):
    return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
seen = sum(1 for _ in DataLoader(list(range(16)), batch_size=2, collate_fn=collate))
seen += sum(1 for _ in DataLoader([torch.ones(2)] * 4, batch_size=2))
print(json.dumps(seen))
"""


def test_what_cannot_be_measured_ends_the_looking_alone(tmp_path):
    run = hooked.run(tmp_path / "ring", "-c", FAILS).check()
    assert run.said == 10 and run.failed_hooks() == {}
    assert {one["loader"] for one in run.facts("batch")} == {2}
    assert len([r for r in run.records if r.name == "data" and r.kind == "begin"]) == 12
