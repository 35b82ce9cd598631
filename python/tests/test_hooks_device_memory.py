# SPDX-License-Identifier: Apache-2.0
"""Device memory at the boundaries of steps, with the fake probe and a stand-in for what torch.cuda knows:
it keeps the rules of the real one (no answer before a device is initialized)."""

import sys
import types

import hooked
import pytest

from steptrace._hooks import device_memory

LOOP = """
import time, torch

class Books:
    '''What torch.cuda answers, of two devices of which the second is used.'''
    initialized = False
    asked = []

    @staticmethod
    def is_initialized():
        return Books.initialized

    @staticmethod
    def device_count():
        return 2

    @staticmethod
    def memory_stats_as_nested_dict(device=None):
        assert Books.initialized, "it would initialize the device"
        Books.asked.append(device)
        used = Books.used if device == 1 else 0
        return {
            "allocated_bytes": {"all": {"current": used, "peak": used}, "small_pool": {"current": 1}},
            "reserved_bytes": {"all": {"current": 2 * used}},
            "inactive_split_bytes": {"all": {"current": used // 2}},
            "num_alloc_retries": 3,
            "num_ooms": 0,
        }

for name in ("is_initialized", "device_count", "memory_stats_as_nested_dict"):
    setattr(torch.cuda, name, getattr(Books, name))

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

def step():
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
"""


def run(tmp_path, body):
    script = tmp_path / "script.py"
    script.write_text(LOOP + body)
    return hooked.run(tmp_path / "ring", script).check()


def counters(done):
    return [(record.name, record.a) for record in done.records if record.kind == "counter"]


def test_the_allocators_books_of_the_devices_in_use(tmp_path):
    done = run(
        tmp_path,
        """
step()  # CUDA is not in use yet
Books.initialized, Books.used = True, 1 << 20
time.sleep(0.6)
step()
Books.used = 1 << 30
for _ in range(50):
    step()
time.sleep(0.6)
step()
""",
    )
    told = counters(done)
    assert told[:5] == [
        ("1:allocated_bytes", 2.0**20),
        ("1:reserved_bytes", 2.0**21),
        ("1:inactive_split_bytes", 2.0**19),
        ("1:alloc_retries", 3.0),
        ("1:ooms", 0.0),
    ]
    assert told[-5] == ("1:allocated_bytes", 2.0**30)
    assert {record.category for record in done.records if record.kind == "counter"} == {20}
    # Of fifty steps in a row few are looked at, and what stands still is told twice a second.
    assert len(told) < 50 * 5
    assert not done.failed_hooks()


def test_no_readings_without_a_device(tmp_path):
    done = run(tmp_path, "for _ in range(3): step()")
    assert counters(done) == []
    assert not [fact for fact in done.facts("hook") if fact["state"] != "active"]


def test_failing_allocator_is_not_read_again_and_steps_continue(tmp_path):
    done = run(
        tmp_path,
        """
calls = []
def broken(device=None):
    calls.append(device)
    raise RuntimeError("driver is gone")
Books.initialized = True
torch.cuda.memory_stats_as_nested_dict = broken
torch.cuda.current_device = lambda: 0
for _ in range(3):
    step()
    time.sleep(0.55)
print(len(calls))
""",
    )
    assert done.stdout.split() == ["1"]
    (fact,) = [fact for fact in done.facts("hook") if fact["state"] == "unavailable"]
    assert "driver is gone" in fact["reason"]
    assert sum(record.name == "optimizer" for record in done.trainer()) == 2 * 3


def test_statistics_of_another_shape_are_used_as_far_as_known(tmp_path):
    done = run(
        tmp_path,
        """
Books.initialized = True
torch.cuda.memory_stats_as_nested_dict = lambda device=None: {
    "reserved_bytes": {"all": {"current": 5}}, "allocated_bytes": 7, "num_ooms": "many"}
step()
""",
    )
    assert set(counters(done)) == {("0:reserved_bytes", 5.0), ("1:reserved_bytes", 5.0)}


