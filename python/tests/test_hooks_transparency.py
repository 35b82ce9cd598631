# SPDX-License-Identifier: Apache-2.0
"""The script sees nothing changed: the same script prints the same with and without the hooks."""

import os
import subprocess
import sys

import hooked


def without_hooks(script, **variables):
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **variables},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def sections(text):
    parts = text.split("== ")
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in parts}


def test_functions_modules_tracebacks_warnings_frames_and_objects(tmp_path):
    script = hooked.TESTS / "scripts" / "transparent.py"
    plain = sections(without_hooks(script))
    run = hooked.run(tmp_path / "ring", script).check()
    assert run.failed_hooks() == {}
    assert len(plain) > 15
    hooked_sections = sections(run.stdout)
    for name, text in plain.items():
        assert hooked_sections[name] == text, name
    # The hooks were there: what failed in the script left no range open.
    pid = min(record.pid for record in run.records)
    main = [r for r in run.records if r.pid == pid and r.kind in ("begin", "end")]
    assert sum(r.kind == "begin" for r in main) == sum(r.kind == "end" for r in main) > 50


def test_our_own_calls_in_compiled_functions_break_nothing(tmp_path):
    script = hooked.TESTS / "scripts" / "compiled_annotated.py"
    path = f"{hooked.TESTS / 'fake_site'}:{hooked.PACKAGE.parent}"
    run = hooked.run(tmp_path / "ring", script, PYTHONPATH=path).check()
    assert run.stdout == without_hooks(script, PYTHONPATH=str(hooked.PACKAGE.parent))
    assert run.stderr == "", "no warning that there is not without us"
    begun = [record.name for record in run.records if record.kind == "begin"]
    assert {"with", "decorated", "by id"} <= set(begun)


def test_torch_compile_makes_the_same_graphs(tmp_path):
    script = hooked.TESTS / "scripts" / "compiled.py"
    plain = [line.split() for line in without_hooks(script).splitlines()]
    run = hooked.run(tmp_path / "ring", script).check()
    ours = [line.split() for line in run.stdout.splitlines()]
    assert [line[:2] for line in ours] == [line[:2] for line in plain]
    for mine, theirs in zip(ours, plain):
        assert int(mine[2]) <= int(theirs[2]) and int(mine[3]) <= int(theirs[3]), mine
    assert sum(r.name == "compile" and r.kind == "begin" for r in run.records) >= 5
