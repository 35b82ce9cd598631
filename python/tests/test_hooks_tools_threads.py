# SPDX-License-Identifier: Apache-2.0
"""Tools of the script's that begin beside other threads, where no Python of ours may run."""

import json
import re
import sys
from pathlib import Path

import pytest
from tooled import BASE, PROBE, check_sees_nothing, pythons, recorded, run, torch_site

pytestmark = pytest.mark.skipif(not PROBE.exists(), reason="the probe is not built")


@pytest.fixture()
def site(tmp_path):
    return torch_site(tmp_path)


# The main thread waits, or another does: no Python of ours may run where the tool begins.
BESIDE = {
    "threads' tracer": """
threading.settrace(note); run(use); threading.settrace(None)
""",
    "threads' profiler": """
threading.setprofile(note); run(use); threading.setprofile(None)
""",
    "a thread's tracer": """
def work():
    use(); sys.settrace(note); use(); sys.settrace(None)
run(work)
""",
    "a thread's profiler": """
def work():
    use(); sys.setprofile(note); use(); sys.setprofile(None)
run(work)
""",
    "a thread's cProfile": """
import cProfile
def work():
    p = cProfile.Profile(); p.enable(); use(); p.disable()
    seen.extend(sorted(str(e.code) for e in p.getstats() if not begins(e.code)))
run(work)
""",
    "a thread's import": """
del sys.modules["torch.serialization"]
def work():
    global s
    sys.settrace(note)
    import torch.serialization as s
    use(); sys.settrace(None)
run(work)
""",
    "a thread waits": """
run(lambda: gate.wait(), wait=False)
sys.settrace(note); use(); sys.settrace(None); gate.set()
""",
    "all threads": """
if sys.version_info >= (3, 12):
    def work():
        gate.wait(); use()
    t = run(work, wait=False)
    threading.setprofile_all_threads(note); gate.set(); t.join(); threading.setprofile_all_threads(None)
else:
    threading.setprofile(note); run(use); threading.setprofile(None)
""",
    "a thread's monitoring": """
def work():
    m = sys.monitoring
    m.use_tool_id(3, "mine")
    m.register_callback(3, m.events.PY_START, lambda code, offset: begins(code) or seen.append(str(code)))
    m.set_events(3, m.events.PY_START); use(); m.set_events(3, 0)
    m.free_tool_id(3)
if sys.version_info >= (3, 12): run(work)
""",
}

THREADS = """
def begins(code):  # the main thread, which sys.monitoring sees too, begins to wait meanwhile
    return isinstance(code, str) or code.co_filename == threading.__file__
gate = threading.Event()
def run(work, wait=True):
    t = threading.Thread(target=work, daemon=True); t.start()
    if wait: t.join()
    return t
"""

# A thread that has ended with its tool on is noticed at the next event but some time.
NOTICED = "\nimport time; id(s); time.sleep(0.02); id(s)\n"


@pytest.mark.parametrize("python", pythons())
@pytest.mark.parametrize("tool", BESIDE)
def test_a_tool_sees_nothing_of_ours(tmp_path, site, python, tool):
    code = THREADS + BESIDE[tool] + NOTICED
    check_sees_nothing(tmp_path, site, python, code, newest=tool.endswith("monitoring"))


def cores():
    """(Python, coverage's way to measure): the one in C, and that by sys.monitoring, which needs none."""
    found = [(sys.executable, "ctrace")]
    return found + [(python, "sysmon") for python in pythons() if re.search(r"/3\.1[23]\.", python)]


@pytest.mark.parametrize(("python", "core"), cores())
def test_coverage_measures_what_it_does_without_us(tmp_path, site, python, core):
    coverage = pytest.importorskip("coverage")
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "coverage").symlink_to(Path(coverage.__file__).parent)
    script, rc, report = tmp_path / "script.py", tmp_path / "rc", tmp_path / "report.json"
    threads = "".join(BESIDE[name] for name in ("threads' tracer", "a thread's import"))
    script.write_text(BASE + THREADS + threads + "print(use())\n")
    rc.write_text(
        f"[run]\ncore = {core}\ndata_file = {tmp_path}/data\ninclude = *\n"
        "disable_warnings = already-imported\n"
    )
    measured, outputs = [], []
    for ours in (False, True):
        command = ["-m", "coverage", "run", "--rcfile", rc, script]
        done = run(tmp_path, *command, python=python, ours=ours, path=[site, packages])
        outputs.append((done.stdout, done.stderr))
        command = ["-m", "coverage", "json", "-q", "--rcfile", rc, "-o", report]
        run(tmp_path, *command, python=python, ours=False, path=[site, packages])
        files = json.loads(report.read_text())["files"]
        measured.append({name: file["executed_lines"] for name, file in files.items()})
    assert outputs[1] == outputs[0]
    assert measured[1] == measured[0]
    assert any(name.endswith("torch/serialization.py") for name in measured[0])
    assert any(path.name.startswith("hooks_aside.") for path in (tmp_path / "ring").iterdir())


# What of the script's might run in the event of a tool, and let other threads go on in it.
WITHIN = {
    "nothing": "",
    "an audit hook": """
sys.addaudithook(lambda event, _: time.sleep(0.0001) if event.startswith("object.__") else None)
""",
}


