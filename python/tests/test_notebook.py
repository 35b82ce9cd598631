# SPDX-License-Identifier: Apache-2.0
"""The notebook that `report --notebook` writes: its results are in it, and it runs again."""

import html
import json
import os
import shutil
import subprocess

import pytest
import test_pages
from test_cli import executable

import steptrace

ask, runs = test_pages.ask, test_pages.runs  # the second is a fixture


def outputs_of(path, run, other=None):
    """What the notebook on these runs holds; run again from top to bottom it shows the same."""
    import nbclient
    import nbformat

    more = ["--compare", other.path] if other else []
    written = ask("report", run.path, *more, "--notebook", path, cwd=path.parent)
    assert written.returncode == 0, written.stderr
    assert written.stderr == f"steptrace: wrote {path}\n", "no result is missing"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    stored = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    at_home = {"metadata": {"path": str(path.parent)}}
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources=at_home
    )
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert not [output for output in outputs if output.output_type == "error"]
    kinds = [sorted(output.get("data", {"text": 0})) for output in outputs]
    assert [sorted(output.get("data", {"text": 0})) for output in stored] == kinds
    pictures = [output for output in stored if "image/png" in output.get("data", {})]
    assert len(pictures) == sum(".plot." in cell.source for cell in notebook.cells)
    return stored


def text_of(output):
    return html.unescape(output.get("text", "") or output.get("data", {}).get("text/html", ""))


@pytest.mark.parametrize("name", ["demo", "profile"])
def test_the_notebook_holds_its_results_and_runs_again(runs, name, tmp_path):
    outputs = outputs_of(tmp_path / "out.ipynb", runs[name])
    assert runs[name].report()["verdict"]["headline"] in text_of(outputs[0])
    held = (tmp_path / "out.ipynb").read_text()
    assert "The run holds no" not in held, "no section is empty"
    places = json.loads(held)["cells"][1]["source"]
    assert f'RUN = "{os.path.relpath(runs[name].path, tmp_path)}"' in places


def test_the_notebook_of_two_runs_begins_with_both(runs, tmp_path):
    outputs = outputs_of(tmp_path / "two.ipynb", runs["demo"], runs["profile"])
    first = text_of(outputs[0])
    assert steptrace.compare(runs["demo"], runs["profile"]).headline.text in first
    for run in runs.values():
        headline = run.report()["verdict"]["headline"]
        assert headline in first
        assert sum(headline in text_of(output) for output in outputs) == 2
    assert "image/png" in outputs[1]["data"], "both steps in one figure"


def test_without_a_python_the_notebook_has_no_results_and_says_so(runs, tmp_path):
    env = {"PATH": str(tmp_path)}
    (tmp_path / "steptrace").symlink_to(os.path.realpath(executable()))
    package = os.path.dirname(steptrace.__file__)
    shutil.copytree(
        package, tmp_path / "package", ignore=shutil.ignore_patterns("ui", "__pycache__")
    )
    command = [tmp_path / "steptrace", "report", runs["demo"].path, "--notebook", "out.ipynb"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**env, "STEPTRACE_PACKAGE_DIR": str(tmp_path / "package")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "results are missing: there is no python3 on PATH" in done.stderr
    cells = json.loads((tmp_path / "out.ipynb").read_text())["cells"]
    assert all(not cell["outputs"] for cell in cells if cell["cell_type"] == "code")


def test_in_a_folder_the_files_are_named_after_their_runs(runs, tmp_path):
    run, other = runs["demo"], runs["profile"]
    done = ask("report", run.path, "--html", ".", "--notebook", ".", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo.html", "demo.ipynb"]
    both = ask("compare", run.path, other.path, "--html", tmp_path, cwd=tmp_path)
    assert both.stderr == f"steptrace: wrote {tmp_path / 'demo-and-profile.html'}\n"
