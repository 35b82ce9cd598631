# SPDX-License-Identifier: Apache-2.0
"""The command line as a user meets it: the executable, on runs made by the store's own writer."""

import json
import pathlib
import shutil
import signal
import subprocess
import tempfile
import urllib.error
import urllib.request

import pytest
import run_manifest
from cli_tools import ROOT, complaint, executable
from test_store_readable import make_run

STEPS = 250  # of make_run, on each of two ranks


def test_ls_names_the_run(ask):
    (run,) = json.loads(ask("ls", "--json").stdout)
    assert pathlib.Path(run["path"]).name == "demo" and run["status"] == "completed"
    assert run["steps"] == STEPS, "of each of two ranks"
    assert run["verdict"], "nobody asked for its report before"
    assert "demo" in ask("ls").stdout


def test_ls_lists_a_damaged_run_without_a_verdict(ask, folder, tmp_path):
    shutil.copytree(folder / "steptrace-runs" / "demo", tmp_path / "demo")
    assert ask("report", tmp_path / "demo").returncode == 0
    (healthy,) = json.loads(ask("ls", tmp_path, "--json").stdout)
    assert healthy["verdict"]
    run_manifest.newest(tmp_path / "demo").write_text('{"format": 2, "id": "dem')
    (run,) = json.loads(ask("ls", tmp_path, "--json").stdout)
    assert (run["status"], run["verdict"]) == ("unreadable", "")
    assert ".json: not a manifest (damaged or empty); `steptrace recover " in run["problem"]
    shown = ask("ls", tmp_path)
    assert shown.stdout.splitlines()[1].split() == ["demo", "unreadable"]
    assert shown.stderr == f"steptrace: {run['problem']}\n"


def test_compare_shows_two_runs_side_by_side(ask, folder):
    second = folder / "steptrace-runs" / "second"
    assert make_run(second, "steps=100").returncode == 0
    done = ask("report", "demo", "--compare", "second")
    assert done.returncode == 0, done.stderr
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert done.stdout.startswith("A  made") and "\nB  made" in done.stdout
    both = json.loads(ask("report", "demo", "--compare", "second", "--json").stdout)
    assert both["runs"] == ["demo", "second"] and both["headline"]["text"] in done.stdout
    step = both["rows"][0]
    assert step["kind"] == "step"
    for side, name in (("a", "demo"), ("b", "second")):
        report = json.loads(ask("report", name, "--json").stdout)
        assert step[side]["ns"] == report["steps"]["duration_ns"]["mean"]
    shutil.rmtree(second)
    assert "second: no such run" in complaint(ask("report", "demo", "--compare", "second"))
    assert "--section" in complaint(ask("report", "--compare", "demo", "--section", "memory"))


