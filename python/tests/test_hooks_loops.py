# SPDX-License-Identifier: Apache-2.0
"""What the hooks say of each loop, on the real packages: the order of events, to the letter.

`data1[end]` is the `next` of iterator 1 that ended it, `optimizer1[…]` a step of optimizer 1.
"""

import importlib.util
import pathlib

import hooked
import pytest

from steptrace._hooks.vocabulary import BATCH_ARRIVED, COMMUNICATION

STEP = "data1 backward optimizer1 "

# Loop -> the training thread's ranges, without garbage collection and the making of iterators.
ORDERS = {
    "plain": STEP * 6
    + "data1[end] data2 data2 data2[end] "
    + STEP.replace("data1", "data3") * 6
    + "data3[end] data4 data4 data4[end] checkpoint checkpoint",
    "accumulation": "data1 backward data1 backward optimizer1 " * 6 + "data1[end]",
    "gan": "data1 backward optimizer1 backward optimizer2 " * 8 + "data1[end]",
    "zipped": "data1 data2 backward optimizer1 " * 8 + "data1[end]",
    "no_loader": "backward optimizer1 " * 9 + "backward optimizer1",
    "lbfgs": "data1 optimizer1[backward backward backward] " * 6 + "data1[end]",
    "amp": STEP * 8 + "data1[end]",
    "accelerate_loop": "data1 "
    + "data1 backward data1 backward optimizer1 " * 3
    + "data1 backward data1[end] backward optimizer1",
}


def loop(folder, name, *options):
    run = hooked.run(folder / "ring", hooked.LOOPS / f"{name}.py", *options).check()
    assert run.failed_hooks() == {}
    return run


@pytest.mark.parametrize("name", ORDERS)
def test_order_of_hook_records(tmp_path, name):
    run = loop(tmp_path, name)
    assert hooked.order(run.trainer()) == ORDERS[name]


def test_plain_in_full(tmp_path):
    """Also the parts that the orders leave out: fetch and collate, iterators and their loaders."""
    run = loop(tmp_path, "plain")
    text = hooked.order(run.trainer(), leave_out=("gc",))
    assert text.startswith("loader_iter data1[fetch[collate]] backward optimizer1 data1[fetch[")
    starts = [r for r in run.trainer() if r.name == "loader_iter"]
    assert [r.a for r in starts if r.kind == "begin"] == [1, 2, 1, 2]  # loaders
    assert [r.a for r in starts if r.kind == "end"] == [1, 2, 3, 4]  # their iterators
    depths = {r.a >> 32 for r in run.trainer() if r.name == "data" and r.kind == "begin"}
    assert depths == {0xFFFFFFFF}
    assert [r.a for r in run.trainer() if r.name == "checkpoint" and r.kind == "begin"] == [0, 1]
    first, _ = run.facts("loader")
    lines = first.pop("collate_lines")
    fetchers = importlib.util.find_spec("torch").submodule_search_locations[0]
    source = (pathlib.Path(fetchers) / "utils/data/_utils/fetch.py").read_text().splitlines()
    assert lines.keys() == {"_MapDatasetFetcher.fetch", "_IterableDatasetFetcher.fetch"}
    assert all("self.collate_fn(data)" in source[line - 1] for line in lines.values())
    assert first == {
        "loader": 1,
        "class": "torch.utils.data.dataloader.DataLoader",
        "workers": 0,
        "batch_size": 4,
        "prefetch_factor": None,
        "pin_memory": False,
        "persistent_workers": False,
        "drop_last": False,
        "dataset": "common.Points",
        "iterable": False,
        "sampler": "torch.utils.data.sampler.SequentialSampler",
        "batch_sampler": "torch.utils.data.sampler.BatchSampler",
        "collate_fn": "torch.utils.data._utils.collate.default_collate",
        "multiprocessing": None,
        "length": None,  # the script's own data set is not asked
    }
    (process,) = run.facts("process")
    assert process["role"] == "main" and process["argv"] == [str(hooked.LOOPS / "plain.py")]
    assert {fact["name"] for fact in run.facts("framework")} == {"torch", "numpy"}
    (threads,) = run.facts("threads")
    assert 0 < threads["intraop"] <= 4096
    assert run.facts("autograd") == []


