# SPDX-License-Identifier: Apache-2.0
"""tools/check_tree.py on small trees, each with one thing wrong."""

import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_tree.py"
LICENCE = "SPDX-License-Identifier: Apache-2.0"
SOUND = {
    "README.md": "[steps](docs/steps.md)\n",
    "docs/steps.md": "# Steps\n",
    "src/README.md": "# src\n",
    "src/store/README.md": "# store\n",
    "src/store/CMakeLists.txt": f"# {LICENCE}\nsteptrace_library(steptrace_store SOURCES a.cc)\n",
    "src/store/a.h": f"// {LICENCE}\n#pragma once\n",
    "src/store/a.cc": f'// {LICENCE}\n#include "store/a.h"\n',
}


def check(folder, changes):
    for path, text in {**SOUND, **changes}.items():
        file = folder / path
        if text is None:
            file.unlink(missing_ok=True)
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return subprocess.run(
        [sys.executable, str(TOOL)], cwd=folder, capture_output=True, text=True, check=False
    )


def test_a_sound_tree_passes(tmp_path):
    done = check(tmp_path, {})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


# Words that the tool refuses, in pieces: it reads this file, too.
@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"src/store/README.md": None}, "src/store: no README.md states the folder's rule"),
        ({"src/store/a.cc": "int a;\n"}, "src/store/a.cc: no SPDX line at the top"),
        (
            {"src/store/a.h": SOUND["src/store/a.h"] + "// DESIG" + "N section 8\n"},
            "src/store/a.h: names a page that is not in the tree",
        ),
        (
            {"docs/steps.md": "As ../share" + "d/reference/steps.md says.\n"},
            "docs/steps.md: names a page that is not in the tree",
        ),
        ({"docs/alone.md": "# Alone\n"}, "docs/alone.md: no link leads here from README.md"),
        (
            {
                "src/store/a.cc": f"// {LICENCE}\nnamespace {{\n}}  // namespace\n\n"
                + "namespace {\n}  // namespace\n"
            },
            "src/store/a.cc: a namespace ends and begins again with nothing between",
        ),
        (
            {"src/store/CMakeLists.txt": SOUND["src/store/CMakeLists.txt"] + "#" * 121 + "\n"},
            "src/store/CMakeLists.txt: a line of more than 120 columns",
        ),
        (
            {"src/store/a.cc": SOUND["src/store/a.cc"] + "int a;\n" * 600},
            "src/store/a.cc: 602 lines, a source has at most",
        ),
    ],
    ids=["readme", "licence", "page", "reference", "link", "namespace", "columns", "lines"],
)
def test_each_fault_is_named(tmp_path, changes, says):
    done = check(tmp_path, changes)
    assert done.returncode == 1
    assert says in done.stdout
    assert done.stdout.count("\n") == 1
