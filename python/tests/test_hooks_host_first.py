# SPDX-License-Identifier: Apache-2.0
"""What a script may do to the code that hosts us: limits by signal, odd loaders, odd objects."""

import functools
import json
import subprocess
import sys

import hooked
import pytest

from steptrace._hooks import interruption, native, registry
from steptrace._hooks.hook import Hook
from steptrace._hooks.surround import Calls, CannotSurroundError, nothing, surround


class Probe:
    """Keeps its facts."""

    def __init__(self):
        self.facts = []

    def fact(self, kind, text):
        self.facts.append(json.loads(text))


@pytest.fixture()
def hook():
    return Hook("data", "torch.utils.data", Probe())


def function(value, *rest, key=1, **more):
    return value


def test_an_argument_that_is_not_there_is_no_name_error():
    """Frameworks rename arguments from version to version."""
    for name in ("value", "rest", "key", "more"):
        surround(function, Calls(lambda _: nothing, (name,)))()
    with pytest.raises(CannotSurroundError, match="no argument other"):
        surround(function, Calls(lambda _: nothing, ("other",)))
    assert function(3) == 3


def test_an_argument_that_is_not_there_is_no_key_error_in_a_wrapper(hook):
    space = {}
    exec("def made(value): return value", space)  # no source: it would be wrapped
    owner = type(sys)("owner")
    owner.made = space["made"]
    with pytest.raises(LookupError, match="no argument other"):
        hook.around(owner, "made", Calls(lambda _: nothing, ("other",)))
    assert owner.made is space["made"]
    hook.around(owner, "made", Calls(lambda _: nothing, ("value",)))
    assert owner.made(4) == 4
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'value'"):
        owner.made()


def test_an_exception_that_cannot_be_told_is_swallowed_too(hook):
    class Mute(Exception):
        def __str__(self):
            raise ValueError("no text")

    assert hook.fail(Mute()) is nothing
    assert hook.probe.facts[0]["reason"] == "Mute"


class TimeIsUp(Exception):
    pass


def raises_time_is_up(*_):
    raise TimeIsUp


class Callable:
    def __call__(self, number, frame):
        raise TimeIsUp

    def method(self, number, frame):
        raise TimeIsUp


HANDLERS = {
    "function": raises_time_is_up,
    "partial": functools.partial(raises_time_is_up, 1),
    "method": Callable().method,
    "object": Callable(),
}


@pytest.mark.parametrize("kind", HANDLERS)
def test_a_time_limit_that_strikes_in_a_hook_reaches_the_script(hook, monkeypatch, kind):
    import signal

    def enter():
        try:
            signal.raise_signal(signal.SIGUSR1)
            for _ in range(3):
                pass
        except Exception as error:
            return hook.fail(error)

    former = signal.signal(signal.SIGUSR1, HANDLERS[kind])
    try:
        with pytest.raises(TimeIsUp):
            enter()
    finally:
        signal.signal(signal.SIGUSR1, former)
    assert hook.probe.facts == [], "the hook is on as before"
    try:
        raises_time_is_up()
    except TimeIsUp as error:
        assert not interruption.of_the_script(error), "nobody's handler raised this one"


