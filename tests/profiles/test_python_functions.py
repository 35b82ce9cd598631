# SPDX-License-Identifier: Apache-2.0
"""What a profile's Python functions name, on a real one: a training whose dataset parses and augments,
and which counts words beside the model, against hand timers in it."""

import json
import subprocess
import sys

import profile_runs
import pytest

TRAINING = """
import json, sys, time, torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule

torch.set_num_threads(1)
spent = dict.fromkeys(("decode", "augmentation", "loop_code", "step"), 0)

class timed:
    def __init__(self, what): self.what = what
    def __enter__(self): self.begin = time.perf_counter_ns()
    def __exit__(self, *_): spent[self.what] += time.perf_counter_ns() - self.begin

TEXT = json.dumps([{"words": ["a"] * 40, "value": 0.5}] * 100)

class Rows(torch.utils.data.Dataset):
    def __len__(self): return 1000
    def __getitem__(self, at):
        with timed("decode"):
            rows = [json.loads(TEXT) for _ in range(60)]
        with timed("augmentation"):
            total = self.augment(rows[0])
        return torch.full((8,), total)
    def augment(self, rows):
        total = 0.0
        for _ in range(40):
            for row in rows: total += row["value"]
        return total

def count_words(rows):
    words = {}
    for _ in range(6):
        for row in rows:
            for word in row["words"]:
                words[word] = words.get(word, 0) + 1
    return words

model = nn.Linear(8, 8)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
rows = json.loads(TEXT)
steps = schedule(wait=0, warmup=2, active=6, repeat=1)
with profile(activities=[ProfilerActivity.CPU], schedule=steps, with_stack=True,
             on_trace_ready=lambda p: p.export_chrome_trace(sys.argv[1])) as profiler:
    begin = None
    for number, batch in enumerate(torch.utils.data.DataLoader(Rows(), batch_size=2)):
        if number >= 8: break
        model(batch).pow(2).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
        with timed("loop_code"):
            count_words(rows)
        profiler.step()
        if number == 1:  # the first of those that are profiled begins
            spent.update(dict.fromkeys(spent, 0))
            begin = time.perf_counter_ns()
        if number == 6: spent["step"] = time.perf_counter_ns() - begin; told = dict(spent)
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def profiled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("functions")
    (folder / "train.py").write_text(TRAINING)
    trace = folder / "trace.json"
    done = subprocess.run(
        [sys.executable, str(folder / "train.py"), str(trace)],
        capture_output=True,
        text=True,
        check=True,
    )
    run = profile_runs.imported(folder, trace)
    report = json.loads(profile_runs.steptrace("report", run, "--json"))
    return report, json.loads(done.stdout.splitlines()[-1])


def stage(report, name, suspect):
    (row,) = [r for r in report["stages"]["rows"] if (r["name"], r["suspect"]) == (name, suspect)]
    return row


@pytest.mark.parametrize(
    ("name", "suspect", "function"),
    [
        ("decode", "data_pipeline", ("__getitem__", "loads")),
        ("augmentation", "data_pipeline", ("augment", None)),
        ("loop_code", "other_work", ("count_words", None)),
    ],
)
def test_stages_have_their_functions_and_times(profiled, name, suspect, function):
    report, spent = profiled
    row = stage(report, name, suspect)
    assert abs(row["share"] - spent[name] / spent["step"]) < 0.05, (row["share"], spent)
    first = row["functions"][0]
    assert (first["function"], first["call"]) == function
    assert first["file"].endswith("train.py")
    assert (
        first["line"]
        == TRAINING.splitlines().index(
            next(line for line in TRAINING.splitlines() if f"def {function[0]}(" in line)
        )
        + 1
    )
    assert sum(one["ns"] for one in row["functions"]) <= row["ns"]
    assert row["samples"] == 0


def test_the_verdict_is_the_data_pipeline(profiled):
    report, _ = profiled
    verdict = report["verdict"]
    assert (verdict["suspect"], verdict["function"]["file"][-8:]) == ("data_pipeline", "train.py")
    assert any("Python functions" in one["text"] for one in verdict["evidence"])
    assert abs(sum(row["share"] for row in report["stages"]["rows"]) - 1) == 0
