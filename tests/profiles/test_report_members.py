# SPDX-License-Identifier: Apache-2.0
"""Reports of made profiles, real ones and a recorded run follow docs/reference/report.schema.json, sections too."""

import json
import shutil

import profile_runs
import pytest
import test_operators
from real_profiles import KINETO, ROOT
from report_schema import OF_A_SECTION, breaches

# That of rules is the profiling report (docs/reference/rules.md), and no part of this one.
SECTIONS = (
    *("devices", "operators", "kernels", "memory", "modules"),
    *("distributed", "critical-path", "recommendations"),
)


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
def test_a_report(source, tmp_path):
    run = source(tmp_path) if callable(source) else profile_runs.imported(tmp_path, source)
    assert breaches(json.loads(profile_runs.steptrace("report", run, "--json"))) == []


@pytest.mark.parametrize("source", [made_ranks, made_operators, recorded])
def test_sections(source, tmp_path):
    run = source(tmp_path)
    for name in SECTIONS:
        told = profile_runs.steptrace("report", run, "--section", name, "--top", "3", "--json")
        assert breaches(json.loads(told), OF_A_SECTION) == [], name
