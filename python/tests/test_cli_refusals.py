# SPDX-License-Identifier: Apache-2.0
"""What cannot be read, written or started, and runs that are damaged or made up: told as that."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request

import pytest
from cli_tools import complaint, executable
from test_store_readable import make_run


def as_nobody(*arguments, cwd="/"):
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("needs root and setpriv")
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    command = [*nobody, str(executable()), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture()
def closed_folder():
    """A folder with a file, in which others may not look, in one that they may enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        os.chmod(place, 0o755)
        closed = pathlib.Path(place) / "closed"
        closed.mkdir()
        (closed / "trace.json").write_text("{}")
        closed.chmod(0)
        yield closed
        closed.chmod(0o700)


@pytest.mark.parametrize("command", ["ls", "import", "ui"])
def test_a_folder_that_may_not_be_read_is_told_as_such(closed_folder, command):
    line = complaint(as_nobody(command, closed_folder))
    assert "Permission denied; ask its owner for the right to read it" in line
    assert "--output" not in line


def test_a_run_that_may_not_be_read_or_written_names_no_option_that_is_none(folder):
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        os.chmod(place, 0o755)
        run = pathlib.Path(place) / "run"
        shutil.copytree(folder / "steptrace-runs" / "demo", run)
        (run / "run.json").chmod(0o600)
        line = complaint(as_nobody("report", run))
        assert "Permission denied; ask its owner" in line and "--output" not in line


def test_a_program_whose_interpreter_is_missing_is_told_as_such(ask, tmp_path):
    (tmp_path / "x").write_text("#!/no/such/interpreter -x\n")
    (tmp_path / "windows").write_bytes(b"#!/bin/sh\r\necho\r\n")
    for name, cause in (
        ("./x", "its interpreter /no/such/interpreter does not exist; install it"),
        ("./windows", "its lines end as on Windows"),
        ("./none", "command not found"),
    ):
        if name != "./none":
            (tmp_path / name).chmod(0o755)
        done = ask("run", "-q", "--", name, cwd=tmp_path)
        assert done.returncode == 127
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"steptrace: {name}: ") and cause in line
    found = ask("run", "-q", "--", "x", cwd=tmp_path, PATH=f"{tmp_path}:/bin:/usr/bin")
    assert found.returncode == 127 and "/no/such/interpreter" in found.stderr


def test_a_command_that_cannot_be_recorded_says_so_and_runs():
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        os.chmod(place, 0o555)
        done = as_nobody("run", "--", "sh", "-c", "exit 5", cwd=place)
    assert done.returncode == 5
    (line,) = done.stderr.splitlines()
    assert "Permission denied" in line and line.endswith("(the command runs unrecorded)")


def test_a_manifest_that_makes_no_sense_is_one_line(ask, folder, tmp_path):
    source = folder / "steptrace-runs" / "demo"
    run = tmp_path / "run"
    shutil.copytree(source, run)
    whole = json.loads((run / "run.json").read_text())

    def broken(change):
        manifest = json.loads(json.dumps(whole))
        change(manifest, manifest["tables"]["steps"]["segments"])
        (run / "run.json").write_text(json.dumps(manifest))
        return complaint(ask("report", run))

    assert "twice" in broken(lambda _, steps: steps.extend(steps * 100_000))
    assert "end_ns is -5" in broken(lambda manifest, _: manifest.update(end_ns=-5))
    assert "status is 'odd'" in broken(lambda manifest, _: manifest.update(status="odd"))
    assert "has -1 rows" in broken(lambda _, steps: steps[0].update(rows=-1))


def served(folder, *targets):
    """The answers of `steptrace ui` on a folder, each (status, JSON)."""
    command = [str(executable()), "ui", str(folder), "--port", "0"]
    answers = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            address = server.stdout.readline().split()[0]
            for target in targets:
                try:
                    with urllib.request.urlopen(address + target, timeout=60) as answer:
                        body = answer.read()
                        answers.append((answer.status, body))
                except urllib.error.HTTPError as refused:
                    answers.append((refused.code, refused.read()))
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(timeout=30)
    return answers


def test_a_timeline_shows_what_is_left_of_a_run_with_a_damaged_file(folder, tmp_path):
    assert make_run(tmp_path / "run", "chunk=20000").returncode == 0
    (_, tree) = served(tmp_path, "api/runs/run/timeline/tree")[0]
    whole = json.loads(tree)
    assert whole["damaged"] == []
    shutil.rmtree(tmp_path / "run" / "timeline")
    segments = json.loads((tmp_path / "run" / "run.json").read_text())["tables"]["slices"][
        "segments"
    ]
    assert len(segments) > 1
    file = tmp_path / "run" / segments[0]["file"]
    content = bytearray(file.read_bytes())
    middle = len(content) // 3
    content[middle : middle + 200] = bytes(200)
    file.write_bytes(content)
    (status, tree), (view, _) = served(
        tmp_path, "api/runs/run/timeline/tree", "api/runs/run/timeline/view?width=10"
    )
    assert (status, view) == (200, 200)
    part = json.loads(tree)
    lost = {"table": "slices", "file": segments[0]["file"], "rows": segments[0]["rows"]}
    assert part["damaged"] == [lost]

    def slices(tree):
        return sum(track["slices"] for track in tree["tracks"])

    assert slices(part) == slices(whole) - segments[0]["rows"] > 0