def ui_stderr(folder, *arguments):
    """What `steptrace ui` says on stderr up to its end by Ctrl-C; it must have served."""
    command = [str(executable()), "ui", *map(str, arguments), "--port", "0"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            address = server.stdout.readline().split()[0]
            with urllib.request.urlopen(f"{address}api/runs", timeout=30) as answer:
                assert json.load(answer)["runs"]
        finally:
            server.send_signal(signal.SIGINT)
            _, stderr = server.communicate(timeout=30)
    return stderr


def test_ui_names_unreadable_runs(folder, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text('{"format": 1, "id": "brok')
    (line,) = ui_stderr(folder, tmp_path).splitlines()
    assert line.startswith("steptrace: ") and "run.json" in line
    assert line.endswith("(and 1 more that cannot be read)")
    (line,) = ui_stderr(folder, tmp_path / "two").splitlines()
    assert line.startswith("steptrace: ") and "more" not in line
    assert ui_stderr(folder, "steptrace-runs") == ""


def test_show_gives_columns_in_the_order_asked_for(ask):
    done = ask("show", "demo", "steps", "--columns", "step,rank", "--where", "step = 3", "--json")
    assert json.loads(done.stdout) == [{"step": 3, "rank": 0}, {"step": 3, "rank": 1}]


def test_show_without_a_run_takes_the_newest(ask):
    named = ask("show", "demo", "steps", "--limit", "4", "--json")
    assert len(json.loads(named.stdout)) == 4
    assert ask("show", "steps", "--limit", "4", "--json").stdout == named.stdout


def test_show_without_rows_is_an_empty_list(ask):
    assert json.loads(ask("show", "steps", "--where", "step > 99999", "--json").stdout) == []


@pytest.mark.parametrize(
    ("where", "part"),
    [
        ("step =", "a value at character 7"),
        ("stepp = 1", "no column 'stepp' (character 1)"),
        ("kind = train", "texts stand in quotes"),
        ("step = 'x'", "write an integer"),
    ],
)
def test_a_wrong_filter_is_named_with_its_place(ask, where, part):
    assert part in complaint(ask("show", "steps", "--where", where))


def test_wrong_input_is_one_line_and_a_status_of_its_own(ask):
    assert "no such run" in complaint(ask("report", "nope"))
    assert "no such table" in complaint(ask("show", "demo", "nope"))
    assert "no command" in complaint(ask("run"))
    assert "--bogus" in complaint(ask("run", "--bogus", "--", "true"))
    assert "unknown setting" in complaint(ask("ls", STEPTRACE_CONFIG=_toml("foldr = 'x'")))


def _toml(text):
    with tempfile.NamedTemporaryFile("w", suffix=".toml", delete=False) as file:
        file.write(text)
    return file.name


def test_export_writes_what_the_json_shows(ask, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "steps.parquet"
    done = ask("export", "demo", "--format", "parquet", "--table", "steps", "-o", file)
    assert done.returncode == 0, done.stderr
    assert parquet.read_table(file).num_rows == 2 * STEPS
    assert [path.name for path in tmp_path.iterdir()] == ["steps.parquet"]


def test_export_of_all_tables_fills_a_folder(ask, tmp_path):
    assert ask("export", "demo", "--format", "csv", "-o", tmp_path / "out").returncode == 0
    names = {path.stem for path in (tmp_path / "out").iterdir()}
    assert {"steps", "slices", "counters", "data_loss"} <= names


def test_a_reader_that_leaves_ends_us_without_a_word(folder):
    command = f"'{executable()}' show slices | head -n 1"
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr == "" and len(done.stdout.splitlines()) == 1


def test_report_json_is_left_in_the_closed_run(ask, folder):
    report = json.loads(ask("report", "demo", "--json").stdout)
    assert report["schema"] == "steptrace.report/2"
    assert ask("report", "demo").returncode == 0
    left = json.loads((folder / "steptrace-runs" / "demo" / "report.json").read_text())
    assert left["verdict"] == report["verdict"]


def test_colour_only_for_terminals_or_on_request(ask):
    assert "\x1b[" not in ask("report").stdout
    assert "\x1b[" in ask("report", "--color", "always").stdout


def test_doctor_lists_findings_as_json(ask):
    findings = json.loads(ask("doctor", "--json").stdout)
    assert {"Python package", "shared memory", "clock"} <= {f["subject"] for f in findings}
    assert {f["health"] for f in findings} <= {"ok", "limited", "missing"}


def test_the_reference_page_is_current(ask):
    page = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    assert ask("reference").stdout == page, "steptrace reference > docs/reference/cli.md"


def test_the_formats_that_are_read_are_those_of_the_importers(ask):
    page = (ROOT / "docs" / "reference" / "import.md").read_text(encoding="utf-8")
    begin = "| format | known by | becomes |"
    table = begin + page.partition(begin)[2].partition("\n\n")[0] + "\n"
    assert ask("reference", "--formats").stdout == table, "steptrace reference --formats"


def test_windows_are_chosen_or_refused_not_both(ask):
    done = ask("run", "--window", "5:1", "--no-window", "--", "true")
    assert "--no-window" in complaint(done)


def test_commands_to_copy_are_quoted_for_the_shell(ask, tmp_path):
    done = ask("run", "-o", "sp ace/k1", "--no-report", "--", "true", cwd=tmp_path)
    assert "recording to sp ace/k1  (report: steptrace report 'sp ace/k1')" in done.stderr
    report = ask("report", "sp ace/k1", cwd=tmp_path).stdout
    assert "More: steptrace report 'sp ace/k1' --json" in report
    assert "steptrace show 'sp ace/k1' steps" in report


def test_an_unknown_option_is_named(ask):
    assert "--bogus: no such option" in complaint(ask("--bogus"))
    assert "--bogus: no such option" in complaint(ask("--bogus=3", "ls"))
    assert ask("--version").returncode == 0 and ask("--help").returncode == 0


def test_spellings_that_people_guess_work(ask, folder):
    report = ask("report", "demo", "--json").stdout
    assert ask("report", "demo", "--format", "json").stdout == report
    assert ask("report", "demo", "--format", "text").stdout == ask("report", "demo").stdout
    line = complaint(ask("report", "demo", "--format", "yaml"))
    assert "report: --format: 'yaml' is not json or text" in line
    assert ask("-V").stdout == ask("-v").stdout == ask("--version").stdout
    assert ask("help").stdout == ask("--help").stdout
    assert ask("help", "report").stdout == ask("report", "--help").stdout
    runs = folder / "steptrace-runs"
    assert ask("ls", "--folder", runs).stdout == ask("ls", "--dir", runs).stdout
    assert ask("ls", "--folder", runs).stdout == ask("ls", runs).stdout != ""
    assert ask("show", "demo", "steps", "-n", "1").stdout == (
        ask("show", "demo", "steps", "--limit", "1").stdout
    )
    compared = ask("report", "demo", "--compare", "demo").stdout
    assert ask("compare", "demo", "demo").stdout == compared != ""
    assert ask("diff", "demo", "demo").stdout == compared


def test_a_word_that_is_nearly_right_is_named(ask):
    assert "unexpected argument '--jsn' (did you mean --json?)" in complaint(ask("report", "--jsn"))
    assert "did you mean --window?" in complaint(ask("run", "--windows", "1:2", "--", "true"))
    assert "reprot: no such command; did you mean steptrace report?" in complaint(ask("reprot"))
    assert "did you mean" not in complaint(ask("report", "--bogus"))


def test_the_settings_in_force_are_printed(ask, tmp_path):
    (tmp_path / "steptrace.toml").write_text("stack_rate = 10\n")
    shown = json.loads(
        ask("doctor", "--settings", "--json", cwd=tmp_path, STEPTRACE_CAPTURE="kernels").stdout
    )
    settings = {one["key"]: (one["value"], one["from"]) for one in shown}
    assert settings["stack_rate"] == ("10", "steptrace.toml")
    assert settings["capture"] == ("kernels", "STEPTRACE_CAPTURE")
    assert settings["folder"] == ("steptrace-runs", "default")


def test_a_slash_after_a_name_is_the_shells(ask):
    assert ask("report", "demo/").stdout == ask("report", "demo").stdout != ""


COMMANDS = (
    *("run", "capture", "report", "compare", "rules", "tensors", "ls", "show", "import", "join"),
    *("export", "ui", "schema", "doctor", "recover"),
)


@pytest.mark.parametrize("command", [[], *([command] for command in COMMANDS)])
def test_help_fits_80_columns(ask, command):
    shown = ask(*command, "--help", COLUMNS="80").stdout
    assert "\nUsage: steptrace " in shown
    assert [line for line in shown.splitlines() if len(line) > 80] == []


def test_doctor_fits_80_columns(ask):
    shown = ask("doctor", COLUMNS="80").stdout
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    told = " ".join(shown.split())
    for finding in json.loads(ask("doctor", "--json").stdout):
        if finding["subject"] != "shared memory":  # its free space changes
            assert " ".join(finding["detail"].split()) in told