class Clock:
    """Of a training in which nothing else takes time."""

    def __init__(self, monkeypatch, cost_ns):
        self.now_ns = 10**12
        self.cost_ns = cost_ns
        self.asked = []
        self.told = []
        self.stats = {"reserved_bytes": {"all": {"current": 1 << 30}}, "num_ooms": 0}
        cuda = types.SimpleNamespace(
            is_initialized=lambda: True,
            device_count=lambda: 1,
            memory_stats_as_nested_dict=None,
        )
        torch = types.SimpleNamespace(
            cuda=cuda, _C=types.SimpleNamespace(_cuda_memoryStats=self.ask)
        )
        monkeypatch.setitem(sys.modules, "torch", torch)
        monkeypatch.setattr(device_memory, "monotonic_ns", lambda: self.now_ns)
        self.memory = device_memory.DeviceMemory(self, None)

    def ask(self, device):
        assert device == 0
        self.asked.append(self.now_ns)
        self.now_ns += self.cost_ns
        held = {"all": {"current": len(self.asked)}}
        return {**self.stats, "allocated_bytes": held}

    def name(self, text, category):
        return text

    def counter(self, name, value):
        self.told.append((name, value))

    def train(self, steps, step_ns, *optimizers):
        """How many readings that many steps had."""
        before = self.read()
        for _ in range(steps):
            for number in optimizers or (1,):
                self.memory.look(number)
            self.now_ns += step_ns
        return self.read() - before

    def read(self):
        return sum(name == "0:allocated_bytes" for name, _ in self.told)


@pytest.mark.parametrize("cost_us", [5, 40, 400, 5_000, 100_000])
@pytest.mark.parametrize("step_ms", [1, 20, 400, 3_000])
def test_a_reading_a_step_where_it_costs_little_beside_it(monkeypatch, cost_us, step_ms):
    clock = Clock(monkeypatch, cost_us * 1000)
    steps = 30_000 // step_ms
    began_ns = clock.now_ns
    read = clock.train(steps, step_ms * 1_000_000)
    took_ns = clock.now_ns - began_ns
    if cost_us <= step_ms:
        assert read == steps
    least = min(steps, took_ns // (500_000_000 + clock.cost_ns + step_ms * 1_000_000))
    assert read >= least, "twice a second, where there are steps"
    if cost_us <= 500:
        # The look at all devices comes beside them, every ten seconds.
        assert read * clock.cost_ns <= took_ns / 1000 + clock.cost_ns


def test_slow_readings_are_made_less_often(monkeypatch):
    clock = Clock(monkeypatch, 10_000)
    assert clock.train(200, 10_000_000) == 200
    clock.cost_ns = 100_000  # fragmented: its books are long
    clock.train(200, 10_000_000)
    assert 15 <= clock.train(200, 10_000_000) <= 25
    clock.cost_ns = 5_000
    clock.train(1000, 10_000_000)
    assert clock.train(200, 10_000_000) == 200


def test_unchanged_memory_is_recorded_twice_a_second_and_changes_at_once(monkeypatch):
    clock = Clock(monkeypatch, 10_000)
    assert clock.train(100, 20_000_000) == 100
    reserved = clock.told.count(("0:reserved_bytes", 2.0**30))
    assert 3 <= reserved <= 5
    clock.train(1, 20_000_000)
    before = len(clock.told)
    clock.stats["num_alloc_retries"] = 7
    clock.train(1, 20_000_000)
    assert ("0:alloc_retries", 7.0) in clock.told[before:]


def test_one_of_several_optimizers_sets_the_pace(monkeypatch):
    """They hold different amounts at each: readings at all would be no growth of anything."""
    clock = Clock(monkeypatch, 1_000)
    assert clock.train(100, 20_000_000, 1, 2, 3) == 100
    # The first steps no more: another has its place soon.
    assert clock.train(100, 20_000_000, 2) >= 80
