# SPDX-License-Identifier: Apache-2.0
"""Figures do not change unsaid: each of the frozen ones is what this version computes, or stands in changes.toml."""

import gzip
import json
import re

import pytest
import sources
import tomllib
from figures import figures, same

LISTED = tomllib.loads((sources.HERE / "changes.toml").read_text(encoding="utf-8"))
CHANGES, NAMES, WORDS = LISTED["change"], LISTED["name"], LISTED["word"]


def frozen(name):
    return json.loads(gzip.decompress((sources.HERE / "figures" / f"{name}.json.gz").read_bytes()))


def matches(pattern, name):
    """Whether a name is that of a pattern, in which `*` is anything."""
    return re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), name) is not None


def named_as_today(source, frozen_figures):
    """The frozen ones under the names that they have now."""
    names = [name for name in NAMES if matches(name["source"], source)]
    renamed = {}
    for figure, value in frozen_figures.items():
        for name in names:
            figure = figure.replace(name["before"], name["now"])
        renamed[figure] = value
    assert len(renamed) == len(frozen_figures), "two figures got one name"
    return renamed


def reworded(figure, was, becomes):
    """Whether a word is another one for the same."""
    return any(
        matches(word["figure"], figure) and was == word["before"] and becomes in word["now"]
        for word in WORDS
    )


NOTHING = object()


def is_of(change, source):
    """Whether a change is of a source: it names one, several, or a pattern."""
    named = change["source"]
    return any(matches(one, source) for one in ([named] if isinstance(named, str) else named))


def listed(source, figure, was, becomes):
    """Whether the list says why: of a change that is `new` or `gone` alone, of nothing else."""
    kind = "new" if was is NOTHING else "gone" if becomes is NOTHING else "other"
    return any(
        is_of(change, source)
        and change.get("only", kind) == kind
        and any(matches(pattern, figure) for pattern in change["figures"])
        for change in CHANGES
    )


def split_otherwise(before, now):
    """Times of `other` that are not those of the two suspects which it was split into."""
    for figure, ns in before.items():
        if not figure.endswith("suspects[other].ns"):
            continue
        parts = [figure.replace("[other]", f"[{one}]") for one in ("other_work", "unattributed")]
        if not same(ns, sum(now.get(part, 0) for part in parts)):
            yield figure


def adds_to_other(source):
    return any(change.get("adds_to_other", False) and is_of(change, source) for change in CHANGES)


def differences(source, before, now):
    """A line per figure that differs, is gone or is new, and is not listed."""
    yield from (
        f"{source}: {figure} is not the sum of its two"
        for figure in split_otherwise(before, now)
        if not adds_to_other(source)
    )
    before = named_as_today(source, before)
    for figure in sorted(before.keys() | now.keys()):
        was, becomes = before.get(figure, NOTHING), now.get(figure, NOTHING)
        if was is not NOTHING and becomes is not NOTHING and same(was, becomes):
            continue
        if not reworded(figure, was, becomes) and not listed(source, figure, was, becomes):
            texts = ["nothing" if v is NOTHING else repr(v) for v in (was, becomes)]
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


def test_a_figure_or_word_with_another_name_is_the_same_one():
    before = {
        "suspects[data_pipeline].ns": 1,
        "stages[other,unknown].ns": 2,
        "verdict.suspect": "other",
    }
    now = {"suspects[data_pipeline].ns": 1, "stages[unattributed,unknown].ns": 2}
    assert not list(differences("x", before, {**now, "verdict.suspect": "unattributed"}))
    (line,) = differences("x", before, {**now, "verdict.suspect": "model"})
    assert "verdict.suspect: 'other' became 'model'" in line
    now["stages[unattributed,unknown].ns"] = 3
    assert len(list(differences("x", before, {**now, "verdict.suspect": "other_work"}))) == 1


def test_what_other_was_split_into_sums_to_it():
    before = {"ranks[0].suspects[other].ns": 7}
    parts = {"ranks[0].suspects[other_work].ns": 3, "ranks[0].suspects[unattributed].ns": 4}
    assert not list(split_otherwise(before, parts))
    assert list(split_otherwise(before, {**parts, "ranks[0].suspects[unattributed].ns": 5}))


def test_every_listed_change_has_a_cause():
    for change in CHANGES:
        assert change["cause"].strip() and change["source"] and change["figures"]
    for one in (*NAMES, *WORDS):
        assert one["cause"].strip() and one["before"] != one["now"]
