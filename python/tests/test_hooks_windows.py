# SPDX-License-Identifier: Apache-2.0
"""Windows of operators in the training process: where they begin and end, who goes first, and what
fails alone. With the fake probe: PyTorch's own side is real, what is recorded is not."""

import json

import pytest
from windowed import (
    ASIDE,
    DONE,
    FAILED,
    FULL,
    MISSED,
    PROFILED,
    REPLACED,
    UNAVAILABLE,
    marks,
    run,
)


def test_without_a_request_nothing_is_on(tmp_path):
    done = run(tmp_path, "for _ in range(6): step()\nsay()")
    assert done.said == {"enabled": [], "left": False, "flag": False}
    assert marks(done) == []
    assert not [record for record in done.records if record.kind == "operators"]


@pytest.mark.parametrize(
    ("word", "on", "end"),
    [
        pytest.param("steps=3", [2, 3, 4], f"end 1 3 {DONE}", id="the next three"),
        pytest.param("first_step=4, steps=2", [4, 5], f"end 1 2 {DONE}", id="the fourth and fifth"),
        pytest.param("first_step=1, steps=3", [2, 3], f"end 1 2 {DONE}", id="begun late"),
        pytest.param(
            "steps=100", [2, 3, 4, 5, 6, 7, 8, 9], f"end 1 8 {DONE}", id="longer than the run"
        ),
        pytest.param("until_ns=1", [], f"end 1 0 {MISSED}", id="its time is over"),
        pytest.param("steps=5, max_operators=1", [2], f"end 1 1 {FULL}", id="full after a step"),
        pytest.param(
            "steps=5, max_operators=8", [2], f"end 1 1 {FULL}", id="a second step would be too much"
        ),
        pytest.param(
            "steps=9, enough_operators=1", [2, 3, 4], f"end 1 3 {FULL}", id="enough in three steps"
        ),
    ],
)
def test_a_window_is_of_whole_steps(tmp_path, word, on, end):
    body = f"ask({word})\nfor _ in range(10): step()\nsay()"
    done = run(tmp_path, body, FAKE_PROBE_OPERATORS="7")
    assert done.said["enabled"] == on
    assert done.said["flag"] is False, "what the script can see of profilers stays as it is"
    begins = ["begin 1"] if on else []
    assert marks(done) == begins + ([end] if end else [])
    switches = [record.name for record in done.trainer() if record.kind == "operators"]
    assert switches == (["on", "off"] if on else []), "off with the process at the latest"


@pytest.mark.parametrize("where", ["here", "in a thread"])
def test_a_process_that_ends_in_a_window_prints_nothing_of_it(tmp_path, where):
    """torch warns of a profiler that stays ("Leaked callback handle")."""
    body = f"""
import threading
ask(steps=50)
def train():
    for _ in range(4): step()
    say()
if {where!r} == "here": train()
else:
    thread = threading.Thread(target=train)
    thread.start()
    thread.join()
"""
    done = run(tmp_path, body)
    assert done.said["left"] is True
    assert done.stderr == ""


def test_a_duration_counts_from_the_begin(tmp_path):
    """However long the training needed until then; a window that the profiler interrupts has it once."""
    body = """
import time
ask(dur_ns=300_000_000)
time.sleep(0.4)
for _ in range(10):
    step()
    time.sleep(0.1)
say()
"""
    done = run(tmp_path, body)
    [begin, end] = marks(done)
    steps = int(end.split()[2])
    assert begin == "begin 1"
    assert end == f"end 1 {steps} {DONE}"
    assert 1 <= steps <= 3
    assert done.said["enabled"] == list(range(2, 2 + steps))


def test_begin_names_its_first_step(tmp_path):
    body = """
ask(first_step=4, steps=2, next=[6, 1, 1])
for _ in range(12): step()
say()
"""
    done = run(tmp_path, body)
    told = [record.b for record in done.trainer() if record.name == "window_begin"]
    assert [(b & 0xFFFFFFFF, b >> 32) for b in told] == [(1, 4), (1, 6)]


