# SPDX-License-Identifier: Apache-2.0
"""A training with a request of the agent: what it said of windows. With the fake probe."""

import hooked

COLLECTOR = "/nonexistent/probe.so"
DONE, ASIDE, REPLACED, FULL, MISSED, UNAVAILABLE, FAILED = range(1, 8)

LOOP = """
import json, os, sys, torch
from torch.autograd import _profiler_enabled, profiler

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
enabled = []  # at the begin of each step

def ask(**word):
    word = dict({"request": 1, "kinds": 1, "first_step": 0, "steps": 0, "until_ns": 0,
                 "dur_ns": 0, "max_operators": 0,
                 "enough_operators": 0, "steps_of_enough": 3}, **word)
    path = os.path.join(os.environ["FAKE_PROBE_DIR"], "capture.json")
    with open(path + ".new", "w") as file:
        json.dump(word, file)
    os.rename(path + ".new", path)

def step():
    enabled.append(_profiler_enabled())
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()

def say(**more):
    print(json.dumps({"enabled": [i for i, on in enumerate(enabled) if on],
                      "left": _profiler_enabled(), "flag": profiler._is_profiler_enabled, **more}))
"""


def run(tmp_path, body, **variables):
    script = tmp_path / "script.py"
    script.write_text(LOOP + body)
    environment = {"INTEL_LIBITTNOTIFY64": COLLECTOR, "STEPTRACE_PROBE": COLLECTOR, **variables}
    return hooked.run(tmp_path / "ring", script, **environment).check()


def marks(done):
    """`begin REQUEST` and `end REQUEST STEPS REASON`, in order."""
    words = []
    for record in done.trainer():
        if record.name == "window_begin":
            words.append(f"begin {record.a}")
        elif record.name == "window_end":
            words.append(f"end {record.a} {record.b & 0xFFFFFFFF} {record.b >> 32}")
    return words


# Steps before, under and after the script's own profiler.
PROFILED = """
from torch.profiler import profile, ProfilerActivity
ask(first_step=2, steps=6)
for _ in range(4): step()
with profile(activities=[ProfilerActivity.CPU]) as theirs:
    step(); step()
for _ in range(4): step()
say(events=len(theirs.events()))
"""
