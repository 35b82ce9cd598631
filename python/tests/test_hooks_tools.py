# SPDX-License-Identifier: Apache-2.0
"""The script's own tracers, profilers and debuggers see nothing of ours; when they end the hooks are back."""

import re
import subprocess
import sys

import hooked
import pytest
from test_probe_module import INSTANT, rings
from tooled import BASE, PROBE, check_sees_nothing, pythons, recorded, run, torch_site

SCRIPT = hooked.TESTS / "scripts" / "tools.py"

pytestmark = pytest.mark.skipif(not PROBE.exists(), reason="the probe is not built")


def sections(text):
    """What each tool has seen: without addresses, and sorted, for some order by these."""
    text = re.sub(r"(0x|\.\.\.\.?x)[0-9a-f]+", "ADDRESS", text)
    parts = [part.partition("\n") for part in text.split("== tool ")[1:]]
    return {name: sorted(rest.splitlines()) for name, _, rest in parts}


def test_the_tools_of_a_training_see_what_they_see_without_us(tmp_path):
    plain = sections(run(tmp_path, SCRIPT, ours=False).stdout)
    ours = sections(run(tmp_path, SCRIPT).stdout)
    assert len(plain) >= 10 and all(len(lines) > 100 for lines in plain.values())
    for tool, lines in plain.items():
        assert ours[tool] == lines, tool
        assert not any("steptrace" in line for line in lines)
    (ring,) = rings(tmp_path / "ring")
    assert ring.disarmed == ""
    # An epoch without a tool follows each, and what was made under it is hooked too.
    names = " ".join(recorded(tmp_path))
    between = [part.partition("hooks_aside")[0].split() for part in names.split("hooks_back")]
    assert between[0].count("optimizer") == 2 * 6
    epochs = [words for words in between[1:] if words.count("optimizer") >= 2 * 7]
    assert len(epochs) >= len(plain) and between[-1] in epochs
    assert {words.count("data_end") for words in epochs} == {1}


@pytest.fixture()
def site(tmp_path):
    return torch_site(tmp_path)


SMALL = {
    "settrace": "sys.settrace(note); use(); sys.settrace(None)",
    "setprofile": "sys.setprofile(note); use(); sys.setprofile(None)",
    "both": """
sys.settrace(note); sys.setprofile(note); use(); sys.settrace(None); use(); sys.setprofile(None)
""",
    "cProfile": """
import cProfile
p = cProfile.Profile(); p.enable(); use(); p.disable()
seen += sorted(str(e.code) for e in p.getstats())
""",
    "an import": """
del sys.modules["torch.serialization"]
sys.settrace(note)
import torch.serialization as s
use()
sys.settrace(None)
""",
    "one that fails": """
def raises(frame, event, argument):
    raise ValueError(event)
sys.settrace(raises)
try: use()
except ValueError as error: seen.append(str(error))
""",
    "monitoring": """
m = sys.monitoring
m.use_tool_id(3, "mine")
m.register_callback(3, m.events.PY_START, lambda code, offset: seen.append(str(code)))
m.set_events(3, m.events.PY_START)
use()
m.set_events(3, 0)
m.register_callback(3, m.events.PY_START, None)
m.free_tool_id(3)
id(m)
""",
}


@pytest.mark.parametrize("python", pythons())
@pytest.mark.parametrize("tool", SMALL)
def test_a_tool_sees_nothing_of_ours(tmp_path, site, python, tool):
    check_sees_nothing(tmp_path, site, python, SMALL[tool], newest=tool == "monitoring")


def test_a_tool_that_is_on_from_the_start(tmp_path, site):
    """As `python -m cProfile script.py`: nothing is hooked before it ends, and a record says so."""
    code = """
import sys
seen = []
def note(frame, event, argument):
    seen.append(f"{event} {frame.f_code.co_filename} {frame.f_code.co_name}")
    return note
sys.settrace(note)
import torch.serialization as s
s.save()
sys.settrace(None)
print("\\n".join(seen))
s.load()
"""
    plain = run(tmp_path, "-c", code, ours=False, path=[site])
    assert run(tmp_path, "-c", code, path=[site]).stdout == plain.stdout
    assert [
        name for name in recorded(tmp_path) if name in ("hooks_aside", "hooks_back", "checkpoint")
    ] == [
        "hooks_aside",
        "hooks_back",
        "checkpoint",
        "checkpoint",
    ]
    assert any(path.name.startswith("hooks_aside.") for path in (tmp_path / "ring").iterdir())


