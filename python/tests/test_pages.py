# SPDX-License-Identifier: Apache-2.0
"""Figures of a run in Python, the notebook that `report --notebook` writes, and show()."""

import json
import os
import subprocess

import pytest
from test_cli import executable
from test_store_readable import make_run

import steptrace

VIEWS = [
    "breakdown",
    "steps",
    "histogram",
    "data_pipeline",
    "system",
    "devices",
    "operators",
    "kernels",
    "critical_path",
    "memory",
    "distributed",
]
HOSTILE = "<script>alert('$x^2$')</script>\n" + 2000 * "k"


def event(name, category, begin_us, duration_us, tid, **args):
    return {
        "ph": "X",
        "name": name,
        "cat": category,
        "ts": begin_us,
        "dur": duration_us,
        "pid": 1 if category != "kernel" else 0,
        "tid": tid,
        "args": args,
    }


def profile():
    """Two steps of an operator that launches a kernel each; one name is hostile."""
    events = []
    for step in range(2):
        at = 1000 * step
        events += [
            event(f"ProfilerStep#{step}", "user_annotation", at, 900, 1),
            event("aten::mm", "cpu_op", at + 10, 300, 1, **{"External id": step + 1}),
            event("cudaLaunchKernel", "cuda_runtime", at + 20, 50, 1, correlation=step + 7),
            event(HOSTILE, "kernel", at + 100, 400, 7, correlation=step + 7, device=0, stream=7),
        ]
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0}], "traceEvents": events}


def ask(*arguments, cwd):
    plain = {k: v for k, v in os.environ.items() if not k.startswith("STEPTRACE_")}
    return subprocess.run(
        [str(executable()), *map(str, arguments)],
        cwd=cwd,
        env=plain,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run with steps and counters, and one of a profile."""
    folder = tmp_path_factory.mktemp("pages")
    assert make_run(folder / "demo").returncode == 0
    (folder / "trace.json").write_text(json.dumps(profile()))
    assert ask("import", "trace.json", "-o", "profile", cwd=folder).returncode == 0
    return {"demo": steptrace.open(folder / "demo"), "profile": steptrace.open(folder / "profile")}


def title_of(figure):
    return figure.axes[0].get_title(loc="left")


@pytest.mark.parametrize("name", ["demo", "profile"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_a_picture_of_every_run(runs, name, view):
    figure = getattr(runs[name].plot, view)()
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_bars_are_the_report(runs):
    report = runs["profile"].report()
    axes = runs["profile"].plot.kernels().axes[0]
    widths = [bar.get_width() for bar in axes.patches]
    assert widths == [row["total_ns"] / 1e6 for row in report["kernels"]]
    (label,) = [text.get_text() for text in axes.get_yticklabels()]
    assert label.startswith("<script>alert(") and len(label) < 60, "one short line of text"


def test_steps_are_the_table(runs):
    axes = runs["demo"].plot.steps().axes[0]
    drawn = sorted(y for line in axes.lines for y in line.get_ydata())
    rows = runs["demo"].table("steps", ["dur_ns"]).column("dur_ns").to_pylist()
    assert drawn == sorted(dur_ns / 1e6 for dur_ns in rows)


def test_what_is_not_there_is_said(runs):
    figure = runs["demo"].plot.kernels()
    assert title_of(figure) == "Kernels"
    assert figure.axes[0].texts[0].get_text() == "The run holds no kernels."


def test_compare_has_both_runs(runs):
    labels = [
        t.get_text() for t in runs["demo"].plot.compare(runs["demo"]).axes[0].get_yticklabels()
    ]
    assert len(labels) == 2


def test_without_matplotlib_one_line(runs, monkeypatch):
    import sys

    from steptrace import _plot

    monkeypatch.setattr(_plot, "_figure_class", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(steptrace.SteptraceError, match="pip install matplotlib"):
        runs["demo"].plot.kernels()


@pytest.mark.parametrize("name", ["demo", "profile"])
def test_the_notebook_runs_from_top_to_bottom(runs, name, tmp_path):
    import nbclient
    import nbformat

    written = ask("report", runs[name].path, "--notebook", tmp_path / "out.ipynb", cwd=tmp_path)
    assert written.returncode == 0, written.stderr
    notebook = nbformat.read(tmp_path / "out.ipynb", as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert not [output for output in outputs if output.output_type == "error"]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) == sum("run.plot." in cell.source for cell in notebook.cells)
    headline = runs[name].report()["verdict"]["headline"]
    assert any(headline in output.get("text", "") for output in outputs)


def test_show_is_a_frame_of_its_own(runs):
    page = runs["profile"].show()._repr_html_()
    assert page.startswith("<iframe sandbox=") and page.count("<script>") == 0


def test_the_page_is_whole_and_its_names_are_text(runs, tmp_path):
    out = tmp_path / "out.html"
    written = ask("report", runs["profile"].path, "--html", out, cwd=tmp_path)
    assert written.returncode == 0, written.stderr
    assert written.stderr == f"steptrace: wrote {out}\n"
    text = out.read_text()
    begin = '<script type="application/json" id="steptrace-report">'
    embedded = text.split(begin)[1].split("</script>")[0]
    content = json.loads(embedded)
    assert content["report"]["kernels"][0]["name"] == runs["profile"].report().kernels[0].name
    assert len(content["steps"]["dur_ns"]) == 2
    assert HOSTILE[:8] not in embedded
    assert "http://" not in text.replace("http://www.w3.org/", "")  # nothing is fetched


def test_names_of_a_megabyte_leave_the_page_small(tmp_path):
    name = 1_000_000 * "m"
    events = [
        event("aten::mm", "cpu_op", 10, 300, 1, **{"External id": 1}),
        event("cudaLaunchKernel", "cuda_runtime", 20, 50, 1, correlation=7),
        event(name, "kernel", 100, 400, 7, correlation=7, device=0, stream=7),
    ]
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    assert ask("import", trace, "--output", tmp_path / "run", cwd=tmp_path).returncode == 0
    out = tmp_path / "out.html"
    assert ask("report", tmp_path / "run", "--html", out, cwd=tmp_path).returncode == 0
    text = out.read_text()
    assert 5000 * "m" not in text
    assert "[1000000 bytes, text " in text