def test_begin_lies_in_the_step_before_and_end_in_the_step_after(tmp_path):
    done = run(tmp_path, "ask(steps=1)\nfor _ in range(5): step()\nsay()")
    order = [
        record.name if record.kind in ("instant", "operators") else record.kind
        for record in done.trainer()
        if record.name in ("optimizer", "window_begin", "window_end", "on", "off")
    ]
    step = ["begin", "end"]
    before = ["begin", "window_begin", "on", "end"]
    last = ["begin", "end", "off", "window_end"]
    assert order == [*step, *before, *last, *step, *step]


def test_a_group_of_optimizers_is_one_step(tmp_path):
    body = """
other = torch.optim.SGD(model.parameters(), lr=0.01)
def group():
    step()
    other.step()
ask(first_step=3, steps=2)
for _ in range(7): group()
say()
"""
    done = run(tmp_path, body)
    assert done.said["enabled"] == [3, 4]


def test_another_request_takes_the_place(tmp_path):
    body = """
ask(steps=50)
for _ in range(4): step()
ask(request=2, steps=2)
for _ in range(6): step()
ask(request=3, kinds=0)
step()
say()
"""
    done = run(tmp_path, body)
    assert marks(done) == ["begin 1", f"end 1 2 {REPLACED}", "begin 2", f"end 2 2 {DONE}"]
    assert done.said["left"] is False


def test_the_scripts_profiler_goes_first_and_ours_goes_on_after(tmp_path):
    done = run(tmp_path, PROFILED)
    assert done.said["events"] > 10
    assert marks(done) == [
        "begin 1",
        f"end 1 2 {ASIDE}",  # 2 and 3
        "begin 1",
        f"end 1 3 {DONE}",  # and 7
    ]
    assert done.said["enabled"] == [2, 3, 4, 5, 7]  # 4 and 5 are theirs; 6 began before ours


def test_a_window_waits_for_the_scripts_profiler(tmp_path):
    body = """
from torch.profiler import profile, ProfilerActivity
with profile(activities=[ProfilerActivity.CPU]) as theirs:
    ask(steps=2)
    for _ in range(4): step()
for _ in range(6): step()
say(events=len(theirs.events()))
"""
    done = run(tmp_path, body)
    assert done.said["events"] > 10
    assert marks(done) == ["begin 1", f"end 1 2 {DONE}"]
    assert done.said["enabled"] == [0, 1, 2, 3, 5, 6]


@pytest.mark.parametrize(
    "theirs",
    [
        "profiler.profile(use_kineto=True)",
        "profiler.emit_itt()",
        "torch.profiler.profile(schedule=torch.profiler.schedule(wait=1, warmup=1, active=1))",
    ],
)
def test_every_profiler_of_the_scripts_can_begin_in_a_window(tmp_path, theirs):
    body = f"""
ask(steps=50)
for _ in range(4): step()
with {theirs} as theirs:
    for _ in range(4):
        step()
        getattr(theirs, "step", lambda: None)()
for _ in range(3): step()
say()
"""
    done = run(tmp_path, body)
    assert marks(done)[0] == "begin 1"
    assert f" {FAILED}" not in " ".join(marks(done))
    assert done.said["enabled"][-1] == 10, "ours again"


def test_a_window_that_ended_elsewhere_is_no_hindrance(tmp_path):
    """Steps go on in another thread: ours cannot be taken off in the first, until it is in the way."""
    body = """
import threading
from torch.profiler import profile, ProfilerActivity
begun, ended = threading.Event(), threading.Event()
theirs = []
def first():
    for _ in range(4): step()
    begun.set()
    ended.wait()
    for _ in range(2):
        with profile(activities=[ProfilerActivity.CPU]) as profiled: torch.ones(2).sum()
        theirs.append(len(profiled.events()))
ask(steps=50)
thread = threading.Thread(target=first)
thread.start()
begun.wait()
ask(request=2, kinds=0)
step()
ended.set()
thread.join()
say(theirs=theirs)
"""
    done = run(tmp_path, body)
    assert marks(done) == ["begin 1"]
    assert [r.b >> 32 for r in done.records if r.name == "window_end"] == [REPLACED]
    assert len(done.said["theirs"]) == 2 and min(done.said["theirs"]) > 0


