# SPDX-License-Identifier: Apache-2.0
"""Windows of kernels on real trainings, with a stand-in for CUPTI and the device under it: what is
stored, what the report makes of it, and who goes first."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest
from fault_tools import LIMIT_S, ROOT, record

FAKES = ROOT / "src" / "testing" / "fake_cupti"
NEWER = "libcupti.so.13"  # in which subscribers have calls of their own

# A training whose model is five kernels a step on two streams, between a copy to the device and one
# back. The script waits for the device once a step.
TRAINING = """
import ctypes, os, sys, time, torch
folder, steps = sys.argv[1], int(sys.argv[2])
for name in ("libcuda.so.1", "libcupti.so.12"):
    library = ctypes.CDLL(os.path.join(folder, name), mode=ctypes.RTLD_GLOBAL)
launch, copy, synchronize = library.fake_launch, library.fake_copy, library.fake_synchronize
launch.argtypes = [ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_int32,
                   ctypes.c_int32, ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint64]
copy.argtypes = [ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint8, ctypes.c_uint64, ctypes.c_uint64]
copy.restype = launch.restype = ctypes.c_uint32

class Properties:
    name, total_memory, major, minor, multi_processor_count = "Fake H1", 1 << 34, 9, 0, 64

torch.cuda.is_initialized = lambda: True
torch.cuda.current_device = lambda: 0
torch.cuda.get_device_properties = lambda index: Properties

model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
US = 1000

def kernel(name, stream, us, blocks=128):
    launch(name.encode(), 0, stream, blocks, 256, us * US, 0, 0)

def step():
    copy(0, 7, 1, 1 << 20, 100 * US)
    kernel("_Z7forwardPf", 7, 500)
    kernel("_Z7forwardPf", 7, 500)
    loss = model(torch.ones(2, 4)).sum()
    kernel("_Z8backwardPf", 7, 1500)
    kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 8, 400)
    loss.backward()
    kernel("_Z4adamPf", 7, 300, blocks=32)
    optimizer.step()
    optimizer.zero_grad()
    copy(0, 7, 2, 4, 10 * US)
    synchronize(7)
    time.sleep(0.001)
"""
LOOP = """
for number in range(steps):
    step()
