# SPDX-License-Identifier: Apache-2.0
"""Shares in notebooks are written as the report's text writes them, names as its pages do."""

import pathlib
import re

from steptrace._format import percent, words


def test_a_small_share_is_not_none():
    shares = (0.6534, 0.0065, 0.00013, 0, 1)
    assert [percent(share) for share in shares] == ["65 %", "0.7 %", "<0.1 %", "0 %", "100 %"]


def test_stored_names_become_words():
    names = ("data_pipeline", "cpu_shortage", "getitem")
    assert [words(n) for n in names] == ["data pipeline", "CPU contention", "dataset __getitem__"]


def test_names_are_those_of_the_pages():
    # Those of suspects and stages are made of one file for both.
    source = pathlib.Path(__file__).parents[2] / "ui" / "src" / "base" / "format.ts"
    body = re.search(r"const SPOKEN[^{]*\{(.*?)\n\};", source.read_text(), re.DOTALL).group(1)
    pages = dict(re.findall(r"(\w+): '([^']*)'", body))
    assert len(pages) > 3
    assert {name: words(name) for name in pages} == pages
