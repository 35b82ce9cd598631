# SPDX-License-Identifier: Apache-2.0
"""Where the hooks look at the agent's word on stacks, with the fake probe: at steps, at batches, in
workers; not twice, not across a fork, not after the end."""

import hooked

LOOP = """
import os, sys, time, torch
from torch.utils.data import DataLoader, Dataset

def settle():
    # Until the thread that was claimed has begun.
    while sys.modules["steptrace._probe"]._stacks == "claimed": time.sleep(0.001)

class Rows(Dataset):
    def __init__(self): self.rows = torch.zeros(24, 4)
    def __len__(self): return len(self.rows)
    def __getitem__(self, index):
        settle()
        return self.rows[index]

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

def ask():
    open(os.path.join(os.environ["FAKE_PROBE_DIR"], "stacks"), "w").close()

def step(batch=None):
    model(torch.ones(2, 4) if batch is None else batch).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def run(tmp_path, body):
    script = tmp_path / "script.py"
    script.write_text(LOOP + body)
    return hooked.run(tmp_path / "ring", script).check()


def marks(done):
    """What became of the thread of each process: its words, in order, by pid."""
    words = {}
    for record in done.records:
        if record.kind == "stacks":
            words.setdefault(record.pid, []).append(record.name)
    return words


def test_no_sampling_without_a_request(tmp_path):
    assert marks(run(tmp_path, "for _ in range(5): step()")) == {}


def test_a_step_is_a_boundary(tmp_path):
    done = run(tmp_path, "step(); ask()\nfor _ in range(5): step()\nsettle()")
    (words,) = marks(done).values()
    assert words == ["take", "end"], "once, and ended before the interpreter"
    (fact,) = [f for f in done.facts("hook") if "steptrace-stack" in f["reason"]]
    assert (fact["hook"], fact["state"]) == ("optimizer", "active")


def test_a_batch_is_a_boundary(tmp_path):
    done = run(tmp_path, "ask()\nfor batch in DataLoader(Rows(), batch_size=4): pass")
    (words,) = marks(done).values()
    assert words == ["take", "end"]


def test_workers_have_one_each_and_the_fork_none(tmp_path):
    body = """
step(); ask(); step(); step(); settle()
for batch in DataLoader(Rows(), batch_size=4, num_workers=2): step(batch)
settle()
"""
    done = run(tmp_path, body)
    words = marks(done)
    assert len(words) == 3
    (trainer,) = done.trainers()
    # Two forks, one for each worker: the thread is ended before each, and begins after.
    assert words[trainer][:2] == ["take", "end"]
    assert words[trainer].count("take") >= 2
    assert [words[pid].count("take") for pid in words if pid != trainer] == [1, 1]


def test_failed_thread_start_is_not_retried(tmp_path):
    body = """
stacks = sys.modules["_steptrace_hooks.stacks"]
def refused(*arguments): raise RuntimeError("can't start new thread")
stacks.start_new_thread = refused
ask()
for _ in range(5): step()
"""
    done = run(tmp_path, body)
    assert marks(done) == {}
    (fact,) = [f for f in done.facts("hook") if f["state"] == "unavailable"]
    assert fact["reason"] == "stacks: RuntimeError: can't start new thread"
    assert done.failed_hooks() == {}
