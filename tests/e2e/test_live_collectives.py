# SPDX-License-Identifier: Apache-2.0
"""Collectives of live runs: found on all ranks by group and number, and who was waited for."""

import collections
import json
import pathlib
import subprocess
import sys

import pytest
from fault_tools import LIMIT_S, executable, record
from other_work import OtherWork

TORCHRUN = [sys.executable, "-m", "torch.distributed.run"]

# Rank 1 comes 40 ms late to each step's all_reduce: 30 of waiting for its data, 10 in a range of its
# own. They begin when rank 0 is there, however busy the machine is.
TRAINING = """
import os, sys, time, torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, Dataset
import steptrace
torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
def there(number):
    return os.path.join(sys.argv[1], str(number))
pair = dist.new_group([0, 1])
class Samples(Dataset):
    def __len__(self):
        return 40
    def __getitem__(self, index):
        if rank == 1:
            while not os.path.exists(there(index)):
                time.sleep(0.001)
            time.sleep(0.03)
        return torch.ones(8)
model = nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
total = torch.ones(250)
for number, batch in enumerate(DataLoader(Samples(), batch_size=1)):
    model(batch).sum().backward()
    if rank == 1:
        with steptrace.annotate("tokenise"):
            time.sleep(0.01)
    else:
        open(there(number), "w").close()
    dist.all_reduce(total)
    optimizer.step()
    if number % 10 == 0:
        dist.broadcast(total, src=0, group=pair)
        dist.all_gather_object([None, None], number)
        handle = dist.all_reduce(total, async_op=True)
        handle.wait()
        if rank == 0:
            dist.send(torch.zeros(4), 1)
        else:
            dist.recv(torch.zeros(4), 0)
dist.barrier()
sys.stdout.flush()
os._exit(0)
"""


