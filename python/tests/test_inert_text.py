# SPDX-License-Identifier: Apache-2.0
"""What cannot be seen, or changes what stands next to it, is shown as an escape by whatever writes names of others
(docs/reference/inert-text.md): one list of hostile texts, and all writers."""

import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import unicodedata

import pytest
from cli_tools import ROOT, executable

import steptrace
from steptrace import _html
from steptrace._hidden_characters import RANGES
from steptrace._inert import inert

HOSTILE = json.loads((ROOT / "tests" / "data" / "hostile_texts.json").read_text())
HIDDEN = re.compile("[" + "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in RANGES) + "]")
PATH_OF_RUN = "run \u202egnp\u200b"  # a name that a folder can have
FORMULA_SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"
# Drawn around the digits behind them, so that they are seen.
SEEN = {
    0x600,
    0x601,
    0x602,
    0x603,
    0x604,
    0x605,
    0x6DD,
    0x70F,
    0x890,
    0x891,
    0x8E2,
    0x110BD,
    0x110CD,
}


def event(name, category, begin_us, duration_us, **args):
    fields = {"ph": "X", "name": name, "cat": category, "ts": begin_us, "dur": duration_us}
    return {**fields, "pid": 0 if category == "kernel" else 1, "tid": 7, "args": args}