"""


@pytest.fixture(scope="session")
def fakes(tmp_path_factory):
    """The folder of the stand-ins: the product's build does not hold them."""
    if os.environ.get("STEPTRACE_FAKE_CUPTI_DIR"):
        return pathlib.Path(os.environ["STEPTRACE_FAKE_CUPTI_DIR"])
    compiler = shutil.which("g++") or shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler: the stand-in for CUPTI cannot be built")
    folder = tmp_path_factory.mktemp("fakes")
    flags = ["-std=c++20", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-pthread"]
    driver, newer = FAKES / "fake_cuda.cc", FAKES / "fake_subscribers_calls.cc"
    cupti = sorted(set(FAKES.glob("*.cc")) - {driver, newer})
    for library, sources, defined in (
        ("libcupti.so.12", cupti, []),
        (NEWER, [*cupti, newer], ["-DFAKE_CUPTI_13"]),
        ("libcuda.so.1", [driver], []),
    ):
        subprocess.run(
            [compiler, *flags, *defined, f"-I{ROOT / 'src'}", f"-Wl,-soname,{library}"]
            + ["-o", str(folder / library), *map(str, sources)],
            check=True,
        )
    return folder


def training(folder, fakes, steps, loop=LOOP, before="", cupti="libcupti.so.12"):
    path = pathlib.Path(folder) / "train.py"
    path.write_text(before + TRAINING.replace("libcupti.so.12", cupti) + loop)
    return [sys.executable, str(path), str(fakes), str(steps)]


def windowed(tmp_path, fakes, *options, steps=60, **more):
    outcome = record(
        tmp_path, training(tmp_path, fakes, steps, **more), "--window", "20:10", *options
    )
    assert outcome.status == 0, outcome.stderr
    return outcome.run


def of(rows, *categories):
    return [row for row in rows if row["category"] in categories]


def in_steps(run, first=20, count=10):
    """The stretch of those steps."""
    steps = [row for row in run.rows("steps") if first <= row["step"] < first + count]
    assert len(steps) == count
    return steps[0]["ts_ns"], steps[-1]["ts_ns"] + steps[-1]["dur_ns"]


def stretch(row):
    return row["ts_ns"], row["ts_ns"] + row["dur_ns"]


def time_by_first(kinds, windows):
    """Nanoseconds of `windows` by the first of `kinds` that covers them: {name: stretches}."""

    def covers(times, begin, end):
        return any(b <= begin and end <= e for b, e in times)

    borders = sorted({ns for times in (*kinds.values(), windows) for time in times for ns in time})
    took = dict.fromkeys(kinds, 0)
    for begin, end in zip(borders, borders[1:]):
        if covers(windows, begin, end):
            first = (name for name, times in kinds.items() if covers(times, begin, end))
            if name := next(first, None):
                took[name] += end - begin
    return took


def test_each_kernel_of_the_window_is_a_row_and_the_report_is_exact(tmp_path, fakes):
    run = windowed(tmp_path, fakes, "--capture", "kernels")
    causes = run.causes()
    assert not {"ring_full", "invalid_records", "window"} & set(causes), causes
    assert not [cause for cause in causes if cause.startswith(("cupti", "device"))], causes
    rows = run.rows("slices")
    launches = of(rows, "cuda_runtime")
    by_name = {}
    for row in launches:
        by_name.setdefault(row["name"], []).append(row)
    assert len(by_name["cudaLaunchKernel"]) == 50
    assert len(by_name["cudaMemcpyAsync"]) == 20
    assert len(by_name["cudaStreamSynchronize"]) == 10
    called = {row["correlation"] for row in launches}
    kernels = [row for row in of(rows, "kernel") if row["correlation"] in called]
    assert len(kernels) == 50
    assert {row["dur_ns"] for row in kernels} == {n * 1000 for n in (500, 1500, 400, 300)}
    assert {row["name"] for row in kernels} == {
        "forward(float*)",
        "backward(float*)",
        "adam(float*)",
        "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
    }
    tracks = {row["track"]: row for row in run.rows("tracks")}
    assert {(tracks[row["track"]]["kind"], tracks[row["track"]]["stream"]) for row in kernels} == {
        ("stream", 7),
        ("stream", 8),
    }
    copies = [row for row in of(rows, "gpu_memcpy") if row["correlation"] in called]
    assert sorted({(row["name"], row["bytes"]) for row in copies}) == [
        ("Memcpy DtoH (Device -> Pinned)", 4),
        ("Memcpy HtoD (Pinned -> Device)", 1 << 20),
    ]
    from_ns, to_ns = in_steps(run)
    for row in kernels:  # on the run's clock
        assert from_ns < row["ts_ns"] < to_ns + 10_000_000
    (training_thread,) = {row["track"] for row in launches}
    assert tracks[training_thread]["kind"] == "thread"

    report = run.report()
    (device,) = report["devices"]["rows"]
    assert device["device"] == 0
    listed = {row["name"]: row for row in report["kernels"]["rows"]}
    assert listed["forward(float*)"]["calls"] == 20
    assert listed["forward(float*)"]["total_ns"] == 20 * 500_000
    assert listed["backward(float*)"]["total_ns"] == 10 * 1_500_000
    assert listed["adam(float*)"]["total_ns"] == 10 * 300_000
    assert any("device activity is known for 9 steps" in note["text"] for note in report["notes"])


def test_the_verdict_is_of_what_the_device_did(tmp_path, fakes):
    run = windowed(tmp_path, fakes, "--capture", "kernels")
    report = run.report()
    suspects = {row["name"]: row for row in report["suspects"]["rows"]}
    # Not the first: what the device does in it was launched before the window.
    steps = [row for row in run.rows("steps") if 21 <= row["step"] < 30]
    total = sum(row["dur_ns"] for row in steps)
    assert sum(row["ns"] for row in suspects.values()) == total, "every nanosecond, once"
    # Which kernels lie in these steps is the machine's: the device works on while the next begins.
    rows = [row for row in run.rows("slices") if row["category"] in ("kernel", "gpu_memcpy")]
    parts = ("(float*)", "nccl", "HtoD", "DtoH")
    kinds = {part: [stretch(row) for row in rows if part in row["name"]] for part in parts}
    took = time_by_first(kinds, [stretch(row) for row in steps])
    # Steps that a busy machine makes longer within the window than before look like what CUPTI costs: that is taken
    # off the framework's, and the others are stretched to the same sum.
    stretched = any("what CUPTI adds is taken off" in note["text"] for note in report["notes"])
    for suspect, ns in (
        ("model", took["(float*)"] + took["DtoH"]),
        ("communication", took["nccl"]),
        ("data_pipeline", took["HtoD"]),
    ):
        found = suspects[suspect]["ns"]
        assert found >= ns if stretched else found == ns, (suspect, stretched)
    # 2.8 ms of kernels a step: of the eight that the last one waits for, and of ten at most.
    assert 8 * 2_800_000 <= took["(float*)"] <= 10 * 2_800_000
    assert took["nccl"] < 0.2 * took["(float*)"]


def test_operators_and_kernels_in_one_window(tmp_path, fakes):
    run = windowed(tmp_path, fakes, "--capture", "operators,kernels")
    (window,) = [json.loads(f["json"]) for f in run.rows("run_metadata") if f["kind"] == "window"]
    assert (window["kinds"], window["steps"]) == ("operators,kernels", 10)
    report = run.report()
    assert report["devices"]["rows"]
    assert any(row["name"] == "aten::linear" for row in report["operators"]["rows"])
    assert [row for row in run.rows("steps") if row["operators_ns"] is not None]


PROFILED = """
from torch.profiler import profile, ProfilerActivity
for number in range(25): step()
with profile(activities=[ProfilerActivity.CPU]):
    library.fake_other_begins()
    for number in range(3): step()
    library.fake_other_ends()
for number in range(steps - 28): step()
print("unknown", library.fake_other_unknown_buffers(), "records", library.fake_other_records(),
      "misuse", library.fake_misuse())
"""


def test_the_scripts_profiler_has_cupti_alone(tmp_path, fakes):
    outcome = record(
        tmp_path,
        training(tmp_path, fakes, 60, loop=PROFILED),
        "--window",
        "20:20",
        "--capture",
        "kernels",
    )
    assert outcome.status == 0, outcome.stderr
    # What the other user of CUPTI traced: three steps of five kernels.
    assert b"unknown 0 records 15 misuse 0" in outcome.stdout, outcome.stdout
    (window,) = [
        json.loads(f["json"]) for f in outcome.run.rows("run_metadata") if f["kind"] == "window"
    ]
    assert len(window["stretches"]) == 2
    report = outcome.run.report()
    (note,) = [
        said for one in report["notes"] if "device activity is known" in (said := one["text"])
    ]
    assert "for 14 steps" in note, note  # 21 to 24, and 30 to 39


def test_a_training_too_short_for_the_window_of_kernels_is_told_so(tmp_path, fakes):
    outcome = record(tmp_path, training(tmp_path, fakes, 25), "--capture", "kernels")
    assert outcome.status == 0, outcome.stderr
    (lost,) = [row for row in outcome.run.report()["data_loss"]["rows"] if row["cause"] == "window"]
    assert "--window START:STEPS" in lost["detail"]


LEAVING = (
    LOOP
    + """
library.fake_finalized.restype = library.fake_misuse.restype = ctypes.c_uint64
library.fake_last_misuse.restype = ctypes.c_char_p
print("finalized", library.fake_finalized(), "misuse", library.fake_misuse(),
      library.fake_last_misuse())
"""
)


def test_cupti_leaves_after_each_window_and_nothing_is_mixed_up(tmp_path, fakes):
    windows = ["--window", "20:8", "--window", "45:8", "--capture", "kernels"]
    command = training(tmp_path, fakes, 70, loop=LEAVING)
    outcome = record(tmp_path, command, *windows)
    assert outcome.status == 0, outcome.stderr
    assert b"finalized 2 misuse 0" in outcome.stdout, outcome.stdout
    rows = outcome.run.rows("slices")
    launches = {row["correlation"]: row for row in of(rows, "cuda_runtime")}
    # What begins behind a window is told without its call.
    kernels = [row for row in of(rows, "kernel") if row["correlation"] in launches]
    assert len(kernels) >= 2 * 8 * 5
    waits = [row["ts_ns"] - launches[row["correlation"]]["ts_ns"] for row in kernels]
    # Steps take 4 ms, and the windows lie 100 apart.
    assert min(waits) > -1_000_000 and max(waits) < 50_000_000, "each has its own launch"
    report = outcome.run.report()
    (device,) = report["devices"]["rows"]
    begin, end = in_steps(outcome.run, 45, 8)
    assert device["window"]["span_ns"] < 1.2 * (end - begin), "what lies between is no idle time"
    (note,) = [
        said for one in report["notes"] if "device activity is known" in (said := one["text"])
    ]
    assert "for 14 steps" in note and "of the newest window" in note, note
    assert not [one for one in report["notes"] if "CUPTI stays" in one["text"]]


@pytest.mark.parametrize(
    ("before", "variables", "reason"),
    [
        ("", {"CUDA_INJECTION64_PATH": "/opt/theirs.so"}, "another tool"),
        ("", {"HIDE": "cuda"}, "CUDA is not initialized"),
        ("", {"HIDE": "driver"}, "no CUDA driver"),
        ("", {"HIDE": "cupti"}, "libcupti is not loaded"),
        ("", {"HIDE": "refused"}, "MULTIPLE_SUBSCRIBERS"),
    ],
)
def test_where_kernels_cannot_be_had_it_is_said_and_nothing_else_changes(
    tmp_path, fakes, before, variables, reason
):
    hide = variables.get("HIDE")
    text = TRAINING
    if hide == "cuda":
        text = text.replace("is_initialized = lambda: True", "is_initialized = lambda: False")
    if hide == "refused":
        text += "\nlibrary.fake_refuse(39)\n"
    if hide in ("driver", "cupti"):  # the device is the stand-in's: without it there is none
        text = """
import ctypes, os, sys, time, torch
torch.cuda.is_initialized = lambda: True
torch.cuda.current_device = lambda: 0
model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
steps = int(sys.argv[2])
def step():
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    time.sleep(0.005)
"""
    if hide == "cupti":
        text += "ctypes.CDLL(os.path.join(sys.argv[1], 'libcuda.so.1'))\n"
    path = tmp_path / "train.py"
    path.write_text(text + LOOP)
    command = [sys.executable, str(path), str(fakes), "60"]
    environment = {key: value for key, value in variables.items() if key != "HIDE"}
    outcome = record(
        tmp_path, command, "--window", "20:10", "--capture", "kernels", env=environment
    )
    assert outcome.status == 0, outcome.stderr
    hooks = [json.loads(f["json"]) for f in outcome.run.rows("run_metadata") if f["kind"] == "hook"]
    said = [fact["reason"] for fact in hooks if fact["state"] == "unavailable"]
    if hide == "cupti" and any("libcupti is not loaded" not in text for text in said):
        pytest.skip(f"this PyTorch brings a libcupti of its own: {said}")
    assert any(reason in text for text in said), said
    assert not of(outcome.run.rows("slices"), "kernel", "cuda_runtime")
    assert len(outcome.run.rows("steps")) >= 55


SAY_USERS = """
for name in ("fake_finalized", "fake_misuse", "fake_monitor_records"):
    if hasattr(library, name):
        getattr(library, name).restype = ctypes.c_uint64
        print(name, getattr(library, name)())
"""
# Another user of CUPTI: before the window, in it (of steps 20 to 29), or between two windows.
MONITOR_BEFORE = """
assert library.fake_monitor_begins() == 0
for number in range(steps): step()
assert library.fake_monitor_ends() == 0
"""
MONITOR_WITHIN = """
for number in range(25): step()
library.fake_monitor_begins()  # refused: ours came first
for number in range(steps - 25): step()
"""
OTHER_WITHIN = """
for number in range(25): step()
assert library.fake_other_subscribes(1) == 0
for number in range(steps - 25): step()
"""
OTHER_BEFORE = """
assert library.fake_other_subscribes(1) == 0
for number in range(steps): step()
"""


@pytest.mark.parametrize(
    ("cupti", "loop", "said", "note"),
    [
        (NEWER, MONITOR_BEFORE, "fake_monitor_records 300", "another tool has subscribed to it"),
        (NEWER, MONITOR_WITHIN, "", "CUPTI stays in the process"),
        ("libcupti.so.12", OTHER_BEFORE, "", "another tool has subscribed to it"),
        ("libcupti.so.12", OTHER_WITHIN, "", "another tool has used CUPTI in this process"),
    ],
)
def test_another_user_of_cupti_is_left_alone_and_named(tmp_path, fakes, cupti, loop, said, note):
    command = training(tmp_path, fakes, 60, loop=loop + SAY_USERS, cupti=cupti)
    outcome = record(tmp_path, command, "--window", "20:10", "--capture", "kernels")
    assert outcome.status == 0, outcome.stderr
    for words in ("fake_finalized 0", "fake_misuse 0", said):
        assert words in outcome.stdout.decode(), outcome.stdout
    (lost,) = [
        row for row in outcome.run.report()["data_loss"]["rows"] if row["cause"] == "cupti_taken"
    ]
    assert (lost["table"], lost["count"]) == ("slices", 1)
    assert "another tool uses CUPTI" in lost["detail"]
    assert [one for one in outcome.run.report()["notes"] if note in one["text"]]
    kernels = of(outcome.run.rows("slices"), "kernel")
    assert bool(kernels) == (loop in (MONITOR_WITHIN, OTHER_WITHIN))
    assert len(outcome.run.rows("steps")) >= 55


def test_from_cupti_13_2_on_windows_have_kernels_and_cupti_stays(tmp_path, fakes):
    windows = ["--window", "20:8", "--window", "45:8", "--capture", "kernels"]
    command = training(tmp_path, fakes, 70, loop=LOOP + SAY_USERS, cupti=NEWER)
    outcome = record(tmp_path, command, *windows)
    assert outcome.status == 0, outcome.stderr
    assert b"fake_finalized 0" in outcome.stdout and b"fake_misuse 0" in outcome.stdout
    rows = outcome.run.rows("slices")
    launches = [row for row in of(rows, "cuda_runtime") if row["name"] == "cudaLaunchKernel"]
    assert len(launches) == 2 * 8 * 5
    report = outcome.run.report()
    assert not [
        row for row in report["data_loss"]["rows"] if row["cause"].startswith(("cupti", "window"))
    ]
    assert [
        one for one in report["notes"] if "CUPTI stays" in one["text"] and "13.2" in one["text"]
    ]


def test_a_window_that_the_run_ends_in_has_its_kernels(tmp_path, fakes):
    outcome = record(
        tmp_path,
        training(tmp_path, fakes, 40),
        "--window",
        "30:100",
        "--capture",
        "kernels",
    )
    assert outcome.status == 0, outcome.stderr
    rows = outcome.run.rows("slices")
    launches = [row for row in of(rows, "cuda_runtime") if row["name"] == "cudaLaunchKernel"]
    called = {row["correlation"] for row in launches}
    kernels = [row for row in of(rows, "kernel") if row["correlation"] in called]
    assert len(launches) == len(kernels) >= 45


def test_gpu_check_says_that_there_is_no_gpu():
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "gpu_check")],
        capture_output=True,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == b""
    assert done.stderr.count(b"\n") == 1
    assert b"no GPU" in done.stderr


