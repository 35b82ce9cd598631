# SPDX-License-Identifier: Apache-2.0
"""What cannot be read, written or started, and runs that are damaged or made up: named as that."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request

import pytest
import run_manifest
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


def test_a_folder_within_that_may_not_be_read_is_a_loss_of_the_import(closed_folder, tmp_path):
    top = closed_folder.parent
    event = {"ph": "X", "name": "a", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 1, "dur": 1}
    (top / "trace.json").write_text(json.dumps({"traceEvents": [event]}))
    (top / "runs").mkdir()
    (top / "runs").chmod(0o777)
    done = as_nobody("import", top, "-o", top / "runs" / "run")
    assert done.returncode == 0, done.stderr
    note = f"{closed_folder}: Permission denied; ask its owner for the right to read it"
    assert "steptrace: " + note in done.stderr.splitlines()
    done = as_nobody("show", top / "runs" / "run", "data_loss", "--json")
    losses = {loss["cause"]: (loss["count"], loss["detail"]) for loss in json.loads(done.stdout)}
    assert losses["file_refused"] == (1, note)
    (top / "trace.json").unlink()
    line = complaint(as_nobody("import", top, "-o", top / "runs" / "none"))
    assert line == "steptrace: " + note


def test_a_run_that_may_not_be_read_or_written_names_no_option_that_is_none(folder):
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        os.chmod(place, 0o755)
        run = pathlib.Path(place) / "run"
        shutil.copytree(folder / "steptrace-runs" / "demo", run)
        run_manifest.newest(run).chmod(0o600)
        line = complaint(as_nobody("report", run))
        assert "Permission denied; ask its owner" in line and "--output" not in line


@pytest.mark.parametrize(
    "words",
    [
        ["report", ""],
        ["report", "demo", "--compare", ""],
        ["show", "", "steps"],
        ["export", "", "--format", "csv", "--output", "x"],
        ["capture", ""],
        ["recover", ""],
        ["rules", ""],
        ["ui", ""],
        ["join", "demo", "", "--output", "x"],
    ],
    ids="-".join,
)
def test_an_empty_name_is_not_the_newest_run(ask, folder, words):
    assert "'' is not a run" in complaint(ask(*words))


def test_what_a_full_disk_takes_no_more_of_is_named(folder, tmp_path):
    """A limit on files' sizes refuses as a disk does, and needs no mount."""
    for arguments in (
        ["--format", "csv", "--table", "steps", "--output", "steps.csv"],
        ["--format", "parquet", "--table", "steps", "--output", "steps.parquet"],
        ["--format", "csv", "--output", "tables"],
        ["--format", "chrome", "--output", "timeline.json"],
    ):
        run = folder / "steptrace-runs" / "demo"
        line = ["sh", "-c", "ulimit -f 0; trap '' XFSZ; exec \"$@\"", "sh"]
        line += [str(executable()), "export", str(run), *arguments]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
        told = complaint(done)
        assert arguments[-1] in told and "File too large" in told
        assert list(tmp_path.iterdir()) == []


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
    whole = run_manifest.read(run)

    def broken(change):
        manifest = json.loads(json.dumps(whole))
        change(manifest, manifest["tables"]["steps"]["segments"])
        run_manifest.write(run, manifest)
        return complaint(ask("report", run))

    assert "twice" in broken(lambda _, steps: steps.extend(steps * 100_000))
    assert "end_ns is -5" in broken(lambda manifest, _: manifest.update(end_ns=-5))
    assert "status is 'odd'" in broken(lambda manifest, _: manifest.update(status="odd"))
    assert "has -1 rows" in broken(lambda _, steps: steps[0].update(rows=-1))


def test_a_run_without_its_manifest_is_no_profile(ask, folder, tmp_path):
    run = tmp_path / "a run"
    shutil.copytree(folder / "steptrace-runs" / "demo", run)
    run_manifest.newest(run).unlink()
    line = complaint(ask("report", run))
    assert f"{run}: is a run whose manifest is missing" in line and "profile" not in line
    assert f"`steptrace recover '{run}'` rebuilds it" in line


