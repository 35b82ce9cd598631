# SPDX-License-Identifier: Apache-2.0
"""tools/check_vocabulary.py on this tree, with a word more than it has."""

import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
METRIC = """
[[scope.metric]]
name = "agent.unsampled_bytes"
unit = "bytes"
what = "What nobody samples."
"""
CAUSE = """
[[section.cause]]
name = "uncounted"
label = "Lost"
tables = ["slices"]
lost = "what nobody counts"
why = "nothing happens"
to_do = "nothing"
detail = "nothing"
"""
KIND = """
[[kind]]
id = "note.unfound"
role = "note"
since = "0.1"
title = "what nobody finds"
sentence = "nobody finds it"
"""


def check(folder, file="", more=""):
    shutil.copytree(ROOT / "schema", folder / "schema")
    for name in ("src", "docs", "python", "ui"):
        (folder / name).symlink_to(ROOT / name)
    if file:
        path = folder / "schema" / file
        path.write_text(path.read_text() + more)
    tool = ROOT / "tools" / "check_vocabulary.py"
    return subprocess.run(
        [sys.executable, str(tool)], cwd=folder, capture_output=True, text=True, check=False
    )


def test_every_word_of_this_tree_is_produced(tmp_path):
    done = check(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("file", "more", "says"),
    [
        ("metrics.toml", METRIC, "agent.unsampled_bytes: nothing samples or imports it"),
        ("data_loss.toml", CAUSE, "uncounted: nothing counts it"),
        ("findings.toml", KIND, "note.unfound: nothing finds it"),
    ],
)
def test_a_word_that_nothing_produces(tmp_path, file, more, says):
    done = check(tmp_path, file, more)
    assert done.returncode == 1, done.stderr
    assert done.stdout == f"schema/{file}: {says}\n"
