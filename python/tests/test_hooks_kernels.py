# SPDX-License-Identifier: Apache-2.0
"""Windows of kernels in the training process: when CUPTI is on, who goes first, and when it leaves.
With the fake probe: PyTorch's own side is real, what is recorded is not."""

import pytest
from windowed import PROFILED, UNAVAILABLE, marks, run

CUDA = "torch.cuda.is_initialized = lambda: True\n"


def switches(done):
    """What was turned on and off in the training thread, in order."""
    return [
        f"{record.kind} {record.name}" if record.kind in ("kernels", "operators") else record.name
        for record in done.trainer()
        if record.kind in ("kernels", "operators")
        or record.name in ("window_begin", "window_end", "device_done")
    ]


def test_kernels_go_on_until_all_is_told(tmp_path):
    body = (
        CUDA
        + """
import time
ask(kinds=2, steps=2)
for _ in range(5): step()
time.sleep(0.03)  # a device may be that far behind
for _ in range(3): step()
say()
"""
    )
    done = run(tmp_path, body, FAKE_PROBE_DRAINS="1")
    assert done.said["enabled"] == [], "the thread's profiler is not for this"
    seen = switches(done)
    assert seen[:2] == ["kernels on", "window_begin"]
    assert seen[2:5] == ["kernels off", "kernels drain", "window_end"]
    # At its end the process takes back what it has asked for.
    assert seen[-4:] == ["kernels told", "kernels detach", "device_done", "kernels stay"]
    assert set(seen[5:-4]) == {"kernels drain"}
    (begin,) = [record for record in done.trainer() if record.name == "window_begin"]
    assert begin.b & 0xFFFFFFFF == 2


BEHIND = (
    CUDA
    + """
import time
ask(kinds=2, steps=2)
for _ in range(5): step()
time.sleep({sleep})
for _ in range(6): step()
say()
"""
)


def test_a_device_that_is_behind_is_waited_for(tmp_path):
    done = run(tmp_path, BEHIND.format(sleep=0.03), FAKE_PROBE_PAST="3")
    seen = switches(done)
    # The one at the end, those of five or more boundaries at which it was too early, and the last.
    at = seen.index("kernels told")
    assert seen[2 : at + 1].count("kernels drain") >= 1 + 3 + 1
    assert seen[at + 1 : at + 3] == ["kernels detach", "device_done"]


def test_a_device_that_does_nothing_more_is_not_waited_for(tmp_path):
    done = run(tmp_path, BEHIND.format(sleep=1.1), FAKE_PROBE_PAST="1000000")
    assert "kernels told" in switches(done)
    assert done.said


LEAVING = (
    CUDA
    + """
import time
import torch.cuda.graphs
def window(request=1):
    ask(request=request, kinds=2, steps=2)
    for _ in range(5): step()
    time.sleep(0.03)
    for _ in range(3): step()
"""
)
# As far as a host without a device lets it be called.
GRAPH = """
try: torch.cuda.graphs.CUDAGraph.capture_begin(None)
except Exception: pass
"""


def test_cupti_that_cannot_leave_is_told(tmp_path):
    done = run(tmp_path, LEAVING + "window()\nsay()", FAKE_PROBE_STAYS="another tool")
    (fact,) = [fact for fact in done.facts("hook") if fact["state"] == "limited"]
    assert fact["reason"].startswith("kernels: CUPTI stays in the process")
    assert fact["reason"].endswith("another tool")
    assert fact["cause"] == "cupti_stays"
    assert fact["reason"] == "kernels: " + fact["detail"]


def test_where_there_are_graphs_cupti_stays(tmp_path):
    done = run(tmp_path, LEAVING + GRAPH + "window()\nsay()")
    assert "kernels detach" not in switches(done)
    (fact,) = [fact for fact in done.facts("hook") if fact["state"] == "limited"]
    assert fact["reason"].endswith("there are CUDA graphs")


