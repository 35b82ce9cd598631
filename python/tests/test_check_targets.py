# SPDX-License-Identifier: Apache-2.0
"""tools/check_targets.py on small trees, each with one thing wrong."""

import pathlib
import subprocess
import sys

import pytest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_targets.py"
SOUND = {
    "src/base/CMakeLists.txt": "steptrace_library(steptrace_base SOURCES a.cc)\n",
    "src/base/a.cc": '#include "base/a.h"\n',
    "src/base/a.h": "#pragma once\n",
    "src/store/CMakeLists.txt": """
steptrace_library(steptrace_store
  SOURCES
    b.cc  # "store/b.h"
  DEPS
    steptrace_base fmt::fmt)
steptrace_test(store_test SOURCES b_test.cc DEPS steptrace_store)
""",
    "src/store/b.cc": '#include "store/b.h"\n',
    "src/store/b.h": '#include "base/a.h"\n',
    "src/store/b_test.cc": '#include "store/b.h"\n#include "base/a.h"\n',
    "src/timeline/CMakeLists.txt": "steptrace_library(steptrace_timeline SOURCES c.cc DEPS steptrace_store)\n",
    "src/timeline/c.cc": '#include "store/b.h"\n',
}
STORE = SOUND["src/store/CMakeLists.txt"]


def check(folder, changes):
    for path, text in {**SOUND, **changes}.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / "src/import/formats").mkdir(parents=True)
    return subprocess.run(
        [sys.executable, str(TOOL)], cwd=folder, capture_output=True, text=True, check=False
    )


def test_a_sound_tree_passes(tmp_path):
    done = check(tmp_path, {})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"src/store/forgotten.cc": ""},
            "src/store/forgotten.cc: no target has it",
        ),
        (
            {"src/store/CMakeLists.txt": STORE.replace("b_test.cc", "b_test.cc gone_test.cc")},
            "src/store/gone_test.cc: is not there",
        ),
        (
            {"src/store/CMakeLists.txt": STORE.replace("steptrace_base ", "")},
            "steptrace_store includes base (b.h) and does not link it",
        ),
        (
            {"src/store/b.h": ""},
            "steptrace_store links steptrace_base and includes nothing of base",
        ),
        (
            {
                "src/base/CMakeLists.txt": SOUND["src/base/CMakeLists.txt"].replace(
                    ")", " DEPS steptrace_store)"
                )
            },
            "steptrace_base may not link steptrace_store: base may not include store",
        ),
        (
            {"src/analyze/CMakeLists.txt": "steptrace_library(steptrace_all DEPS steptrace_store)"},
            "src/analyze/CMakeLists.txt: steptrace_all stands for others",
        ),
    ],
    ids=["forgotten", "gone", "not linked", "linked in vain", "against the layers", "of all"],
)
def test_each_fault_is_named(tmp_path, changes, says):
    done = check(tmp_path, changes)
    assert done.returncode == 1
    assert says in done.stdout