def test_compiling_a_source_once_more_warns_nobody_and_forgets_no_warning(tmp_path, monkeypatch):
    code = """
import importlib, sys, warnings
sys.path.insert(0, {folder!r}); sys.path.append({package!r})
from steptrace._hooks.surround import Calls, nothing, surround
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import odd
def mine(): warnings.warn("once")
mine()
before = list(warnings.filters)
surround(odd.f, Calls(lambda: nothing))
assert warnings.filters == before
assert odd.f(1) is False
mine()
"""
    (tmp_path / "odd.py").write_text("def f(x):\n    '\\d'\n    return x is 'text'\n")
    code = code.format(folder=str(tmp_path), package=str(hooked.PACKAGE.parent))
    for options, lines in ((["-Wdefault"], 2), (["-Werror::SyntaxWarning"], 2)):
        done = subprocess.run(
            [sys.executable, *options, "-c", code], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("UserWarning: once") == 1, done.stderr
        assert len(done.stderr.splitlines()) <= lines, done.stderr


def test_a_loader_for_all_modules_is_left_alone():
    """Modules frozen into a program have a class for a loader, the same for all of them."""
    import importlib.machinery as machinery

    before = machinery.FrozenImporter.exec_module
    registry._after_exec(machinery.FrozenImporter, "torch", lambda name, module: None)
    assert machinery.FrozenImporter.exec_module is before


def test_an_interrupt_in_a_patch_leaves_no_half_of_a_hook(hook, monkeypatch):
    watch = registry.Registry({"checkpoint"})
    watch._probe = Probe()
    module = type(sys)("torch.serialization")
    undone = []

    class Patcher:
        @staticmethod
        def patch(module, hook):
            hook.on_undo(lambda: undone.append(True))
            raise KeyboardInterrupt

    monkeypatch.setattr(registry.importlib, "import_module", lambda *_: Patcher)
    with pytest.raises(KeyboardInterrupt):
        watch.patch("torch.serialization", module)
    assert undone == [True]
    assert watch._probe.facts[0]["state"] == "failed"


@pytest.mark.parametrize("mark", ["abiflags", "getobjects"])
def test_a_python_with_other_objects_gets_no_native_module(monkeypatch, mark):
    monkeypatch.delitem(sys.modules, "steptrace._probe", raising=False)
    monkeypatch.setenv("STEPTRACE_PROBE", __file__)  # would be an ImportError at best
    loaded = []
    monkeypatch.setattr("importlib.machinery.ExtensionFileLoader", lambda *a: loaded.append(a))
    monkeypatch.setattr(sys, mark, "t" if mark == "abiflags" else list, raising=False)
    assert native.load() is None
    assert loaded == []


def begun(run):
    return [r.name for r in run.records if r.kind == "begin" and r.name != "gc"]


SITE = hooked.TESTS / "fake_site"

COLLECTS = """
import gc, json, signal, sys, torch
class TimeIsUp(Exception): pass
def on_alarm(*_): raise TimeIsUp
class Node: pass
nodes = [Node() for _ in range(400_000)]
for node in nodes: node.self = node
signal.signal(signal.SIGALRM, on_alarm)
caught = 0
for _ in range(5):
    try:  # around the timer too: on a busy machine it rings before it has returned
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        gc.collect()
        signal.setitimer(signal.ITIMER_REAL, 0)
    except TimeIsUp:
        caught += 1
print(json.dumps(caught))
"""


def real_probe(tmp_path, code, *options, **variables):
    """Python as under `steptrace run`, with the native module, beside stand-ins for torch."""
    ring = tmp_path / "ring"
    ring.mkdir(mode=0o700, exist_ok=True)
    probe = hooked.PACKAGE / "_probe.abi3.so"
    if not probe.exists():
        pytest.skip("the probe is not built")
    entries = [hooked.PACKAGE / "bootstrap", tmp_path / "site", hooked.PACKAGE.parent]
    return subprocess.run(
        [sys.executable, *options, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        env={
            "PYTHONPATH": ":".join(map(str, entries)),
            "STEPTRACE_RING_DIR": str(ring),
            "STEPTRACE_PROBE": str(probe),
            **variables,
        },
    )


def test_a_signal_in_a_collection_is_not_lost(tmp_path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "torch.py").write_text("")
    done = real_probe(tmp_path, COLLECTS)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == 5
    assert len(list((tmp_path / "ring").glob("*.ring"))) == 1


def test_a_module_that_is_loaded_at_its_first_use_still_is(tmp_path):
    folder = tmp_path / "site" / "torch"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("__version__ = '9.9'\n")
    (folder / "serialization.py").write_text(
        "print('loaded')\ndef save(): return 1\ndef load(): return 2\n"
    )
    code = """
import importlib.util as util, sys, torch
spec = util.find_spec("torch.serialization")
spec.loader = util.LazyLoader(spec.loader)
module = util.module_from_spec(spec)
sys.modules["torch.serialization"] = module
spec.loader.exec_module(module)
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "torch.serialization": return None
        from importlib.machinery import PathFinder
        spec = PathFinder.find_spec(name, path)
        spec.loader = util.LazyLoader(spec.loader)
        return spec
sys.meta_path.insert(1, Finder)
del sys.modules["torch.serialization"]
import torch.serialization as lazy
print("imported")
assert lazy.save() == 1 and lazy.load() == 2
"""
    run = hooked.run(
        tmp_path / "ring", "-c", code, PYTHONPATH=f"{SITE}:{tmp_path / 'site'}"
    ).check()
    assert run.stdout == "imported\nloaded\n"
    assert begun(run) == ["checkpoint", "checkpoint"]


def test_the_drop_ins_are_there_under_a_run(tmp_path):
    """Also where the script's environment has no steptrace."""
    code = "import smppy, smprof, steptrace\nwith smppy.annotate('theirs'): pass"
    run = hooked.run(tmp_path / "ring", "-S", "-c", "import site; site.main()\n" + code)
    assert begun(run.check()) == ["theirs"]


def test_a_current_folder_that_is_gone_is_no_loop(tmp_path):
    bootstrap = str(hooked.PACKAGE / "bootstrap")
    code = f"""
import os, runpy, sys
os.mkdir("gone"); os.chdir("gone"); os.rmdir("../gone")
sys.path[:0] = [{bootstrap!r}, "relative"]
try:
    runpy.run_path({bootstrap + "/sitecustomize.py"!r}, run_name="sitecustomize")
except ImportError as error:
    print(error.name, {bootstrap!r} in sys.path)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("sitecustomize False\n", "")