def test_graphs_that_come_later_keep_cupti_away(tmp_path):
    done = run(tmp_path, LEAVING + "window()\n" + GRAPH + "window(2)\nsay()")
    seen = switches(done)
    assert seen.count("kernels detach") == 1
    assert seen.count("kernels on") == 1
    assert "kernels stay" in seen[seen.index("kernels detach") :]
    reasons = [fact["reason"] for fact in done.facts("hook") if fact["state"] == "unavailable"]
    assert reasons == ["kernels: CUDA graphs were captured since CUPTI has left the process"]


def test_a_capture_of_a_graph_does_not_wait_for_a_profiler_that_begins(tmp_path):
    taken = """
import sys
asked = []
class Turn:
    def acquire(self, *arguments, **words):
        asked.append(words)
        return False
    release = None
profilers = sys.modules["_steptrace_hooks.profilers"]
turn, profilers.turn = profilers.turn, Turn()
"""
    given = "profilers.turn = turn\n"
    body = LEAVING + "window()\n" + taken + GRAPH + given + "window(2)\nsay(asked=asked)"
    done = run(tmp_path, body)
    assert done.said["asked"] == []
    seen = switches(done)
    assert "kernels stay" in seen[seen.index("kernels detach") :]
    assert seen.count("kernels on") == 1, "graphs keep CUPTI away"


def test_unseen_graphs_keep_cupti_in_the_process(tmp_path):
    body = LEAVING.replace("import torch.cuda.graphs\n", "")
    body += (
        "import sys\nsys.modules['_steptrace_hooks.kernels'].watch_graphs(False)\nwindow()\nsay()"
    )
    assert "kernels detach" not in switches(run(tmp_path, body))


def test_without_kernels_the_window_has_the_operators(tmp_path):
    body = CUDA + "ask(kinds=3, steps=2)\nfor _ in range(6): step()\nsay()"
    done = run(tmp_path, body, FAKE_PROBE_KERNELS="no CUDA driver")
    assert done.said["enabled"] == [2, 3]
    (begin,) = [record for record in done.trainer() if record.name == "window_begin"]
    assert begin.b & 0xFFFFFFFF == 1, "what is on, not what was asked for"
    (fact,) = [fact for fact in done.facts("hook") if fact["state"] == "unavailable"]
    assert fact["reason"] == "kernels: no CUDA driver"
    assert "cause" not in fact


def test_cupti_that_another_tool_has_is_told_by_its_cause(tmp_path):
    body = CUDA + "ask(kinds=2, steps=2)\nfor _ in range(6): step()\nsay()"
    done = run(tmp_path, body, FAKE_PROBE_KERNELS="CUPTI is taken: by a profiler")
    (fact,) = [fact for fact in done.facts("hook") if fact["state"] == "unavailable"]
    assert (fact["cause"], fact["detail"]) == ("cupti_taken", "CUPTI is taken: by a profiler")
    assert fact["reason"] == "kernels: CUPTI is taken: by a profiler"


def test_without_cuda_there_are_no_kernels(tmp_path):
    done = run(tmp_path, "ask(kinds=2, steps=2)\nfor _ in range(6): step()\nsay()")
    assert marks(done) == [f"end 1 0 {UNAVAILABLE}"]
    assert "kernels on" not in switches(done)
    (fact,) = [fact for fact in done.facts("hook") if fact["state"] == "unavailable"]
    assert "CUDA is not initialized" in fact["reason"]


def test_kernels_are_off_and_told_before_the_scripts_profiler_begins(tmp_path):
    body = CUDA + PROFILED.replace("ask(", "ask(kinds=3, ")
    done = run(tmp_path, body)
    seen = switches(done)
    aside = seen.index("device_done")
    first = ["kernels on", "window_begin", "operators on", "operators off", "kernels off"]
    assert seen[: aside + 1] == [
        *first,
        "kernels drain",
        "window_end",
        "kernels told",
        "device_done",
    ]
    assert "kernels on" in seen[aside:], "and on again after it"


def test_a_profiler_in_another_thread_has_cupti_too(tmp_path):
    body = (
        CUDA
        + """
import threading
from torch.profiler import profile, ProfilerActivity
def theirs():
    with profile(activities=[ProfilerActivity.CPU]):
        pass
ask(kinds=3, steps=50)
for _ in range(4): step()
thread = threading.Thread(target=theirs)
thread.start()
thread.join()
for _ in range(2): step()
say()
"""
    )
    done = run(tmp_path, body)
    kernels = [record.name for record in done.records if record.kind == "kernels"]
    assert kernels == ["on", "off", "drain", "told"]
    assert done.said["left"] is True, "operators are of the thread that trains"