def test_a_debugger_steps_into_nothing_of_ours(tmp_path, site):
    script = tmp_path / "script.py"
    script.write_text("import torch.serialization as s\nbreakpoint()\ns.save()\nprint('end')\n")
    outputs = []
    for ours in (False, True):
        entries = [hooked.PACKAGE / "bootstrap"] if ours else []
        ring = tmp_path / "pdb"
        ring.mkdir(mode=0o700, exist_ok=True)
        variables = {"PYTHONPATH": ":".join(map(str, [*entries, site]))}
        if ours:
            variables.update(STEPTRACE_RING_DIR=str(ring), STEPTRACE_PROBE=str(PROBE))
        done = subprocess.run(
            [sys.executable, script],
            input="step\n" * 8 + "where\ncontinue\n",
            env=variables,
            capture_output=True,
            text=True,
            timeout=60,
        )
        outputs.append((done.returncode, done.stdout, done.stderr))
    assert outputs[1] == outputs[0]
    assert "--Call--" in outputs[0][1] and "--Return--" in outputs[0][1]


def test_callbacks_of_ours_are_quiet_too(tmp_path, site):
    """What is called when a process forks or ends, while a tool is on."""
    code = (
        BASE
        + """
import os
hooks = sys.modules["_steptrace_hooks"] if "_steptrace_hooks" in sys.modules else None
if hooks:
    tools = sys.modules["_steptrace_hooks.tools"]
    import atexit
    def missed(): made_up.append(1)
    made_up = []
    os.register_at_fork(after_in_parent=tools.quiet(missed))
    atexit.register(tools.quiet(missed, made_up=False))
sys.settrace(note)
pid = os.fork()
if not pid:
    os._exit(0)
os.waitpid(pid, 0)
sys.settrace(None)
print(len([line for line in seen if "missed" in line]))
if hooks:
    print(made_up)
sys.settrace(lambda frame, event, argument: print(frame.f_code.co_name) if "missed" in frame.f_code.co_name else None)
"""
    )
    assert run(tmp_path, "-c", code, path=[site]).stdout == "0\n[1]\n"


def test_a_signal_in_the_stepping_aside_is_not_lost(tmp_path, site):
    code = (
        BASE
        + """
import signal
class TimeIsUp(Exception): pass
def strikes(*_): raise TimeIsUp
signal.signal(signal.SIGUSR1, strikes)
tools = sys.modules["_steptrace_hooks.tools"]
tools.add(tools.Part(aside=lambda: signal.raise_signal(signal.SIGUSR1)))
try:
    sys.settrace(note)
    for _ in range(1000): id(_)
    print("no")
except TimeIsUp:
    print("caught")
print(sys.gettrace() is note)
use()
"""
    )
    assert run(tmp_path, "-c", code, path=[site]).stdout == "caught\nTrue\n"
    assert recorded(tmp_path).count("hooks_aside") == 1


def test_our_own_profile_with_stacks_is_none_of_the_scripts_tools(tmp_path, site):
    code = (
        BASE
        + """
p = sys.modules["steptrace._probe"]
p.tools_own(2); sys.setprofile(lambda *_: None); p.tools_own(1)
print(p.tools_aside())
use()
id(p)
sys.settrace(note)
print(p.tools_aside())
sys.settrace(None)
id(p)
print(p.tools_aside())
p.tools_own(2); sys.setprofile(None); p.tools_own(0)
print(p.tools_aside())
"""
    )
    assert run(tmp_path, "-c", code, path=[site]).stdout == "False\nTrue\nFalse\nFalse\n"
    kinds = [kind for kind, name, _, _ in rings(tmp_path / "ring")[0].records() if "hooks_" in name]
    assert kinds == [INSTANT, INSTANT]


@pytest.mark.parametrize("python", pythons())
def test_another_interpreter_ends_while_a_tool_is_on(tmp_path, site, python):
    code = (
        BASE
        + """
try: import _interpreters as i
except ImportError: import _xxsubinterpreters as i
sys.settrace(lambda *_: None)
i.destroy(i.create())
sys.settrace(None)
print("end")
"""
    )
    assert run(tmp_path, "-c", code, python=python, path=[site]).stdout == "end\n"


def test_a_tool_that_is_off_before_anything_is_recorded_is_no_loss(tmp_path, site):
    """A debugger at the top of a script: the hooks are there when the first module is imported."""
    code = "import sys\nsys.settrace(lambda *_: None)\nsys.settrace(None)\nid(sys)\n" + BASE
    run(tmp_path, "-c", code, path=[site])
    names = recorded(tmp_path)
    assert names.count("hooks_aside") == names.count("hooks_back")
    assert names.count("checkpoint") == 4