TRAINING = """
import torch
model = torch.nn.Linear(4, 1)
def train(steps=1):
    for _ in range(steps):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)  # one a step: a task of its own
        model(torch.ones(2, 4)).sum().backward()
        optimizer.step()
"""


def test_thread_counts_are_reported_again_only_when_changed(tmp_path):
    body = "torch.set_num_threads(3)\ntrain(20)\ntorch.set_num_threads(2)\ntrain(20)"
    run = hooked.run(tmp_path / "ring", "-c", TRAINING + body).check()
    assert run.facts("threads") == [{"intraop": 3}, {"intraop": 2}]


@pytest.mark.parametrize(
    "body, told",
    [
        ("", []),
        ("gc.set_threshold(50_000, 20, 20)", [("50000, 20, 20", True)]),
        ("gc.disable()", [(None, False)]),
    ],
)
def test_garbage_collection_thresholds_are_reported(tmp_path, body, told):
    run = hooked.run(tmp_path / "ring", "-c", TRAINING + f"import gc\n{body}\ntrain(3)").check()
    facts = run.facts("collector")
    assert [fact["enabled"] for fact in facts] == [enabled for _, enabled in told]
    for fact, (thresholds, _) in zip(facts, told):
        assert fact["thresholds"] == (thresholds or fact["before"])


@pytest.mark.parametrize(
    "body",
    [
        "torch.autograd.set_detect_anomaly(True)\ntrain(3)",
        "train(2)\nwith torch.autograd.detect_anomaly():\n"
        "    model(torch.ones(2, 4)).sum().backward()\ntrain(2)",
    ],
    ids=["for all", "around one backward"],
)
def test_anomaly_detection_is_reported_once(tmp_path, body):
    run = hooked.run(tmp_path / "ring", "-W", "ignore", "-c", TRAINING + body).check()
    assert run.facts("autograd") == [{"anomaly": True}]


SLOW = """
import time, torch
from torch.utils.data import DataLoader, Dataset
class Slow(Dataset):
    def __len__(self): return 20
    def __getitem__(self, index):
        time.sleep(0.005 if index < 4 else 0)
        return index
list(DataLoader(Slow(), batch_size=1))
"""


def test_a_long_fetch_in_the_training_itself_is_told_with_its_cpu_time(tmp_path):
    run = hooked.run(tmp_path / "ring", "-c", SLOW).check()
    known = [bool(r.a) for r in run.records if r.name == "fetch" and r.kind == "end"]
    # Each by how long the one before took. Of the short ones a busy machine makes some long.
    assert len(known) == 20 and known[:5] == [False, True, True, True, True]
    assert not all(known[5:])


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_workers(tmp_path, context):
    persistent = context == "spawn"
    options = ["--context", context] + ["--persistent"] * persistent
    run = loop(tmp_path, "workers", *options)
    assert hooked.order(run.trainer()) == (
        STEP * 8
        + "data1[end] data2 data2 data2[end] "
        + STEP.replace("data1", "data3") * 8
        + "data3[end] data4 data4 data4[end]"
    )
    workers = [fact for fact in run.facts("process") if fact["role"] == "worker"]
    assert len(workers) == (3 if persistent else 6)
    assert {(fact["worker"], fact["workers"]) for fact in workers} == {(0, 2), (1, 2), (0, 1)}
    pids = {fact["pid"] for fact in workers}
    waits = [r for r in run.trainer() if r.name == "data" and r.kind == "begin"]
    awaited = [wait.b & (BATCH_ARRIVED - 1) for wait in waits]
    assert {*awaited} - {0} <= pids and any(awaited)
    assert {wait.b >> 32 for wait in waits} <= {0, 1}
    taken = [r for r in run.trainer() if r.name == "data" and r.kind == "end"]
    assert all(r.a for r in taken)  # CPU time: some of a wait is taking the batch
    assert {wait.a >> 32 for wait in waits} <= set(range(5))
    fetches = [r for r in run.records if r.name == "fetch" and r.kind == "begin"]
    # 16 training batches, 4 of the stream, and the stream's end twice.
    assert len(fetches) == 16 + 4 + 2 and {r.pid for r in fetches} == pids
    ends = [r for r in run.records if r.name == "fetch" and r.kind == "end"]
    assert all(r.a and r.b for r in ends)  # CPU time and run-queue wait
    sends = [r for r in run.records if r.name == "send" and r.kind == "begin"]
    assert len(sends) >= 16 + 4 and {r.pid for r in sends} == pids
    assert all(r.a for r in sends)  # CPU time of making the message
    threads = {(r.pid, r.tid) for r in sends}
    assert len(threads) == len(pids) and not threads & {(r.pid, r.tid) for r in fetches}
    training, validation = run.facts("loader")
    assert (training["workers"], training["multiprocessing"]) == (2, context)
    assert training["persistent_workers"] is persistent and training["prefetch_factor"] == 2
    assert validation["iterable"] and validation["dataset"].endswith("Stream")