def test_a_script_that_ends_in_a_window_tells_its_kernels(tmp_path):
    body = CUDA + "ask(kinds=2, steps=50)\nfor _ in range(5): step()\nsay()"
    done = run(tmp_path, body)
    kernels = [record.name for record in done.records if record.kind == "kernels"]
    assert kernels == ["on", "off", "drain", "told"]


def test_a_child_forked_in_a_window_leaves_cupti_alone(tmp_path):
    body = (
        CUDA
        + """
ask(kinds=2, steps=50)
for _ in range(4): step()
pid = os.fork()
if pid == 0:
    step()
    sys.exit(0)
say(child=os.waitpid(pid, 0)[1])
"""
    )
    done = run(tmp_path, body)
    assert done.said["child"] == 0
    pids = {record.pid for record in done.records if record.kind == "kernels"}
    assert len(pids) == 1


NOBODY, KINETO, MONITOR, OTHER_MODULE = range(4)
# PyTorch from 2.14 on has a monitor, which needs cupti-python.
WITH_MONITOR = """
folder = os.path.join(os.path.dirname(os.environ["FAKE_PROBE_DIR"]), "site")
os.makedirs(os.path.join(folder, "_cupti"))
open(os.path.join(folder, "_cupti", "monitor.py"), "w").close()
import torch.profiler
torch.profiler.__file__ = os.path.join(folder, "__init__.py")
"""
WITH_CUPTI_PYTHON = """
open(os.path.join(folder, "cupti.py"), "w").close()
sys.path.append(folder)
"""
PROFILE = """
with torch.autograd.profiler.profile(): pass
"""
LOAD = """
import types
sys.modules[{name!r}] = types.ModuleType({name!r})
"""


@pytest.mark.parametrize(
    ("before", "variables", "known"),
    [
        ("", {}, NOBODY),
        (PROFILE, {}, KINETO),
        ("", {"KINETO_USE_DAEMON": "1"}, KINETO),
        (WITH_MONITOR, {}, NOBODY),
        (WITH_MONITOR + WITH_CUPTI_PYTHON + PROFILE, {}, MONITOR),
        (LOAD.format(name="torch.profiler._cupti.monitor"), {}, OTHER_MODULE),
        (LOAD.format(name="cupti"), {}, OTHER_MODULE),
        (LOAD.format(name="nvrx_cupti_module"), {}, OTHER_MODULE),
    ],
)
def test_what_modules_show_of_other_users_of_cupti_reaches_the_probe(
    tmp_path, before, variables, known
):
    body = CUDA + before + "\nask(kinds=2, steps=2)\nfor _ in range(6): step()\nsay()"
    done = run(tmp_path, body, **variables)
    (begin,) = [
        record for record in done.records if (record.kind, record.name) == ("kernels", "on")
    ]
    assert begin.a == known
    assert done.said


def test_looking_for_other_users_loads_nothing(tmp_path):
    body = (
        CUDA
        + WITH_MONITOR
        + WITH_CUPTI_PYTHON
        + """
ask(kinds=2, steps=2)
for _ in range(6): step()
say(loaded=[name for name in sys.modules if name.split(".")[0] == "cupti" or "_cupti." in name])
"""
    )
    assert run(tmp_path, body).said["loaded"] == []


def test_cupti_stays_where_another_user_came_in_the_window(tmp_path):
    body = LEAVING.replace("for _ in range(5): step()", "for _ in range(5): step()\n    LOADED")
    body = body.replace("LOADED", "sys.modules['cupti'] = sys")
    done = run(tmp_path, body + "window()\nsay()")
    assert "kernels on" in switches(done)
    assert "kernels detach" not in switches(done)
    (fact,) = [fact for fact in done.facts("hook") if fact["state"] == "limited"]
    assert fact["reason"].endswith("another tool that uses it is loaded")
