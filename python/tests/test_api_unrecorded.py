# SPDX-License-Identifier: Apache-2.0
"""The script's API without a run: nothing happens, nothing changes, and it takes no time."""

import ast
import asyncio
import pathlib
import subprocess
import sys

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[1] / "steptrace"


def fresh(code, *options):
    """Runs code in a Python that has nothing but our package on its path."""
    program = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); {code}"
    command = [sys.executable, *options, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env={}, check=True)


@pytest.fixture()
def steptrace(monkeypatch):
    monkeypatch.delenv("STEPTRACE_RING_DIR", raising=False)
    monkeypatch.syspath_prepend(str(PACKAGE.parent))
    import steptrace

    return steptrace


def test_a_decorated_function_is_the_function(steptrace):
    def function():
        return 7

    assert steptrace.annotate("name")(function) is function
    assert steptrace.annotate(function) is function


def test_ranges_pass_values_and_exceptions_through(steptrace):
    with steptrace.annotate("outer"), steptrace.annotate("inner"):
        value = 3
    assert value == 3
    with pytest.raises(KeyError), steptrace.annotate("raises"):
        raise KeyError("mine")


def test_every_call_takes_what_it_may_be_given(steptrace):
    assert steptrace.annotation_end(steptrace.annotation_begin("name")) is None
    assert steptrace.annotation_end(12345) is None
    assert (
        steptrace.step() is None and steptrace.step(4) is None and steptrace.step(number=5) is None
    )
    assert steptrace.start() is None and steptrace.stop() is None


def test_async_and_generator_functions_stay_what_they_are(steptrace):
    @steptrace.annotate("coroutine")
    async def coroutine():
        return 1

    @steptrace.annotate("generator")
    def generator():
        yield 1

    assert asyncio.run(coroutine()) == 1
    assert list(generator()) == [1]


@pytest.mark.parametrize(
    "code, calls",
    [
        ("with annotate('a'): pass", 1),
        ("steptrace.annotation_end(steptrace.annotation_begin('a'))", 2),
        ("steptrace.step()", 1),
        ("steptrace.start()", 1),
    ],
)
def test_nothing_is_done_in_a_call(steptrace, code, calls):
    # What it costs in ns is measured in bench/probe; here, that a call is a call and no more.
    seen = []

    def note(frame, event, argument):
        if event == "call":
            seen.append(frame.f_code.co_name)

    compiled = compile(code, "<here>", "exec")
    space = {"steptrace": steptrace, "annotate": steptrace.annotate}
    sys.setprofile(note)
    try:
        exec(compiled, space)
    finally:
        sys.setprofile(None)
    assert len(seen) == calls + 1, seen  # the code itself is one


def test_importing_the_package_loads_two_modules():
    # Whoever annotates a library makes its users pay for this import.
    code = (
        "import sys; before = set(sys.modules); import steptrace;"
        "print(*sorted(set(sys.modules) - before))"
    )
    assert fresh(code).stdout.split() == ["steptrace", "steptrace._ranges"]


def test_importing_the_package_imports_nothing_heavy():
    code = "before = set(sys.modules); import steptrace; print(*(set(sys.modules) - before))"
    assert set(fresh(code).stdout.split()) == {"steptrace", "steptrace._ranges"}


def test_the_package_is_python_3_8():
    for path in PACKAGE.rglob("*.py"):
        ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 8))


def test_the_public_names_are_there(steptrace):
    for name in steptrace.__all__:
        assert getattr(steptrace, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        steptrace.nothing  # noqa: B018


def test_the_header_is_where_get_include_says(steptrace):
    assert (pathlib.Path(steptrace.get_include()) / "steptrace" / "steptrace.h").is_file()


def test_the_stubs_name_what_is_there(steptrace):
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text())
    named = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert set(steptrace.__all__) <= named
    assert {name for name in named if not name.startswith("_")} <= set(steptrace.__all__)


def test_smppy_without_a_run_does_nothing(steptrace):
    from steptrace import smppy

    config = smppy.Config()
    config.profiler = {"EnableCuda": "1"}
    profiler = smppy.SMProfiler.instance()
    profiler.configure(config)
    assert profiler is smppy.SMProfiler.instance()
    profiler.start_profiling()
    with smppy.annotate("Forward"):
        smppy.annotation_end(smppy.annotation_begin("step_0"))
    profiler.stop_profiling()


def test_the_drop_in_is_found_last_and_only_where_nothing_else_is(tmp_path):
    (tmp_path / "smprof.py").write_text("who = 'the real one'\n")
    code = (
        f"sys.path.append({str(tmp_path)!r}); import steptrace._drop_in as d; d.install(); d.install()\n"
        "import smppy, smprof; print(smppy.SMProfiler.__module__, smprof.who, sep='/')\n"
        "print(sys.meta_path.count(d.DropInFinder), sys.meta_path[-1] is d.DropInFinder)"
    )
    assert fresh(code).stdout.split("\n")[:2] == ["steptrace.smppy/the real one", "1 True"]


def test_the_drop_in_offers_the_package_where_it_is_not_installed(tmp_path):
    code = (
        "sys.path.pop(0); from importlib import util\n"
        f"spec = util.spec_from_file_location('d', {str(PACKAGE / '_drop_in.py')!r})\n"
        "d = util.module_from_spec(spec); spec.loader.exec_module(d); d.install()\n"
        "import smppy, steptrace; print(steptrace.__file__)"
    )
    assert pathlib.Path(fresh(code, "-S").stdout.strip()) == PACKAGE / "__init__.py"