IN_ANY_ORDER = """
import json, os, time
from torch.utils.data import DataLoader, Dataset
class Slow(Dataset):
    def __len__(self): return 8
    def __getitem__(self, i):
        time.sleep(0.2 * (i == 0))
        return os.getpid()
print(json.dumps([int(batch) for batch in DataLoader(Slow(), num_workers=2, in_order=False)]))
"""


def test_workers_whose_batches_come_in_any_order(tmp_path):
    run = hooked.run(tmp_path / "ring", "-c", IN_ANY_ORDER).check()
    waits = [r for r in run.records if r.name == "data" and r.kind == "begin"]
    assert len(waits) == 9 and not any(wait.b for wait in waits)
    came = [r for r in run.records if r.name == "data_from"]
    assert [r.b for r in came] == run.said and {r.a for r in came} == {1}


def test_lightning(tmp_path):
    run = loop(tmp_path, "lightning_fit")
    step = "data{0} optimizer1[forward backward] "
    epoch = step * 4 + "evaluation[data{1} data{1}] checkpoint[checkpoint] "
    # The progress bar's hooks come in an order of the version's own.
    left_out = ("gc", "loader_iter", "fetch", "collate", "logging")
    text = hooked.order(run.trainer(), leave_out=left_out)
    assert text == ("evaluation[data1 data1] " + epoch.format(2, 3) + epoch.format(4, 5)).strip()
    assert sum(r.name == "logging" and r.kind == "begin" for r in run.records) >= 8
    assert {"lightning", "torch"} <= {fact["name"] for fact in run.facts("framework")}


def test_hugging_face_trainer(tmp_path):
    run = loop(tmp_path, "hf_trainer")
    pair = "data{0} data{0} forward backward forward backward optimizer1 "
    last = "data{0} data{0}[end] forward backward forward backward optimizer1 "
    epoch = (
        "data{0} " + pair * 2 + "logging " + pair + last + "logging "
        "evaluation[data{1} data{1} data{1}[end] logging] checkpoint "
    )
    saves = "checkpoint[checkpoint checkpoint checkpoint checkpoint checkpoint]"
    text = hooked.order(run.trainer()).replace(saves, "checkpoint")
    assert text == epoch.format(1, 2) + epoch.format(3, 4) + "logging"
    names = {fact["name"] for fact in run.facts("framework")}
    assert {"transformers", "accelerate", "torch"} <= names


def torchrun(folder, loop, *options):
    command = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    return hooked.run(folder / "ring", *command, hooked.LOOPS / loop, *options).check()


