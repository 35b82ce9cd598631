# SPDX-License-Identifier: Apache-2.0
"""What the installed PyTorch writes, in ways that are legal and less usual, against its own sums
over operators (`key_averages`), to the nanosecond.

Not compared, because the two mean other things by them: a user's ranges, which are no operators here
and children there; self times where Python runs within an operator and its frames are recorded
(`with_stack=True`), which PyTorch takes off."""

import json
import subprocess
import sys

import pytest
from imports import losses, steptrace

PROGRAM = """
import json, sys, threading, torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule

torch.set_num_threads(1)
folder = sys.argv[1]
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
optimizer = torch.optim.Adam(model.parameters())
x, y = torch.randn(32, 64), torch.randint(0, 10, (32,))


def save(prof, name):
    prof.export_chrome_trace(f"{folder}/{name}.json.gz")
    rows = [
        (e.key, e.count, e.self_cpu_time_total, e.cpu_time_total, e.self_cpu_memory_usage)
        for e in prof.key_averages()
        if not e.is_user_annotation
    ]
    with open(f"{folder}/{name}.averages", "w") as file:
        json.dump(rows, file)


def step():
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()


cycles = []


def ready(prof):
    cycles.append(prof)
    save(prof, f"cycle{len(cycles)}")


rounds = schedule(skip_first=1, wait=1, warmup=1, active=3, repeat=2)
with profile(
    activities=[ProfilerActivity.CPU], schedule=rounds, on_trace_ready=ready, profile_memory=True,
    record_shapes=True, with_flops=True,
) as prof:
    for _ in range(12):
        step()
        prof.step()

with profile(activities=[ProfilerActivity.CPU], with_stack=True, with_modules=True) as prof:
    for _ in range(3):
        step()
save(prof, "stacks")

config = torch._C._profiler._ExperimentalConfig(profile_all_threads=True)
with profile(activities=[ProfilerActivity.CPU], experimental_config=config) as prof:
    threads = [
        threading.Thread(target=lambda: [model(x).sum().backward() for _ in range(4)])
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
save(prof, "threads")

data = torch.utils.data.TensorDataset(torch.randn(64, 64), torch.randint(0, 10, (64,)))
loader = torch.utils.data.DataLoader(data, 16, num_workers=2)
with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
    for x, y in loader:
        step()
save(prof, "loader")
"""


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("traces")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)], capture_output=True, text=True, timeout=600
    )
    if "profile_all_threads" in done.stderr:
        pytest.skip("this PyTorch profiles no threads but its own")
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("name", ["cycle1", "cycle2", "stacks", "threads", "loader"])
def test_operators_are_to_the_nanosecond(traces, tmp_path, name):
    run = tmp_path / "run"
    steptrace("import", traces / f"{name}.json.gz", "-o", run)
    assert losses(run) == {}
    report = json.loads(steptrace("report", run, "--json").stdout)
    found = {row["name"]: row for row in report["operators"]["rows"]}
    compared = 0
    for key, count, self_us, total_us, _ in json.loads((traces / f"{name}.averages").read_text()):
        if key not in found:
            assert not key.startswith(("aten::", "autograd::")), key
            continue
        row = found[key]
        assert (row["calls"], row["host_total_ns"]) == (count, round(total_us * 1000)), key
        assert row["host_self_ns"] == round(self_us * 1000), key
        compared += 1
    assert compared == len(found) > 15
    assert report["steps"]["count"] == (3 if name.startswith("cycle") else 1)


@pytest.mark.parametrize("name", ["cycle1", "cycle2"])
def test_memory_is_to_the_byte(traces, tmp_path, name):
    run = tmp_path / "run"
    steptrace("import", traces / f"{name}.json.gz", "-o", run)
    (device,) = json.loads(steptrace("report", run, "--json").stdout)["memory"]["devices"]
    found = {row["name"]: row["self_size_increase_bytes"] for row in device["operators"]}
    rows = json.loads((traces / f"{name}.averages").read_text())
    expected = {key: size for key, _, _, _, size in rows if key.startswith("aten::")}
    assert {key: found.get(key, 0) for key in expected} == expected
    assert any(expected.values())