def test_what_is_named_and_is_none_is_told_as_what_it_is(ask, tmp_path):
    file = tmp_path / "file"
    file.touch()
    assert f"{file}: not a folder" in complaint(ask("ls", file))
    assert "no such folder" in complaint(ask("ls", tmp_path / "none"))
    unexpected = "steptrace: ls: unexpected argument 'b'; see steptrace ls --help"
    assert complaint(ask("ls", "a", "b")) == unexpected


def test_a_report_is_printed_where_it_cannot_be_kept(ask, folder, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(folder / "steptrace-runs" / "demo", run)
    (run / "report.json").unlink(missing_ok=True)
    (run / "report.json").mkdir()  # in its way, as a full disk would be
    done = ask("report", run)
    assert (done.returncode, done.stderr) == (0, "") and "Verdict" in done.stdout


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


def zero_the_middle(file):
    content = bytearray(file.read_bytes())
    middle = len(content) // 3
    content[middle : middle + 200] = bytes(200)
    file.write_bytes(content)


# What is done to a file, and what the timeline says of it then.
DAMAGES = {
    "damaged": (zero_the_middle, "its contents are damaged; `steptrace recover "),
    "cut_off": (lambda file: os.truncate(file, 100), "100 of its "),
    "gone": (pathlib.Path.unlink, "the file is gone; restore it from a copy"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_timeline_shows_what_is_left_of_a_run_and_names_the_file(folder, tmp_path, damage):
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
    do, why = DAMAGES[damage]
    do(file)
    (status, tree), (view, _) = served(
        tmp_path, "api/runs/run/timeline/tree", "api/runs/run/timeline/view?width=10"
    )
    assert (status, view) == (200, 200)
    part = json.loads(tree)
    lost = {"table": "slices", "file": segments[0]["file"], "rows": segments[0]["rows"]}
    (told,) = part["damaged"]
    assert told.pop("why").startswith(why)
    assert told == lost

    def slices(tree):
        return sum(track["slices"] for track in tree["tracks"])

    assert slices(part) == slices(whole) - segments[0]["rows"] > 0


def test_a_run_whose_tracks_are_damaged_has_a_timeline(ask, tmp_path):
    assert make_run(tmp_path / "run").returncode == 0
    names = json.loads((tmp_path / "run" / "run.json").read_text())["tables"]["tracks"]["segments"]
    for file in (tmp_path / "run" / part["file"] for part in names):
        file.write_bytes(b"?" * file.stat().st_size)
    (status, tree), (view, _) = served(
        tmp_path, "api/runs/run/timeline/tree", "api/runs/run/timeline/view?width=10"
    )
    assert (status, view) == (200, 200)
    told = json.loads(tree)
    assert [part["file"] for part in told["damaged"]] == [part["file"] for part in names]
    assert all(re.fullmatch(r"track \d+ \(unknown\)", t["name"]) for t in told["tracks"])
    for form in ("perfetto", "chrome"):
        done = ask("export", tmp_path / "run", "--format", form, "-o", tmp_path / form)
        assert done.returncode == 0, done.stderr
        *lines, written = done.stderr.splitlines()
        assert written == f"steptrace: wrote {tmp_path / form}"
        assert len(lines) == len(names)
        assert names[0]["file"] + ": its " in lines[0] and "rows of tracks" in lines[0]
        assert (tmp_path / form).exists()


@pytest.mark.parametrize(
    "words",
    [
        ["--mode", "modern"],
        ["--preset", "sdk"],
        ["--set", "LowGPUUtilization.threshold_p95=60"],
        ["--price-per-hour", "3"],
    ],
    ids=lambda words: words[0],
)
def test_rules_about_tensors_refuse_options_of_the_others(ask, folder, words):
    assert words[0] in complaint(ask("rules", "--kind", "tensor", *words))