def test_two_ranks(tmp_path):
    run = torchrun(tmp_path, "ddp.py", "--steps", "4")
    step = "data1 backward optimizer1 all_reduce "
    trainers = run.trainers()
    assert len(trainers) == 2 and run.failed_hooks() == {}
    for records in trainers.values():
        assert hooked.order(records) == step * 4 + "data1[end] all_reduce wait barrier"
        sizes = [r.a for r in records if r.name == "all_reduce" and r.kind == "begin"]
        assert sizes == [4] * 4 + [40]
        # With two ranks, backward is reported with its CPU time.
        assert all(r.a and r.b for r in records if r.name == "backward" and r.kind == "end")
    passes = run.facts("gradient_exchange")
    assert [(p["wrappers"], p["exchanging"], p["withheld"]) for p in passes] == [(1, 4, 0)] * 2
    assert all(p["buckets"] == 1 and p["gradient_bytes"] > 0 for p in passes)
    jobs = [fact for fact in run.facts("job") if fact["backend"]]
    assert sorted((j["rank"], j["local_rank"], j["world_size"], j["backend"]) for j in jobs) == [
        (0, 0, 2, "gloo"),
        (1, 1, 2, "gloo"),
    ]


WRAPPED = {
    "ddp": [
        {
            "class": "torch.nn.parallel.distributed.DistributedDataParallel",
            "find_unused_parameters": True,
            "static_graph": False,
            "gradient_as_bucket_view": True,
            "bucket_cap_mb": 5,
        },
        {
            "comm_hook": "torch.distributed.algorithms.ddp_comm_hooks.default_hooks.allreduce_hook",
        },
    ],
    "fsdp": [
        {
            "class": "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel",
            "reshard_after_forward": False,
        }
    ],
    "fsdp2": [
        {"class": "torch.distributed.fsdp.fully_shard", "reshard_after_forward": True},
        {"class": "torch.distributed.fsdp.fully_shard", "reshard_after_forward": False},
    ],
}


@pytest.mark.parametrize("how", WRAPPED)
def test_gradient_communication_is_reported_once(tmp_path, how):
    run = torchrun(tmp_path, "wrapped.py", how)
    assert run.failed_hooks() == {}
    told = run.facts("data_parallel")
    assert [fact for fact in told if fact in WRAPPED[how]] == told
    assert len(told) == 2 * len(WRAPPED[how])
    for records in run.trainers().values():
        # The first rank's buffers go to all in each forward.
        broadcasts = [r for r in records if r.name == "broadcast_buffers" and r.kind == "begin"]
        assert [r.category for r in broadcasts] == [COMMUNICATION] * (3 if how == "ddp" else 0)


def test_tensors_that_are_awaited_where_they_are_used(tmp_path):
    run = torchrun(tmp_path, "wrapped.py", "tensor")
    assert run.failed_hooks() == {}
    for records in run.trainers().values():
        waits = [r for r in records if r.name == "wait" and r.kind == "begin"]
        # The second layer's result in each forward; what the first is given needs no gradient.
        assert [r.category for r in waits] == [COMMUNICATION] * 3
        starts = [r for r in records if r.name == "all_reduce" and r.kind == "begin"]
        assert [r.category for r in starts] == [COMMUNICATION] * 3


def test_functional_collectives_are_told_by_their_starts(tmp_path):
    run = torchrun(tmp_path, "wrapped.py", "functional")
    assert run.failed_hooks() == {}
    for records in run.trainers().values():
        order = hooked.order(records)
        assert order.count("all_reduce wait ") == 3 * 4
        starts = [r for r in records if r.name == "all_reduce" and r.kind == "begin"]
        assert [r.category for r in starts] == [COMMUNICATION] * 12
        assert [r.a for r in starts] == [64, 16, 16, 4] * 3
        # As calls of their group, by number: an asynchronous kind of its own.
        assert [r.b >> 24 for r in starts] == list(range(1, 13))
