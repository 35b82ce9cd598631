# SPDX-License-Identifier: Apache-2.0
"""Shares in notebooks are written as the report's text writes them, names as its pages do."""

from steptrace._format import percent, words


def test_a_small_share_is_not_none():
    shares = (0.6534, 0.0065, 0.00013, 0, 1)
    assert [percent(share) for share in shares] == ["65 %", "0.7 %", "<0.1 %", "0 %", "100 %"]


def test_stored_names_become_words():
    names = ("data_pipeline", "cpu_shortage", "getitem", "gc", "no_such_name")
    assert [words(name) for name in names] == [
        "data pipeline",
        "CPU contention",
        "dataset __getitem__",
        "garbage collection",
        "no such name",
    ]