@pytest.mark.parametrize("python", pythons())
@pytest.mark.parametrize("within", WITHIN)
def test_threads_that_set_tools_at_once_do_not_fail(tmp_path, site, python, within):
    """CPython 3.10 and 3.11 refuse a tool while another thread is in the event of one."""
    code = (
        "import time\n"
        + BASE
        + WITHIN[within]
        + """
failed = []
threading.excepthook = lambda told: failed.append(repr(told.exc_value))
tools = sys.modules.get("_steptrace_hooks.tools")
if tools: tools.add(tools.Part(aside=lambda: time.sleep(0.01)))
gate = threading.Barrier(6)
def work():
    gate.wait()
    for _ in range(50):
        sys.settrace(note); use(); sys.settrace(None)
        sys.setprofile(note); use(); sys.setprofile(None)
threads = [threading.Thread(target=work) for _ in range(6)]
for t in threads: t.start()
for t in threads: t.join()
print(failed)
"""
    )
    assert run(tmp_path, "-c", code, python=python, path=[site]).stdout == "[]\n"


@pytest.mark.parametrize("python", pythons())
def test_an_audit_hook_of_before_us_does_not_run_in_the_event_of_a_tool(tmp_path, site, python):
    code = """
import sys
import _thread
seen = []
def hook(event, arguments):
    if event == "object.__setattr__" and arguments[1] == "__code__": seen.append(_thread.get_ident())
sys.addaudithook(hook)
import site, threading
site.main()
import torch.serialization
before = len(seen)
t = threading.Thread(target=lambda: (sys.settrace(lambda *_: None), sys.settrace(None)))
t.start(); t.join(); id(t)
print(before > 0, set(seen) == {_thread.get_ident()})
"""
    assert run(tmp_path, "-S", "-c", code, python=python, path=[site]).stdout == "True True\n"


@pytest.mark.parametrize("python", pythons())
def test_no_finalizer_runs_in_the_event_of_a_tool(tmp_path, site, python):
    """Before 3.12 what makes an object may collect; in 3.9 that cannot be kept off, and does no harm."""
    code = (
        BASE
        + """
import gc
lines = []
class Loop:
    def __init__(self): self.me = self
    def __del__(self): lines.append(sys._getframe(1).f_lineno)
def work():
    line = sys._getframe().f_lineno + 3
    loops = [Loop() for _ in range(100)]; del loops
    gc.set_threshold(1); gc.enable()
    sys.settrace(nothing)
    sys.settrace(None); gc.collect()
    print(line in lines, len(lines))
def nothing(*_): pass
gc.collect(); gc.disable()
t = threading.Thread(target=work); t.start(); t.join()
"""
    )
    if "/3.9." in python or "/3.12" in python or "/3.13" in python:
        code = code.replace("line in lines", "False")
    assert run(tmp_path, "-c", code, python=python, path=[site]).stdout == "False 100\n"


@pytest.mark.parametrize("python", pythons())
def test_an_import_of_another_thread_skips_no_finder_for_ours(tmp_path, site, python):
    code = (
        BASE
        + """
class Waits:
    def find_spec(self, name, path=None, target=None):
        if name == "xxsubtype": found.set(); gate.wait(60)
found, gate = threading.Event(), threading.Event()
from importlib.machinery import BuiltinImporter
sys.meta_path.insert(sys.meta_path.index(BuiltinImporter), Waits())
def finds():
    import xxsubtype  # it is built in: the finder for that comes next
    print(xxsubtype.__name__)
def traced():
    sys.settrace(note); gate.set(); a.join(); sys.settrace(None)
a = threading.Thread(target=finds); a.start(); found.wait(60)
b = threading.Thread(target=traced); b.start(); b.join()
"""
    )
    assert run(tmp_path, "-c", code, python=python, path=[site]).stdout == "xxsubtype\n"


@pytest.mark.parametrize("python", pythons())
def test_the_hooks_are_back_though_the_main_thread_waits(tmp_path, site, python):
    code = (
        BASE
        + """
def train():
    sys.settrace(note); use(); sys.settrace(None)
    id(s)
    use()
    over.release()
import _thread
over = _thread.allocate_lock()
over.acquire()
_thread.start_new_thread(train, ())
over.acquire()
"""
    )
    run(tmp_path, "-c", code, python=python, path=[site])
    assert [
        name for name in recorded(tmp_path) if name in ("checkpoint", "hooks_aside", "hooks_back")
    ] == [
        *["checkpoint"] * 4,
        "hooks_aside",
        "hooks_back",
        *["checkpoint"] * 4,
    ]


def test_a_window_does_not_stay_on_while_the_main_thread_waits(tmp_path, site):
    """What was recorded in it would grow, for nobody would end it: its hooks are aside."""
    code = (
        BASE
        + """
import _thread
probe, tools = sys.modules["steptrace._probe"], sys.modules["_steptrace_hooks.tools"]
def train(urgent):
    probe.tools_hurry(urgent)
    sys.settrace(note)
    id(s)
    stepped.append(tools.aside)
    sys.settrace(None)
    over.release()
for urgent in (False, True):
    stepped, over = [], _thread.allocate_lock()
    over.acquire()
    _thread.start_new_thread(train, (urgent,))
    over.acquire()
    print(stepped)
print([line for line in seen if "steptrace" in line])
"""
    )
    assert run(tmp_path, "-c", code, path=[site]).stdout == "[False]\n[True]\n[]\n"
