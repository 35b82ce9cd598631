# SPDX-License-Identifier: Apache-2.0
"""What a training loop is in, moment by moment, of the ranges of its hooks."""

import pathlib
import re

from steptrace._hooks import vocabulary
from steptrace._phases import PHASE_COLOURS, phase_lane, phase_of

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_each_phase_that_records_name_has_a_colour():
    tables = (ROOT / "ui" / "src" / "api" / "tables.ts").read_text(encoding="utf-8")
    phases = re.search(r"STEP_PHASES = \[(.*?)\]", tables, re.S)[1]
    names = {name.removesuffix("_phase") for name in re.findall(r"'(\w+)'", phases)}
    recorded = {word for word in vars(vocabulary).values() if isinstance(word, str)}
    assert {"data", "backward", "gc"} <= names & recorded
    assert names & recorded <= PHASE_COLOURS.keys() <= names


def test_the_gap_before_a_backward_is_forward_and_any_other_is_not():
    ranges = [(0, 10, "data"), (30, 60, "backward"), (62, 70, "optimizer"), (80, 90, "data")]
    assert phase_lane([(0, 70), (70, 90)], ranges) == [
        (0, 10, "data"),
        (10, 20, "forward"),
        (30, 30, "backward"),
        (60, 2, "other"),
        (62, 8, "optimizer"),
        (70, 10, "other"),
        (80, 10, "data"),
    ]


def test_the_innermost_range_counts_and_does_not_end_a_forward():
    ranges = [(0, 1, "data"), (5, 6, "gc"), (8, 20, "backward"), (10, 12, "communication")]
    assert phase_lane([(0, 20)], ranges) == [
        (0, 1, "data"),
        (1, 4, "forward"),
        (5, 1, "gc"),
        (6, 2, "forward"),
        (8, 2, "backward"),
        (10, 2, "communication"),
        (12, 8, "backward"),
    ]


def test_an_evaluation_takes_its_waits_and_what_no_range_covers():
    ranges = [(0, 2, "data"), (4, 5, "data"), (6, 7, "checkpoint"), (9, 10, "optimizer")]
    parts = phase_lane([(0, 10)], ranges, [(4, 8)])
    assert [phase for _, _, phase in parts] == [
        "data",
        "other",
        "evaluation",
        "evaluation",
        "checkpoint",
        "evaluation",
        "optimizer",
    ]


def test_every_nanosecond_between_the_ranges_has_one_phase():
    ranges = [(1, 3, "data"), (5, 50, "backward"), (6, 60, "optimizer"), (7, 9, "gc")]
    parts = phase_lane([(0, 100)], ranges)
    assert sum(length for _, length, _ in parts) == 59
    assert all(a[0] + a[1] == b[0] for a, b in zip(parts, parts[1:]))


def test_ranges_that_are_no_phase():
    assert phase_of("communication", "all_reduce") == "communication"
    assert phase_of("phase", "loader_iter") == "data"
    assert phase_of("phase", "hooks_aside") is None
    assert phase_of("user", "backward") is None
