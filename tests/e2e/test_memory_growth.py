# SPDX-License-Identifier: Apache-2.0
"""Memory that grows with the steps is told as a leak, with its bytes a step; a cache that fills and
stays is not."""

import json
import pathlib
import statistics
import sys

from fault_tools import record

MIB = 1 << 20

TRAINING = """
import sys, time
import torch

torch.set_num_threads(1)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
kept = []
keep = int(sys.argv[1])

for number in range(260):
    if number < keep:
        kept.append(b"x" * (1 << 20))
    optimizer.zero_grad()
    model(torch.zeros(2, 4)).sum().backward()
    time.sleep(0.03)
    optimizer.step()
"""


def train(folder, keep):
    path = pathlib.Path(folder) / "train.py"
    path.write_text(TRAINING)
    command = [sys.executable, str(path), str(keep)]
    outcome = record(folder, command, "--system-interval-ms", "100")
    assert outcome.status == 0, outcome.stderr
    findings = [row for row in outcome.run.rows("findings") if row["subject"].startswith("memory")]
    return outcome.run, findings


def counters(run, name):
    tracks = {row["track"]: row for row in run.rows("tracks") if row["name"] == name}
    found = {}
    for row in run.rows("counters"):
        if row["track"] in tracks:
            found.setdefault(tracks[row["track"]]["pid"], []).append(row["value"])
    return found


def test_a_list_that_grows_is_a_leak(tmp_path):
    run, findings = train(tmp_path, keep=1000)
    (leak,) = [row for row in findings if row["severity"] == "warning"]
    assert leak["subject"] == "memory of rank 0"
    assert "a leak" in leak["text"]
    (process,) = json.loads(leak["evidence"])["processes"]
    growth = process["growth"]
    assert growth["verdict"] == "leak"
    assert 0.9 * MIB <= growth["bytes_per_step"] <= 1.1 * MIB
    assert growth["low"] <= growth["bytes_per_step"] <= growth["high"]
    assert leak == findings[-1], "it stands"
    anon = counters(run, "process.rss_anon_bytes")[process["pid"]]
    assert max(anon) - min(anon) > 200 * MIB
    # In the middle: between two reads of one sample a process that ends gives all back.
    kinds = [
        statistics.median(counters(run, f"process.rss_{kind}_bytes")[process["pid"]])
        for kind in ("anon", "file", "shmem")
    ]
    whole = statistics.median(counters(run, "process.rss_bytes")[process["pid"]])
    assert abs(sum(kinds) - whole) < 16 * MIB


def test_a_cache_that_fills_and_stays_is_none(tmp_path):
    _, findings = train(tmp_path, keep=60)
    assert [row for row in findings if row["severity"] == "warning"] == []
