# SPDX-License-Identifier: Apache-2.0
"""Where the boundaries of phases are told for the device's events, with the fake probe and a stand-in for
what torch knows of its device: it keeps the rule that nothing is asked before it is initialized."""

import hooked
import pytest

LOOP = """
import os, torch
from torch.utils.data import DataLoader

class Device:
    initialized = False
    stream = 0

    @staticmethod
    def is_initialized():
        return Device.initialized

    @staticmethod
    def current():
        assert Device.initialized, "it would initialize the device"
        return 0

    @staticmethod
    def raw_stream(device):
        assert device == 0
        return Device.ask(device)

    def ask(device):
        return Device.stream

torch.cuda.is_initialized = Device.is_initialized
torch._C._cuda_getDevice = Device.current
torch._C._cuda_getCurrentRawStream = Device.raw_stream

model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

def step(batch=torch.ones(2, 4)):
    model(batch).sum().backward()
    optimizer.step()
"""

STEPS = """
Device.initialized = True
for batch in DataLoader(torch.ones(6, 4), batch_size=2):
    step(batch)
"""

STEP = ["data_begin", "data_end", "backward_begin", "backward_end", "step_begin", "step_end"]


def run(tmp_path, body=STEPS, **environment):
    script = tmp_path / "script.py"
    script.write_text(LOOP + body)
    return hooked.run(tmp_path / "ring", script, **environment).check()


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Three steps, and nothing else."""
    return run(tmp_path_factory.mktemp("plain"), FAKE_PROBE_NO_EVENT="12")


def borders(done):
    return [record.name for record in done.records if record.kind == "border"]


def phases(done):
    return [record.name for record in done.records if record.kind == "phases"]


def said(done, state):
    return [
        fact["reason"]
        for fact in done.facts("hook")
        if fact["state"] == state and "device phases" in fact["reason"]
    ]


def test_each_boundary_of_a_step_once_and_in_order(plain):
    # The first step is over when its optimizer shows that the device is in use.
    assert borders(plain) == [*STEP[4:], *STEP, *STEP, *STEP[:2]]
    assert phases(plain) == ["begin", "end"]
    assert not said(plain, "unavailable")


def test_an_event_lies_before_the_hosts_range_at_its_begin_and_in_it_at_its_end(plain):
    names = [(r.kind, r.name) for r in plain.records if r.kind in ("border", "begin", "end")]
    at = names.index(("border", "backward_begin"))
    assert names[at : at + 4] == [
        ("border", "backward_begin"),
        ("begin", "backward"),
        ("border", "backward_end"),
        ("end", "backward"),
    ]


def test_borders_without_an_event_are_said_at_the_end(plain):
    assert said(plain, "limited") == ["device phases: 12 boundaries found no free event"]


VARIED = """
from torch.profiler import profile, ProfilerActivity
step()  # no device yet: asking for it would fail
Device.initialized = True
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
step()
Device.stream = 0x7F0012345678
step()
with profile(activities=[ProfilerActivity.CPU]):
    step()
child = os.fork()
if child == 0:
    Device.initialized = False
    step()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
Device.stream = 5
step()
"""


def test_streams_profilers_children_and_a_device_that_comes_late(tmp_path):
    done = run(tmp_path, VARIED)
    kinds = [r for r in done.records if r.kind in ("border", "phases")]
    assert [(r.name, r.a) for r in kinds if r.kind == "border"] == [
        (name, stream)
        for names, stream in (
            (STEP[4:], 0),
            (STEP[2:], 0x7F0012345678),
            (STEP[2:], 0x7F0012345678),
            (STEP[2:], 5),
        )
        for name in names
    ]
    # Paused, the probe passes over boundaries (src/probe/device_phases_test.cc).
    assert [r.name for r in kinds[:1] + kinds[7:8] + kinds[12:13] + kinds[-1:]] == [
        "begin",
        "pause",
        "go on",
        "end",
    ]


def test_reason_for_being_off_is_reported_once(tmp_path):
    done = run(tmp_path, FAKE_PROBE_PHASES="no CUDA driver (libcuda.so) is loaded in this process")
    assert not borders(done)
    assert said(done, "unavailable") == [
        "device phases: no CUDA driver (libcuda.so) is loaded in this process"
    ]


def test_a_failure_ends_it_and_nothing_else(tmp_path):
    done = run(tmp_path, FAKE_PROBE_BORDERS="4")
    assert len(borders(done)) == 5
    assert said(done, "unavailable") == ["device phases: cuEventRecord fails with CUDA error 719"]
    assert [r.name for r in done.records if r.kind == "begin"].count("optimizer") == 3


@pytest.mark.parametrize("border", ["data_begin", "step_end"])
def test_a_raising_boundary_disables_only_device_phases(tmp_path, border):
    done = run(tmp_path, FAKE_PROBE_FAIL=border)
    assert borders(done).count(border) == 1
    assert said(done, "unavailable") == ["device phases: RuntimeError: made to fail"]
    names = [record.name for record in done.records if record.kind == "begin"]
    assert (names.count("optimizer"), names.count("backward"), names.count("data")) == (3, 3, 4)


def test_setting_disables_device_phases(tmp_path):
    assert not borders(run(tmp_path, STEPTRACE_HOOKS="data,backward,optimizer"))


ALARMED = """
import signal

class Alarm(Exception): pass

def ring(number, frame):
    raise Alarm

signal.signal(signal.SIGUSR1, ring)
Device.initialized = True
step()

def raw_stream(device):
    signal.raise_signal(signal.SIGUSR1)
    return 0

own, Device.ask = Device.ask, raw_stream
try:
    optimizer.step()
except Alarm:
    print("rang")
Device.ask = own
step()
"""


def test_what_the_scripts_handler_raises_in_a_border_is_the_scripts(tmp_path):
    done = run(tmp_path, ALARMED)
    assert "rang" in done.stdout
    assert borders(done)[-4:] == STEP[2:], "and they go on"
    assert not said(done, "unavailable")
