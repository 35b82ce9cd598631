# SPDX-License-Identifier: Apache-2.0
"""Each kind of damage to each file of a run: report, recover, report. All of it can be read at the
end, nobody is sent in a circle, and what was whole before is whole then."""

import json
import os
import re
import shlex
import shutil
import subprocess

import pytest
import run_manifest
from cli_tools import executable
from test_store_readable import make_run

# The command in a line that says what to do.
ADVICE = re.compile(r"`(steptrace recover [^`]+)`")


def truncate(share):
    return lambda file, _: os.truncate(file, int(file.stat().st_size * share))


def flip(place):
    """A bit of the byte at that share of the file."""

    def do(file, _):
        content = bytearray(file.read_bytes())
        if content:
            content[min(int(len(content) * place), len(content) - 1)] ^= 0x10
        file.write_bytes(content)

    return do


def replace_by_folder(file, _):
    file.unlink()
    (file / "within").mkdir(parents=True)


def swap(file, other):
    between = file.with_name("between")
    file.rename(between)
    other.rename(file)
    between.rename(other)


# What is done to a file of a run; `other` is one more of its files.
DAMAGES = {
    "missing": lambda file, _: file.unlink(),
    "empty": lambda file, _: file.write_bytes(b""),
    "cut in its first bytes": lambda file, _: os.truncate(file, min(5, file.stat().st_size)),
    "cut in the middle": truncate(0.5),
    "cut at its end": lambda file, _: os.truncate(file, max(0, file.stat().st_size - 3)),
    "a bit of its head": flip(0.01),
    "a bit of its middle": flip(0.4),
    "a bit near its end": flip(0.9),
    "a bit of its last byte": flip(1),
    "a folder in its place": replace_by_folder,
    "another file in its place": swap,
}

