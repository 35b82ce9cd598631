# SPDX-License-Identifier: Apache-2.0
"""Device memory at the borders of steps, with the fake probe and a stand-in for what torch.cuda knows:
it keeps the rules of the real one (no answer before a device is initialized)."""

import hooked

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
    # Fifty steps in a row are one look at most, or a few where the machine is slow.
    assert len(told) < 50 * 5
    assert not done.failed_hooks()


def test_without_a_device_nothing_is_told(tmp_path):
    done = run(tmp_path, "for _ in range(3): step()")
    assert counters(done) == []
    assert not [fact for fact in done.facts("hook") if fact["state"] != "active"]


def test_one_that_fails_is_asked_no_more_and_the_steps_go_on(tmp_path):
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


def test_books_of_another_shape_tell_what_they_have(tmp_path):
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