NCCL_LOOP = """
sys.path.insert(0, {trainings!r})
from stand_in_nccl import Communicator
comm = Communicator(0xABCD, 2, 0)
for number in range(steps):
    handle = comm.enqueue("AllReduce", 1000)
    children = comm.begin(handle, peer=1)
    comm.send(children[-1], 3, 4096)
    comm.finish(children)
    step()
comm.destroy()
"""


def test_steps_of_nccls_proxy_are_told_in_windows_of_kernels(tmp_path, fakes):
    trainings = pathlib.Path(__file__).parent / "trainings"
    loop = NCCL_LOOP.format(trainings=str(trainings))
    run = windowed(tmp_path, fakes, "--capture", "kernels", loop=loop)
    rows = of(run.rows("slices"), "nccl_proxy")
    chunks = [row for row in rows if row["name"].startswith("send step: ")]
    assert len(rows) - len(chunks) == 60, "operations, of the whole run"
    states = [row["name"].removeprefix("send step: ") for row in chunks]
    assert states[:3] == ["device", "peer", "network"]
    begin, end = in_steps(run)
    within = [row for row in chunks if begin <= row["ts_ns"] <= end]
    assert len(within) >= 9 * 3 * 3
    # The calls that the window's borders cut.
    assert len(chunks) <= 11 * 3 * 3
    assert {row["bytes"] for row in chunks if row["name"].endswith("network")} == {4096}
    reduces = {row["sequence"] for row in of(run.rows("slices"), "nccl")}
    assert {row["sequence"] for row in chunks} < reduces
    names = {row["track"]: row["name"] for row in run.rows("tracks")}
    assert {names[row["track"]] for row in chunks} == {"NCCL proxy steps 0x000000000000abcd"}