TABLES = ("tracks", "slices", "steps")
FILES = {
    "closed": ["manifest", *(f"tables/{table}" for table in TABLES)],
    "unclosed": ["manifest", "journal/*/lock", *(f"journal/*/{t}-0" for t in TABLES)],
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("damaged")
    sizes = ("steps=24", "ranks=2", "slices=3", "chunk=8000")
    assert make_run(folder / "closed", *sizes).returncode == 0
    assert make_run(folder / "unclosed", *sizes, "end=die").returncode < 0
    return folder


def steptrace(*arguments):
    command = [str(executable()), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def rows_of(run):
    tables = json.loads((run / "run.json").read_text())["tables"]
    return {name: tables[name]["rows"] for name in TABLES if name in tables}


def find(run, name):
    """The first file of that name, and another of the same kind."""
    if name == "manifest":
        file = run_manifest.newest(run)
        return file, min(p for p in run.rglob("*") if p.is_file() and p != file)
    if name.startswith("tables/"):
        found = sorted((run / name).rglob("*.parquet"))
        others = sorted(p for p in (run / "tables").rglob("*.parquet") if p != found[0])
        return found[0], others[-1]
    (found,) = run.glob(name + "*")
    others = sorted(p for p in found.parent.glob("*.arrows") if p != found)
    return found, others[0]


def one_line_of_advice(done):
    (line,) = done.stderr.splitlines()
    (advice,) = ADVICE.findall(line)
    return shlex.split(advice)[1:]


CASES = [
    (run, file, damage) for run, files in FILES.items() for file in files for damage in DAMAGES
]


@pytest.mark.parametrize("kind, name, damage", CASES, ids=["-".join(case) for case in CASES])
def test_a_run_with_a_damaged_file_is_read_recovered_and_read(runs, tmp_path, kind, name, damage):
    run = tmp_path / "a run"
    shutil.copytree(runs / kind, run)
    whole = json.loads(steptrace("report", runs / kind, "--json").stdout)
    file, other = find(run, name)
    DAMAGES[damage](file, other)
    before = steptrace("report", run, "--json")
    if before.returncode != 0:
        assert before.returncode == 2 and name == "manifest", before.stderr
        recovered = steptrace(*one_line_of_advice(before))
    else:
        recovered = steptrace("recover", run)
    assert recovered.returncode == 0, (before.stderr, recovered.stderr)
    after = steptrace("report", run, "--json")
    assert (after.returncode, after.stderr) == (0, "")
    report = json.loads(after.stdout)
    if name == "manifest" and damage not in ("another file in its place",):
        # All rows are there, whatever becomes of the file that names them.
        assert report["steps"]["count"] == whole["steps"]["count"]
    causes = {loss["cause"] for loss in report["data_loss"]["rows"]}
    damaged = {"segment_damaged", "column_damaged", "journal_damaged", "journal_cut_off"}
    if kind == "unclosed" and damage in ("missing", "empty"):
        damaged |= {"agent_gap"}  # nothing says that there was more
    lost = report["steps"]["count"] < whole["steps"]["count"]
    assert not lost or causes & damaged, causes
    again = steptrace("recover", run)
    assert (again.returncode, again.stderr) == (0, "")


@pytest.mark.parametrize("damage", ["a bit of its middle", "a bit near its end", "missing"])
@pytest.mark.parametrize("table", TABLES)
def test_every_reader_goes_on_without_a_damaged_segment(runs, tmp_path, table, damage):
    run = tmp_path / "run"
    shutil.copytree(runs / "closed", run)
    file, other = find(run, f"tables/{table}")
    DAMAGES[damage](file, other)
    shown = steptrace("show", run, table, "--json")
    assert shown.returncode == 0, shown.stderr
    (line,) = shown.stderr.splitlines()
    assert str(file.relative_to(run)) in line and "are not in what is shown" in line
    assert damage == "missing" or f"`steptrace recover {run}`" in line
    rows = json.loads((run / "run.json").read_text())["tables"][table]["rows"]
    assert 0 <= len(json.loads(shown.stdout)) < rows
    for arguments in (
        ("report", run),
        ("report", run, "--compare", runs / "closed"),
        ("report", run, "--html", tmp_path / "report.html"),
        ("rules", run),
        ("export", run, "--format", "csv", "-o", tmp_path / "csv"),
        ("export", run, "--format", "perfetto", "-o", tmp_path / "trace"),
        ("export", run, "--format", "chrome", "-o", tmp_path / "chrome"),
    ):
        done = steptrace(*arguments)
        assert done.returncode in (0, 1), (arguments, done.stderr)
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("table", TABLES)
def test_a_comparison_names_the_damaged_files_as_the_report_does(runs, tmp_path, table):
    run = tmp_path / "run"
    shutil.copytree(runs / "closed", run)
    file, _ = find(run, f"tables/{table}")
    file.unlink()
    for arguments in (["report", run], ["report", runs / "closed", "--compare", run]):
        letters = "".join(steptrace(*arguments).stdout.split())  # a line may end within a path
        assert f"rowsof{table}(segment_damaged):{file.relative_to(run)}" in letters, arguments


def test_python_reads_on_and_warns(runs, tmp_path):
    import steptrace as api

    run = tmp_path / "run"
    shutil.copytree(runs / "closed", run)
    file, _ = find(run, "tables/slices")
    flip(0.4)(file, None)
    with pytest.warns(api.SteptraceWarning, match="steptrace recover"):
        rows = list(api.open(run).rows("slices"))
    assert 0 < len(rows) < 24 * 2 * 3
    causes = [loss["cause"] for loss in api.open(run).report()["data_loss"]["rows"]]
    assert causes.count("segment_damaged") <= 1
    (run / "run.json").write_text("{")  # a copy, which nobody of ours reads
    assert api.open(run).name
    (run / "run.json").unlink()
    assert api.open(run).name
    run_manifest.newest(run).unlink()
    with pytest.raises(api.SteptraceError, match=f"steptrace recover {run}"):
        _ = api.open(run).name
    assert steptrace("recover", run).returncode == 0
    assert api.open(run).name == run.name, "what it was called stood in the manifest"
