# SPDX-License-Identifier: Apache-2.0
"""Figures do not change unsaid: each of the frozen ones is what this version computes, or stands in changes.toml."""

import gzip
import json
import re

import pytest
import sources
import tomllib
from figures import figures, same

CHANGES = tomllib.loads((sources.HERE / "changes.toml").read_text(encoding="utf-8"))["change"]


def frozen(name):
    return json.loads(gzip.decompress((sources.HERE / "figures" / f"{name}.json.gz").read_bytes()))


def matches(pattern, name):
    """Whether a name is that of a pattern, in which `*` is anything."""
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), name) is not None


def listed(source, figure):
    return any(
        matches(change["source"], source)
        and any(matches(pattern, figure) for pattern in change["figures"])
        for change in CHANGES
    )


def differences(source, before, now):
    """A line per figure that differs, is gone or is new, and is not listed."""
    nothing = object()
    for figure in sorted(before.keys() | now.keys()):
        was, becomes = before.get(figure, nothing), now.get(figure, nothing)
        if was is not nothing and becomes is not nothing and same(was, becomes):
            continue
        if not listed(source, figure):
            texts = ["nothing" if v is nothing else repr(v) for v in (was, becomes)]
            yield f"{source}: {figure}: {texts[0]} became {texts[1]}"


def check(lines):
    lines = list(lines)
    assert not lines, "\n".join([*lines[:40], f"{len(lines)} figures in all; see README.md"])


@pytest.mark.parametrize("name", sources.recordings())
def test_a_recording_has_the_figures_that_it_had(name):
    check(differences(name, frozen(name), figures(sources.report(sources.recordings()[name]))))


@pytest.mark.parametrize("name", sources.REAL)
def test_an_import_has_the_figures_that_it_had(name, tmp_path):
    if not (sources.PROFILES / sources.REAL[name]).exists():
        pytest.skip(f"no real profiles in {sources.PROFILES}")
    run = sources.imported(name, tmp_path)
    check(differences(name, frozen(name), figures(sources.report(run))))


def test_the_verdict_cases_have_the_figures_that_they_had():
    before, now = frozen("verdict_cases"), sources.case_reports()
    assert before.keys() <= now.keys(), "a case of the baseline is gone"
    check(line for name in before for line in differences(name, before[name], figures(now[name])))


def test_a_difference_is_found():
    before = {"a.ns": 1, "b": 0.5, "c": "model", "d": None, "e": 1}
    now = {"a.ns": 2, "b": 0.5 + 1e-15, "c": "other", "d": 0, "f": True}
    found = [line.split(": ")[1] for line in differences("x", before, now)]
    assert found == ["a.ns", "c", "d", "e", "f"]


def test_every_listed_change_has_a_cause():
    for change in CHANGES:
        assert change["cause"].strip() and change["source"] and change["figures"]
