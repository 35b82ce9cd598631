# SPDX-License-Identifier: Apache-2.0
"""Every Python that is found here, recorded and not disturbed: ranges from 3.8, silence before."""

import os
import subprocess
import sys

import pytest
from fault_tools import record, same_as_without
from other_pythons import python_of

VERSIONS = [(2, 7), *((3, minor) for minor in range(6, 15))]

# For Python 2.7 and later. It must print the same whether recorded or not.
PROGRAM = """
from __future__ import print_function
import multiprocessing, os, subprocess, sys, threading, time
try:
    from steptrace import annotate, annotation_begin, annotation_end, step
except ImportError:
    annotate = None
def child(number):
    if annotate:
        with annotate("child"): pass
    return number + 1
def numbers():
    yield 1
def work():
    if not annotate: return
    @annotate("decorated")
    def decorated(x): return x + 1
    with annotate("mine"):
        assert decorated(1) == 2 and list(annotate("generator")(numbers)()) == [1]
    for text in ("\\x1b[2J\\n", u"\\udcff", u"\\u202e", "x" * 100000, "", 5, None, b"\\xff"):
        with annotate(text): pass
    annotation_end(annotation_begin("open")); step(3)
    thread = threading.Thread(target=annotate("thread")(child), args=(1,))
    thread.start(); thread.join()
if __name__ == "__main__":
    import json, sqlite3, warnings
    print(os.environ.get("SEEN"), sys.modules.get("sitecustomize") is not None, sys.path[1:])
    print(sys.argv[1:] == ["a", u"\\udcff"] or sys.argv[1:] == ["a", b"\\xff"])
    warnings.warn("theirs")
    work()
    for method in getattr(multiprocessing, "get_all_start_methods", lambda: [None])():
        context = multiprocessing.get_context(method) if method else multiprocessing
        pool = context.Pool(1); print(method, pool.map(child, [1, 2])); pool.close(); pool.join()
    clean = dict((k, v) for k, v in os.environ.items() if not k.startswith(("STEPTRACE", "PYTHON")))
    print(subprocess.check_output([sys.executable, "-c", "import sys; print(sys.path[1:])"], env=clean))
    sys.stdout.flush()
    time.sleep(0.3)
    raise KeyError("theirs")
"""


@pytest.fixture()
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return str(path)


def names_of(run):
    return {row["name"] for row in run.rows("slices")}


@pytest.mark.parametrize("version", VERSIONS, ids="{0[0]}.{0[1]}".format)
def test_a_program_is_recorded_and_not_disturbed(tmp_path, program, monkeypatch, version):
    python = python_of(version)
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "sitecustomize.py").write_text("import os; os.environ['SEEN'] = __file__[-18:]\n")
    monkeypatch.setenv("PYTHONPATH", str(theirs))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    outcome = same_as_without(tmp_path, [python, program, "a", os.fsdecode(b"\xff")])
    assert outcome.status == 1 and b"KeyError: 'theirs'" in outcome.stderr
    assert b"sitecustomize.py True" in outcome.stdout
    if version < (3, 8):
        assert names_of(outcome.run) == set()
        return
    names = names_of(outcome.run)
    assert {"mine", "decorated", "generator", "open", "child", "thread"} <= names
    assert {"\x1b[2J\n", "\\udcff", "\u202e", "5", "None"} <= names
    assert "(no name)" in names, "the name that is empty"
    assert outcome.run.causes() == {}
    children = {row["track"] for row in outcome.run.rows("slices") if row["name"] == "child"}
    assert len(children) == 4, "of fork, spawn and forkserver, and the thread"


@pytest.mark.parametrize("version", VERSIONS, ids="{0[0]}.{0[1]}".format)
def test_options_of_python_that_leave_us_out(tmp_path, version):
    python = python_of(version)
    code = 'import sys; print([p for p in sys.path if "steptrace" not in p], sys.flags)'
    options = ["-S", "-E", "-s", "-O"] + (["-I"] if version >= (3, 4) else [])
    options += ["-P"] if version >= (3, 11) else []
    line = " && ".join(f"'{python}' {option} -c '{code}'" for option in options)
    same_as_without(tmp_path, ["sh", "-c", line])


def test_an_environment_without_our_package_has_it_under_a_run(tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    code = "import smppy, steptrace\nwith smppy.annotate('theirs'): pass\nsteptrace.step()"
    outcome = record(tmp_path, [str(tmp_path / "venv/bin/python"), "-c", code])
    assert (outcome.status, outcome.stderr) == (0, b"") or b"steptrace:" in outcome.stderr
    assert "theirs" in names_of(outcome.run)
