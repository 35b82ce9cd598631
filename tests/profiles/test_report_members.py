# SPDX-License-Identifier: Apache-2.0
"""Every member of the report's JSON is told in docs/reference/report.md, operators.md or findings.md."""

import json
import re
import shutil

import profile_runs
import pytest
import test_operators
from real_profiles import KINETO, ROOT

PAGES = [
    ROOT / "docs" / "reference" / name for name in ("report.md", "operators.md", "findings.md")
]
OWN = {"fact", "parameters"}  # whose members are a loader's and a rule's own


def told():
    """What stands as code on the pages, outside of blocks."""
    words = set()
    for page in PAGES:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        for code in re.findall(r"`([^`]+)`", text):
            words.update(re.findall(r"\w+", code))
    return words


def members(value, path=""):
    if isinstance(value, list):
        for one in value:
            yield from members(one, path + "[]")
    elif isinstance(value, dict):
        for key, one in value.items():
            yield f"{path}.{key}", key
            if key not in OWN:
                yield from members(one, f"{path}.{key}")


def made_ranks(folder):
    return profile_runs.imported(folder, *profile_runs.made_ranks(folder))


def made_operators(folder):
    return profile_runs.imported(folder, test_operators.made(folder / "made.pt.trace.json", 1))


def recorded(folder):
    return shutil.copytree(ROOT / "tests" / "compat" / "format-1" / "closed", folder / "run")


@pytest.mark.parametrize(
    "source",
    [made_ranks, made_operators, recorded, *sorted(KINETO.glob("*.json.gz"))],
    ids=lambda source: getattr(source, "name", None) or source.__name__,
)
def test_every_member_is_told(source, tmp_path):
    run = source(tmp_path) if callable(source) else profile_runs.imported(tmp_path, source)
    report = json.loads(profile_runs.steptrace("report", run, "--json"))
    words = told()
    assert sorted({path for path, name in members(report) if name not in words}) == []
