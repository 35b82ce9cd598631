# SPDX-License-Identifier: Apache-2.0
"""Profiles by Kineto in a window: what a trace holds, who goes first, and what the script keeps.
With the fake probe: PyTorch's own side is real."""

import collections
import json

import hooked
from windowed import ASIDE, DONE, FAILED, FULL, LOOP, UNAVAILABLE, marks

PROFILE, STACKS, SHAPES, MEMORY = 4, 1 << 16, 1 << 17, 1 << 18


def run(tmp_path, body, folder=None):
    script = tmp_path / "script.py"
    script.write_text(LOOP + body)
    folder = folder or tmp_path / "run"
    folder.mkdir(exist_ok=True)
    done = hooked.run(tmp_path / "ring", script, STEPTRACE_RUN_DIR=str(folder))
    return done.check(), traces(folder)


def traces(folder):
    """Events of each trace, by its number."""
    files = sorted((folder / "profiles").glob("*"), key=lambda file: file.name.split("-")[1])
    assert all(file.suffix == ".json" for file in files), files
    return [json.loads(file.read_text())["traceEvents"] for file in files]


def counts(events):
    return collections.Counter(event["name"] for event in events if event.get("cat") == "cpu_op")


def steps_of(events):
    return len([e for e in events if e.get("name") == "Optimizer.step#SGD.step"])


def test_a_profile_holds_whole_steps_and_what_was_asked_for(tmp_path):
    body = f"""
ask(kinds={PROFILE | STACKS | SHAPES | MEMORY}, first_step=3, steps=3)
for _ in range(8): step()
ask(request=2, kinds={PROFILE}, steps=2)
for _ in range(5): step()
say(profile=sys.getprofile() is None)
"""
    done, (rich, plain) = run(tmp_path, body)
    assert marks(done) == ["begin 1", f"end 1 3 {DONE}", "begin 2", f"end 2 2 {DONE}"]
    assert done.said["enabled"] == [3, 4, 5, 9, 10]
    assert done.said["flag"] is False
    assert done.said["profile"] is True
    # A guest prints nothing. With allocations PyTorch itself warns of older blocks.
    printed = [line for line in done.stderr.splitlines() if "CPUAllocator" not in line]
    assert printed == []
    assert steps_of(rich) == 3
    assert counts(rich)["aten::linear"] == 3
    linear = [e for e in rich if e["name"] == "aten::linear"]
    assert linear[0]["args"]["Input Dims"][:2] == [[2, 4], [1, 4]]
    assert any(e.get("cat") == "python_function" and "script.py" in e["name"] for e in rich)
    assert any(e["name"] == "[memory]" for e in rich)
    assert counts(plain)["aten::linear"] == 2
    assert not any(e.get("cat") == "python_function" or e["name"] == "[memory]" for e in plain)
    assert not any("Input Dims" in e.get("args", {}) for e in plain)


def test_a_profile_that_cannot_begin_leaves_nothing_behind(tmp_path):
    body = f"""
from steptrace._hooks import profilers
from torch.autograd import profiler
real = profiler._enable_profiler
def refuses(*_):
    raise RuntimeError("no profiler today")
profiler._enable_profiler = refuses
ask(kinds={PROFILE}, steps=2)
for _ in range(4): step()
remembered = len(profilers._on)
profiler._enable_profiler = real
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as theirs: step()
say(remembered=remembered, theirs=len([e for e in theirs.events() if e.name == "aten::linear"]))
"""
    done, written = run(tmp_path, body)
    assert done.said["remembered"] == 0
    assert done.said["theirs"] == 1, "the script's own profiler works after it"
    assert written == []
    assert marks(done) == ["begin 1", f"end 1 0 {FAILED}"]


def test_the_scripts_profiler_goes_first_and_ours_goes_on_after(tmp_path):
    body = f"""
from torch.profiler import profile, ProfilerActivity
ask(kinds={PROFILE}, first_step=2, steps=6)
for _ in range(4): step()
with profile(activities=[ProfilerActivity.CPU]) as theirs:
    step(); step()
for _ in range(4): step()
say(theirs=len([e for e in theirs.events() if e.name == "aten::linear"]))
"""
    done, (before, after) = run(tmp_path, body)
    assert done.said["theirs"] == 2
    assert marks(done) == ["begin 1", f"end 1 2 {ASIDE}", "begin 1", f"end 1 3 {DONE}"]
    assert (counts(before)["aten::linear"], counts(after)["aten::linear"]) == (2, 1)


def test_a_run_that_ends_in_a_window_has_the_steps_until_then(tmp_path):
    body = f"ask(kinds={PROFILE}, steps=50)\nfor _ in range(6): step()\nsay()"
    done, (trace,) = run(tmp_path, body)
    assert marks(done) == ["begin 1", f"end 1 4 {DONE}"]
    assert counts(trace)["aten::linear"] == 4
    assert done.stderr == "", "a guest prints nothing"


def test_a_child_forked_in_a_window_has_no_profiler_and_leaves_no_trace(tmp_path):
    body = f"""
ask(kinds={PROFILE | STACKS}, steps=5)
for _ in range(4): step()
pid = os.fork()
if pid == 0:
    os._exit(7 if _profiler_enabled() else 3)
status = os.waitpid(pid, 0)[1]
for _ in range(6): step()
say(child=os.waitstatus_to_exitcode(status), pid=os.getpid())
"""
    done, (trace,) = run(tmp_path, body)
    assert done.said["child"] == 3
    assert counts(trace)["aten::linear"] == 5
    (left,) = [record for record in done.records if record.kind == "exit_plainly"]
    assert left.pid != done.said["pid"], "the child alone"
    (file,) = (tmp_path / "run" / "profiles").iterdir()
    assert file.name.startswith(f"{done.said['pid']}-")


def test_a_profile_is_bounded(tmp_path):
    body = f"""
ask(kinds={PROFILE}, steps=100000)
for _ in range(120): step()
say()
"""
    done, (trace,) = run(tmp_path, body)
    assert marks(done) == ["begin 1", f"end 1 100 {FULL}"]
    assert counts(trace)["aten::linear"] == 100


def test_a_tracer_of_the_scripts_keeps_its_place(tmp_path):
    body = f"""
ask(kinds={PROFILE | STACKS}, steps=2)
calls = []
def tracer(frame, event, arg):
    if event == "call" and frame.f_code is step.__code__:
        calls.append(event)
sys.setprofile(tracer)
for _ in range(8): step()
still = sys.getprofile() is tracer
sys.setprofile(None)
say(still=still, calls=len(calls))
"""
    done, (trace,) = run(tmp_path, body)
    assert done.said["still"] is True
    assert done.said["calls"] == 8
    assert counts(trace)["aten::linear"] == 2
    assert not any(e.get("cat") == "python_function" for e in trace)
    assert "no stacks" in json.dumps(done.facts("hook"))


def test_a_folder_that_takes_nothing_costs_the_profile_alone(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(LOOP + f"ask(kinds={PROFILE}, steps=2)\nfor _ in range(9): step()\nsay()")
    done = hooked.run(tmp_path / "ring", script, STEPTRACE_RUN_DIR="/nonexistent").check()
    assert marks(done) == [f"end 1 0 {UNAVAILABLE}"]
    assert "cannot write there" in json.dumps(done.facts("hook"))
    assert len([r for r in done.trainer() if r.name == "optimizer" and r.kind == "end"]) == 9