def train(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(TRAINING)
    meeting = tmp_path / "meeting"
    meeting.mkdir()
    command = [*TORCHRUN, "--nproc-per-node", "2", "--standalone", str(path), str(meeting)]
    outcome = record(tmp_path, command, env={"OMP_NUM_THREADS": "1"})
    assert outcome.status == 0, outcome.stderr
    return outcome.run


def test_gloo_collectives_are_matched_and_the_late_rank_is_named(tmp_path):
    with OtherWork() as other:
        run = train(tmp_path)
    calls = [row for row in run.rows("slices") if row["category"] == "communication"]
    by_rank = collections.defaultdict(list)
    for row in calls:
        if row["name"] == "all_reduce":
            by_rank[row["rank"]].append((row["group"], row["sequence"], row["bytes"]))
    assert len(by_rank[0]) == 44
    assert by_rank[0] == by_rank[1]
    assert all(size == 1000 for _, _, size in by_rank[0])
    details = json.loads(next(row["details"] for row in calls if row["name"] == "broadcast"))
    assert details["Process Group Ranks"] == [0, 1]
    assert details["Group size"] == 2

    section = run.report()["distributed"]
    assert section["status"] == "found"
    assert section["unmatched_count"] == 0, section["unmatched"]
    found = collections.Counter((row["name"], row["matched_by"]) for row in section["collectives"])
    assert found[("all_reduce", "sequence")] == 40
    assert found[("broadcast", "sequence")] == 4
    assert found[("all_gather", "sequence")] == 4
    assert found[("barrier", "sequence")] == 1
    assert sum(n for (name, _), n in found.items() if name in ("send", "recv")) == 4
    assert section["collective_count"] == 53
    assert {row["last_rank"] for row in section["collectives"][:30]} == {1}

    blame = section["blame"][0]
    assert blame["rank"] == 1
    parts = collections.Counter()
    causes = collections.Counter()
    for part in blame["parts"]:
        parts[part["cause"], part["name"]] += part["ns"]
        causes[part["cause"]] += part["ns"]
    assert blame["cause"] == causes.most_common(1)[0][0]
    # Where others have the cores, the rank is late for its own code's sake too.
    assert blame["cause"] == "data_wait" or other.shared()
    # 40 steps of 30 ms and of 10: what the machine's other work adds is small beside them.
    assert parts["data_wait", "data"] > 40 * 30e6 * 0.8
    assert parts["host_work", "tokenise"] > 40 * 10e6 * 0.8
    assert blame["share"] > 0.6

    text = subprocess.run(
        [executable(), "report", str(run.path), "--section", "distributed"],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=True,
    ).stdout
    assert "Which ranks the others waited for" in text
    assert blame["cause"].replace("_", " ") in text


# ---- NCCL's plugin, driven by a stand-in for NCCL ----

JOB = pathlib.Path(__file__).parent / "trainings" / "nccl_job.py"
LAUNCH = """
import os, subprocess, sys
ranks = [
    subprocess.Popen([sys.executable, *sys.argv[1:]], env=dict(
        os.environ, RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE="2"))
    for rank in range(2)
]
sys.exit(max(rank.wait() for rank in ranks))
"""


def nccl_run(tmp_path, version, steps, env=None):
    meeting = tmp_path / "meeting"
    meeting.mkdir()
    command = [sys.executable, "-c", LAUNCH, str(JOB), str(version), str(steps), str(meeting)]
    outcome = record(tmp_path, command, env=env)
    assert outcome.status == 0, outcome.stderr
    return outcome.run


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5, 6])
def test_nccl_collectives_of_each_version_are_matched_and_blamed(version, tmp_path):
    steps = 12
    run = nccl_run(tmp_path, version, steps)
    calls = [row for row in run.rows("slices") if row["category"] == "nccl"]
    reduces = [row for row in calls if row["name"] == "all_reduce"]
    for rank in range(2):
        mine = [row for row in reduces if row["rank"] == rank]
        assert [row["sequence"] for row in mine] == list(range(1, steps + 1))
        assert {row["bytes"] for row in mine} == {4000}
    details = json.loads(reduces[0]["details"])
    assert details["Process Group Name"] == "0xabcdef0123456789"
    assert details["dtype"] == "Float"
    assert (details["Algorithm"], details["Protocol"]) == ("RING", "SIMPLE")
    assert details["Channels"] == 2
    if version >= 4:
        assert details["Group size"] == 2
        assert details["Process Group Description"] == "stand-in"

    proxies = [row for row in run.rows("slices") if row["category"] == "nccl_proxy"]
    assert sorted({row["name"] for row in proxies}) == ["send to 0", "send to 1"]
    assert len(proxies) == 2 * steps

    section = run.report()["distributed"]
    matched = [row for row in section["collectives"] if row["name"] == "all_reduce"]
    assert len(matched) == steps
    assert {row["matched_by"] for row in matched} == {"sequence"}
    assert {row["bytes"] for row in matched} == {4000}
    if version <= 2:
        return  # without kernel channels only the enqueueing is known
    assert {row["last_rank"] for row in matched} == {1}
    blame = section["blame"][0]
    assert (blame["rank"], blame["cause"]) == (1, "host_work")
    assert sum(part["ns"] for part in blame["parts"] if part["name"] == "tokenise") > (
        steps * 20e6 * 0.8
    )
    assert blame["caused_wait_ns"] == sum(part["ns"] for part in blame["parts"])


def test_another_tools_plugin_stays_and_is_told(tmp_path):
    path = tmp_path / "train.py"
    path.write_text("import os, torch; print(os.environ['NCCL_PROFILER_PLUGIN'])")
    theirs = {"NCCL_PROFILER_PLUGIN": "/opt/theirs.so", "NVTX_INJECTION64_PATH": "/opt/nsys.so"}
    outcome = record(tmp_path, [sys.executable, str(path)], env=theirs)
    assert outcome.stdout.split() == [b"/opt/theirs.so"]
    facts = [
        json.loads(row["json"]) for row in outcome.run.rows("run_metadata") if row["kind"] == "hook"
    ]
    aside = {fact["module"]: fact["reason"] for fact in facts if fact["state"] == "aside"}
    assert "/opt/theirs.so" in aside["NCCL"]
    assert "/opt/nsys.so" in aside["NVTX"]