@pytest.mark.parametrize(
    ("word", "most"),
    [pytest.param("steps=5", 1 << 20, id="any"), pytest.param("steps=5, max_operators=9", 9)],
)
def test_a_step_that_was_too_long_for_the_window_ends_it(tmp_path, word, most):
    body = f"ask({word})\nfor _ in range(8): step()\nsay()"
    done = run(tmp_path, body, FAKE_PROBE_LEFT_OUT="3")
    bounds = [record.a for record in done.trainer() if record.kind == "operators_step"]
    assert bounds == [most]
    assert marks(done) == ["begin 1", f"end 1 0 {FULL}"]
    assert done.said["left"] is False


def test_a_step_without_room_in_the_ring_is_left_out_as_a_whole_where_parts_tell_nothing(tmp_path):
    body = "ask(steps=9, enough_operators=1)\nfor _ in range(10): step()\nsay()"
    done = run(tmp_path, body, FAKE_PROBE_OPERATORS="7", FAKE_PROBE_FIT="1001")
    most = 1 << 20
    bounds = [record.a for record in done.trainer() if record.kind == "operators_step"]
    assert bounds == [most, 0, 0, most, most, most]
    assert done.said["enabled"] == [2, 3, 4, 5, 6]
    assert marks(done) == ["begin 1", f"end 1 3 {FULL}"], "3 and 4 are not counted"


def test_a_reader_that_is_late_all_the_time_is_not_waited_for(tmp_path):
    body = "ask(steps=40, enough_operators=1)\nfor _ in range(14): step()\nsay()"
    done = run(tmp_path, body, FAKE_PROBE_OPERATORS="7", FAKE_PROBE_FIT="0")
    bounds = [record.a for record in done.trainer() if record.kind == "operators_step"]
    assert bounds[:10] == [0] * 8 + [1 << 20, 0]


def test_a_step_that_lost_records_is_none_of_those_that_split(tmp_path):
    body = "ask(steps=9, enough_operators=1)\nfor _ in range(10): step()\nsay()"
    done = run(tmp_path, body, FAKE_PROBE_OPERATORS="7", FAKE_PROBE_LOST="01")
    assert done.said["enabled"] == [2, 3, 4, 5]
    assert marks(done) == ["begin 1", f"end 1 3 {FULL}"]


def test_a_window_that_was_asked_for_has_all_that_there_is_room_for(tmp_path):
    body = "ask(steps=3)\nfor _ in range(8): step()\nsay()"
    done = run(tmp_path, body, FAKE_PROBE_FIT="0", FAKE_PROBE_LOST="1111")
    assert not [record for record in done.records if record.kind == "operators_fit"]
    assert marks(done) == ["begin 1", f"end 1 3 {DONE}"]


def test_a_child_forked_in_a_window_has_no_profiler(tmp_path):
    body = """
ask(steps=50)
for _ in range(4): step()
pid = os.fork()
if pid == 0:
    os._exit(7 if _profiler_enabled() else 0)
say(child=os.waitpid(pid, 0)[1])
"""
    done = run(tmp_path, body)
    assert done.said["child"] == 0
    assert done.said["left"] is True


@pytest.mark.parametrize("before", ["", "ask(first_step=99, steps=1)"])
def test_a_forked_child_counts_its_own_steps(tmp_path, before):
    """As the agent does, to which it is another process (src/agent/capture/hook_boundaries.h)."""
    body = f"""
{before}
for _ in range(9): step()
pid = os.fork()
if pid == 0:
    del enabled[:]
    ask(request=2, first_step=4, steps=2)
    for _ in range(8): step()
    os._exit([i for i, on in enumerate(enabled) if on] != [4, 5])
say(child=os.waitpid(pid, 0)[1])
"""
    assert run(tmp_path, body).said["child"] == 0


