# SPDX-License-Identifier: Apache-2.0
"""Device time of every step on a real training, with a stand-in for the CUDA driver and its events:
what is stored, and what the report makes of it."""

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest
from fault_tools import ROOT, record
from other_work import OtherWork

STEPS = 300  # on a busy machine few of them have no other work beside them
MS = 1_000_000

# The device has 3, 6 and 1 ms to do in forward, backward and optimizer, which the host launches at
# once; the loss is waited for at the end of each step, a batch takes 4 ms.
TRAINING = """
import ctypes, sys, time, torch
from torch.utils.data import DataLoader, Dataset
library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
library.fake_cuda_work.argtypes = [ctypes.c_uint64, ctypes.c_uint64]
library.fake_cuda_wait.argtypes = [ctypes.c_uint64]
library.fake_cuda_last_misuse.restype = ctypes.c_char_p
library.fake_cuda_use(0)
library.fake_cuda_drift(30)

class Properties:
    name, total_memory, major, minor, multi_processor_count = "Fake H1", 1 << 34, 9, 0, 64

torch.cuda.is_initialized = lambda: True
torch.cuda.current_device = lambda: 0
torch.cuda.get_device_properties = lambda index: Properties
torch._C._cuda_getDevice = lambda: 0
torch._C._cuda_getCurrentRawStream = lambda device: 0

class Slow(Dataset):
    def __len__(self): return int(sys.argv[2])
    def __getitem__(self, index):
        time.sleep(0.004)
        return torch.ones(4)

model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

def on_device(ms):
    library.fake_cuda_work(0, int(ms * 1e6))

optimizer.register_step_pre_hook(lambda *_: on_device(1))  # within the step

for batch in DataLoader(Slow(), batch_size=1):
    loss = model(batch).sum()
    on_device(3)
    loss.register_hook(lambda gradient: on_device(6))
    loss.backward()
    optimizer.step()
    library.fake_cuda_wait(0)
print(library.fake_cuda_misuse(), library.fake_cuda_last_misuse().decode())
"""


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    """The stand-in: the product's build does not hold it."""
    if os.environ.get("STEPTRACE_FAKE_CUPTI_DIR"):
        return os.path.join(os.environ["STEPTRACE_FAKE_CUPTI_DIR"], "libcuda.so.1")
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler: the stand-in for the driver cannot be built")
    library = tmp_path_factory.mktemp("driver") / "libcuda.so.1"
    source = ROOT / "src" / "testing" / "fake_cupti" / "fake_cuda.cc"
    flags = ["-std=c++20", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread"]
    flags.append("-Wl,-soname,libcuda.so.1")
    subprocess.run([compiler, *flags, "-o", str(library), str(source)], check=True)
    return str(library)


def test_each_step_is_stored_and_reported_as_the_device_had_it(tmp_path, driver):
    script = tmp_path / "train.py"
    script.write_text(TRAINING)
    with OtherWork() as other:
        outcome = record(tmp_path, [sys.executable, str(script), driver, str(STEPS)], "--no-window")
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout.split()[0] == b"0", outcome.stdout
    run = outcome.run
    assert "invalid_records" not in run.causes(), run.causes()
    slices = run.rows("slices")
    told = [row for row in slices if row["category"] == "device_phase"]
    named = {}
    for row in told:
        named.setdefault(row["name"], []).append(row)
    # Where the machine is busy steps are left out for what they seem to cost: never all of them.
    shared = other.shared()
    for name, least_ms in (("forward", 3), ("backward", 6), ("optimizer", 1), ("data", 4)):
        assert len(named[name]) >= (2 if shared else 5), {
            name: len(rows) for name, rows in named.items()
        }
        times = sorted(row["dur_ns"] for row in named[name])
        # The wait that ends the loader brings no batch, and takes no time.
        least = times[1 if name == "data" else 0]
        assert least >= (least_ms - 0.01) * MS, (name, times[:3])
    (track,) = {row["track"] for row in told}
    (line,) = [row for row in run.rows("tracks") if row["track"] == track]
    assert (line["name"], line["kind"]) == ("device phases 0", "thread")
    # The device is never before the host: each phase lies behind the begin of its own on the host.
    host = sorted(
        row["ts_ns"] for row in slices if (row["category"], row["name"]) == ("phase", "backward")
    )
    for row in named["backward"]:
        before = [ts_ns for ts_ns in host if ts_ns <= row["ts_ns"] + 50_000]
        assert before, row
        assert row["ts_ns"] - before[-1] < 10 * 1000 * MS
    report = run.report()
    (row,) = report["device_phases"]["rows"]
    assert row["steps"] >= (1 if shared else 5)
    phases = {phase["name"]: phase for phase in row["phases"]}
    # The device does a part of it when the host's step is over: of the last step that is missing.
    assert phases["backward"]["ns"] > 4 * MS
    assert phases["backward"]["ns"] > phases["forward"]["ns"] > phases["optimizer"]["ns"] > 0
    total = sum(phase["ns"] for phase in row["phases"]) + row["unknown_ns"]
    assert abs(total - row["step_ns"]) <= 10, "to the ns, but for roundings"
    shares = sum(suspect["share"] for suspect in report["suspects"]["rows"])
    assert shares == 1
    hooks = [json.loads(f["json"]) for f in run.rows("run_metadata") if f["kind"] == "hook"]
    assert not [fact for fact in hooks if "device phases" in (fact["reason"] or "")], hooks


# Steps without a loader: what is asked of torch is asked by the probe, on the short way.
ASKED = """
import ctypes, signal, sys, torch
library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
library.fake_cuda_use(0)
torch.cuda.is_initialized = lambda: True
torch._C._cuda_getDevice = lambda: 0
asked = 0

class Alarm(Exception): pass

def ring(number, frame):
    raise Alarm

signal.signal(signal.SIGUSR1, ring)

def stream(device):
    global asked
    asked += 1
    if asked == {at}: {act}
    return 0

torch._C._cuda_getCurrentRawStream = stream
model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
rang = 0
for _ in range(40):
    try:
        model(torch.ones(4)).sum().backward()
        optimizer.step()
    except Alarm:
        rang += 1
print(rang, asked)
"""


@pytest.mark.parametrize("at", range(3, 7))
def test_what_the_scripts_handler_raises_in_a_border_is_the_scripts(tmp_path, driver, at):
    script = tmp_path / "train.py"
    script.write_text(ASKED.format(at=at, act="signal.raise_signal(signal.SIGUSR1)"))
    outcome = record(tmp_path, [sys.executable, str(script), driver], "--no-window")
    assert outcome.status == 0, outcome.stderr
    rang, asked = map(int, outcome.stdout.split())
    assert rang == 1
    assert asked > at, "and borders go on"
    hooks = [json.loads(f["json"]) for f in outcome.run.rows("run_metadata") if f["kind"] == "hook"]
    assert not [fact for fact in hooks if "device phases" in (fact["reason"] or "")], hooks
    assert not {"span_unmatched", "invalid_records"} & set(outcome.run.causes())


def test_an_interrupt_in_a_border_ends_the_script(tmp_path, driver):
    script = tmp_path / "train.py"
    script.write_text(ASKED.format(at=4, act="signal.raise_signal(signal.SIGINT)"))
    outcome = record(tmp_path, [sys.executable, str(script), driver], "--no-window")
    assert outcome.status == -signal.SIGINT, outcome.stderr
    assert b"KeyboardInterrupt" in outcome.stderr


@pytest.mark.parametrize("at", [3, 4])
def test_what_torch_raises_in_a_border_is_the_last_of_them(tmp_path, driver, at):
    script = tmp_path / "train.py"
    script.write_text(ASKED.format(at=at, act="raise RuntimeError('no stream')"))
    outcome = record(tmp_path, [sys.executable, str(script), driver], "--no-window")
    assert outcome.status == 0, outcome.stderr
    assert outcome.stdout.split() == [b"0", str(at).encode()]
    hooks = [json.loads(f["json"]) for f in outcome.run.rows("run_metadata") if f["kind"] == "hook"]
    reasons = [fact["reason"] for fact in hooks if "device phases" in (fact["reason"] or "")]
    assert reasons == ["device phases: RuntimeError: no stream"]