def profile():
    """Each text as the name of an operator, a kernel, a thread and a category, and as a key and a value."""
    events = [{"ph": "M", "name": "process_name", "pid": 1, "args": {"name": HOSTILE[8]}}]
    for step in range(2):
        at = 100_000 * step
        events.append(event(f"ProfilerStep#{step}", "user_annotation", at, 90_000))
        for i, text in enumerate(HOSTILE):
            begin, link = at + 1000 * i, 1000 * step + i
            events += [
                event(text, "cpu_op", begin, 900, **{"External id": link, text: text}),
                event("cudaLaunchKernel", "cuda_runtime", begin + 10, 5, correlation=link),
                event(text, "kernel", begin + 100, 500, correlation=link, device=0, stream=7),
                event(text, text, begin + 950, 10),
            ]
    for i, text in enumerate(HOSTILE):
        meta = {"ph": "M", "name": "thread_name", "pid": 1, "tid": 100 + i, "args": {"name": text}}
        events += [meta, {**event(text, "cpu_op", 10, 5), "tid": 100 + i}]
    head = {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": HOSTILE[8]}]}
    return {**head, "host_name": HOSTILE[8], "traceEvents": events, "traceName": HOSTILE[8]}


def ask(*arguments, cwd):
    plain = {k: v for k, v in os.environ.items() if not k.startswith("STEPTRACE_")}
    return subprocess.run(
        [str(executable()), *map(str, arguments)],
        cwd=cwd,
        env={**plain, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Holds the run, and a second one of the same profile."""
    folder = tmp_path_factory.mktemp("inert")
    (folder / "trace.json").write_text(json.dumps(profile()))
    imported = ask("import", "trace.json", "-o", PATH_OF_RUN, cwd=folder)
    assert imported.returncode == 0, imported.stderr
    (folder / "imported").write_bytes(imported.stdout + imported.stderr)
    shutil.copytree(folder / PATH_OF_RUN, folder / "other")
    return folder


def assert_inert(output):
    for line in output.decode("utf-8").split("\n"):
        assert not HIDDEN.search(line), ascii(line[:300])


SECTIONS = [
    "devices",
    "operators",
    "kernels",
    "memory",
    "modules",
    "distributed",
    "critical-path",
    "rules",
    "recommendations",
]
TEXTS = [
    ("report", PATH_OF_RUN),
    *[("report", PATH_OF_RUN, "--section", name, "--top", "200") for name in SECTIONS],
    ("report", PATH_OF_RUN, "--compare", "other"),
    ("report", PATH_OF_RUN, "--notebook", "-"),
    ("show", PATH_OF_RUN, "slices"),
    ("show", PATH_OF_RUN, "tracks"),
    ("show", PATH_OF_RUN, "run_metadata"),
    ("rules", PATH_OF_RUN),
    ("ls", "."),
    ("doctor",),
    ("export", PATH_OF_RUN, "--format", "csv", "--table", "slices", "-o", "-"),
    ("export", PATH_OF_RUN, "--format", "csv", "--table", "tracks", "-o", "-"),
    # What fails names what it was given.
    ("report", "\u202e\x1b[2J"),
    ("show", PATH_OF_RUN, "\u2066table"),
    ("show", PATH_OF_RUN, "slices", "--where", "name \u202e 1"),
    ("ls", "\u202enothing"),
    ("recover", "\u202e"),
    ("report", PATH_OF_RUN, "--html", "/nowhere\u202e/x"),
    ("\u200bcommand",),
]
JSONS = [
    ("report", PATH_OF_RUN, "--json"),
    ("report", PATH_OF_RUN, "--section", "operators", "--top", "200", "--json"),
    ("report", PATH_OF_RUN, "--compare", "other", "--json"),
    ("show", PATH_OF_RUN, "slices", "--json"),
    ("show", PATH_OF_RUN, "tracks", "--json"),
    ("rules", PATH_OF_RUN, "--json"),
    ("ls", ".", "--json"),
    ("export", PATH_OF_RUN, "--format", "chrome", "-o", "-"),
]


@pytest.mark.parametrize("arguments", TEXTS + JSONS, ids=ascii)
def test_whatever_a_command_prints_is_inert(folder, arguments):
    done = ask(*arguments, cwd=folder)
    assert done.stdout + done.stderr
    assert_inert(done.stdout)
    assert_inert(done.stderr)


def test_what_an_import_prints_is_inert(folder):
    assert_inert((folder / "imported").read_bytes())


def texts_in(value):
    if isinstance(value, dict):
        return set().union(*map(texts_in, value.keys()), *map(texts_in, value.values()))
    if isinstance(value, list):
        return set().union(*map(texts_in, value))
    return {value} if isinstance(value, str) else set()


@pytest.mark.parametrize("arguments", [JSONS[1], JSONS[3], JSONS[7]], ids=ascii)
def test_json_holds_the_exact_texts(folder, arguments):
    texts = texts_in(json.loads(ask(*arguments, cwd=folder).stdout))
    assert set(HOSTILE) <= texts, ascii(set(HOSTILE) - texts)


def test_the_terminal_shows_escapes(folder):
    shown = ask("show", PATH_OF_RUN, "slices", "--columns", "name", cwd=folder).stdout.decode()
    assert {inert(text).strip() for text in HOSTILE} <= {line.strip() for line in shown.split("\n")}


def test_a_cell_of_csv_is_no_formula_and_numbers_stay_numbers(folder):
    output = ask(
        "export", PATH_OF_RUN, "--format", "csv", "--table", "slices", "-o", "-", cwd=folder
    )
    text = output.stdout.decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert '\'=cmd|"/C calc"!A0' in {row["name"] for row in rows}
    for row in rows:
        for column in ("name", "category", "args", "details"):
            assert row[column].lstrip(' "\xa0')[:1] not in set(FORMULA_SIGNS), row[column]
        int(row["dur_ns"])
        int(row["rank"])
    # Programs that take semicolons for commas see these cells.
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=";"):
        for cell in row[1:]:
            assert cell.lstrip(' "')[:1] not in set(FORMULA_SIGNS), cell


def test_negative_numbers_of_csv_are_numbers(folder):
    output = ask(
        "export", PATH_OF_RUN, "--format", "csv", "--table", "tracks", "-o", "-", cwd=folder
    )
    rows = list(csv.DictReader(io.StringIO(output.stdout.decode(), newline="")))
    assert all(re.fullmatch(r"-?\d*", row["rank"]) for row in rows)


def test_formats_for_machines_are_exact(folder, tmp_path):
    pyarrow = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "slices.parquet"
    where = ("--table", "slices", "-o", file)
    assert ask("export", PATH_OF_RUN, "--format", "parquet", *where, cwd=folder).returncode == 0
    names = pyarrow.read_table(file, columns=["name"]).column("name").to_pylist()
    assert set(HOSTILE) <= set(names)
    assert set(HOSTILE) <= {
        row["name"] for row in steptrace.open(folder / PATH_OF_RUN).rows("slices")
    }


def test_a_trace_of_perfetto_is_exact(folder, tmp_path):
    trace = tmp_path / "trace.perfetto"
    exported = ask("export", PATH_OF_RUN, "--format", "perfetto", "-o", trace, cwd=folder)
    assert exported.returncode == 0, exported.stderr
    assert ask("import", trace, "-o", tmp_path / "again", cwd=folder).returncode == 0
    again = {row["name"] for row in steptrace.open(tmp_path / "again").rows("slices")}
    assert set(HOSTILE) <= again


def test_the_html_report_adds_nothing_hidden_to_its_page(folder):
    template = pathlib.Path(steptrace.__file__).parent / "ui" / "report.html"
    page = ask("report", PATH_OF_RUN, "--html", "-", cwd=folder).stdout.decode()
    assert set(HIDDEN.findall(page)) <= set(HIDDEN.findall(template.read_text(encoding="utf-8")))


def test_pages_of_notebooks_are_inert(folder):
    a, b = steptrace.open(folder / PATH_OF_RUN), steptrace.open(folder / "other")
    report = a.report()
    for text in HOSTILE:
        verdict = report["verdict"]
        report["run"]["name"] = verdict["headline"] = text
        verdict["evidence"] = verdict["advice"] = [{"text": text}]
        report["data_loss"]["rows"] = [{"detail": text}]
        page = _html.page(report)
        assert not HIDDEN.search(page) and "<script" not in page and "<img" not in page, ascii(text)
    for text in (repr(a), str(steptrace.compare(a, b)), steptrace.compare(a, b)._repr_html_()):
        assert not HIDDEN.search(text), ascii(text)
    with pytest.raises(steptrace.SteptraceError) as none:
        steptrace.open(folder / "\u202enone", folder)
    assert not HIDDEN.search(str(none.value))


@pytest.mark.parametrize(
    "view", ["operators", "kernels", "critical_path", "timeline", "rules", "runs"]
)
def test_figures_are_inert(folder, view):
    pytest.importorskip("matplotlib")
    from matplotlib.text import Text

    figure = getattr(steptrace.open(folder / PATH_OF_RUN).plot, view)()
    figure.canvas.draw()
    for text in figure.findobj(Text):
        assert not HIDDEN.search(text.get_text().replace("\n", "")), ascii(text.get_text())


def test_every_character_that_unicode_calls_invisible_is_hidden():
    for code in range(0x110000):
        category = unicodedata.category(chr(code))
        if category in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp") and code not in SEEN:
            assert HIDDEN.fullmatch(chr(code)), hex(code)
        if code & 0xFFFE == 0xFFFE or 0xFE00 <= code <= 0xFE0F:
            assert HIDDEN.fullmatch(chr(code)), hex(code)
        if category[0] in "LNPS" or category == "Zs":
            fillers = (0x115F, 0x1160, 0x3164, 0xFFA0)
            assert not HIDDEN.fullmatch(chr(code)) or code in fillers, hex(code)
