# SPDX-License-Identifier: Apache-2.0
"""Phrases that are not the field's are found in what users read, and nowhere else."""

import importlib.util
from pathlib import Path

import pytest
from cli_tools import ROOT

spec = importlib.util.spec_from_file_location("check_words", ROOT / "tools/check_words.py")
check_words = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_words)


def found(path, text):
    return [fault.split('"')[1] for fault in check_words.faults(Path(path), text)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("schema/a.toml", 'what = "it was mended by the run"'),
        ("docs/a.md", "The run was mended by hand."),
        ("src/cli/a.cc", '  return Error{"the run was mended by hand"};'),
        ("python/steptrace/_a.py", 'say("the run was mended by hand")'),
        ("ui/src/a.ts", "const text = 'the run was mended by hand';"),
        ("ui/src/A.svelte", "<p>The run was mended by hand.</p>"),
    ],
)
def test_what_users_read_is_looked_at(path, text):
    assert found(path, text) == ["mended"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("schema/a.toml", "# it was mended by the run"),
        ("docs/a.md", "Use `the mended run of` it.\n\n    steptrace show the mended run\n"),
        ("docs/a.md", "See [the run](mended.md)."),
        ("src/cli/a.cc", "  // the run was mended by hand"),
        ("src/cli/a_test.cc", '  Expect("the run was mended by hand");'),
        ("python/steptrace/_a.py", '"""The run was mended by hand."""'),
        ("ui/src/a.ts", "// the run was mended 'by the hand' here"),
        ("docs/a.md", "There is no run here. It is recommended."),
    ],
)
def test_what_users_do_not_read_is_not(path, text):
    assert found(path, text) == []


def test_each_phrase_says_what_to_write():
    assert len(check_words.PHRASES) >= 30
    assert all(better for _, better in check_words.PHRASES)


def test_an_exception_is_of_its_file_and_its_words(monkeypatch):
    monkeypatch.setitem(check_words.EXCEPTIONS, "docs/a.md", ["a stretch of road"])
    assert found("docs/a.md", "This is a stretch of road.") == []
    assert found("docs/a.md", "This is a stretch of time.") == ["stretch"]
    assert found("docs/b.md", "This is a stretch of road.") == ["stretch"]