def test_another_tools_collector_is_left_alone(tmp_path):
    body = "ask(steps=3)\nfor _ in range(5): step()\nsay()"
    done = run(tmp_path, body, INTEL_LIBITTNOTIFY64="/opt/theirs.so")
    assert done.said["enabled"] == []
    assert marks(done) == [f"end 1 0 {UNAVAILABLE}"]
    (fact,) = [fact for fact in done.facts("hook") if fact["state"] == "unavailable"]
    assert "another tool" in fact["reason"]


def test_a_build_without_itt_says_so(tmp_path):
    body = """
torch.profiler.itt.is_available = lambda: False
ask(steps=3)
for _ in range(5): step()
say()
"""
    done = run(tmp_path, body)
    assert marks(done) == [f"end 1 0 {UNAVAILABLE}"]
    (fact,) = [fact for fact in done.facts("hook") if fact["state"] == "unavailable"]
    assert "has no ITT" in fact["reason"]


def test_a_capture_that_cannot_begin_is_off_and_the_steps_go_on(tmp_path):
    body = """
def refuse(*args): raise RuntimeError("refused")
profiler._enable_profiler = refuse
ask(steps=3)
for _ in range(5): step()
ask(request=2, steps=3)
for _ in range(5): step()
say()
"""
    done = run(tmp_path, body)
    assert marks(done) == ["begin 1", f"end 1 0 {FAILED}"]
    (fact,) = [fact for fact in done.facts("hook") if fact["state"] == "failed"]
    assert "refused" in fact["reason"]
    assert len([r for r in done.trainer() if r.name == "optimizer" and r.kind == "end"]) == 10


def test_a_capture_that_cannot_end_is_off_and_the_steps_go_on(tmp_path):
    body = """
def refuse(*args): raise RuntimeError("refused")
torch.autograd._disable_profiler = refuse
ask(steps=2)
for _ in range(8): step()
say()
"""
    done = run(tmp_path, body)
    assert marks(done) == ["begin 1", f"end 1 2 {DONE}"]
    assert len(done.failed_hooks()) == 1
    assert [r.name for r in done.trainer() if r.kind == "operators"] == ["on", "off"]
    assert len([r for r in done.trainer() if r.name == "optimizer" and r.kind == "end"]) == 8


def test_what_the_script_raises_in_a_step_is_its_own(tmp_path):
    # The alarm raises in the hooks' frames and in the script's, never in torch's: there it may leave
    # torch without gradients, or be told by torch itself as a module that does not load.
    body = """
import signal
class Alarm(Exception): pass
raised = 0
def ring(_, frame):
    global raised
    ours = "_hooks" in frame.f_code.co_filename
    if ours or frame.f_code.co_name == "step":
        signal.setitimer(signal.ITIMER_REAL, 0)
        raised += ours
        raise Alarm
signal.signal(signal.SIGALRM, ring)
ask(steps=10)
for _ in range(300):
    try:  # around the timer too: on a busy machine it rings before it has returned
        signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.00005)
        step()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Alarm:
        pass
say(raised=raised)
"""
    done = run(tmp_path, body)
    assert done.said["raised"] > 0
    assert not done.failed_hooks()


def test_request_words_are_parsed(tmp_path):
    """The hook is a word of STEPTRACE_HOOKS; without it no window of operators."""
    body = "ask(steps=3)\nfor _ in range(5): step()\nsay()"
    done = run(tmp_path, body, STEPTRACE_HOOKS="optimizer")
    assert marks(done) == [f"end 1 0 {UNAVAILABLE}"]
    assert json.dumps(done.facts("hook")).count("its hook is off") == 1
