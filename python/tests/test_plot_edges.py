# SPDX-License-Identifier: Apache-2.0
"""What a figure says fits on it, and says which row is which."""

import pytest

pytest.importorskip("matplotlib")

from steptrace._plot import Plots


def of_report(report):
    return Plots(type("Run", (), {"report": lambda self: report})())


def test_the_longest_step_is_below_the_edge():
    rows = [{"rank": 0, "ts_ns": i, "dur_ns": ns, "kind": "train"} for i, ns in enumerate((5, 9e6))]
    run = type("Run", (), {"table": lambda self, *asked: rows})()
    low, high = Plots(run).steps().axes[0].get_ylim()
    assert low == 0
    assert high > 9


def test_a_long_headline_is_broken_where_the_figure_ends():
    headline = "the model takes 83 %; next: communication, 11 %; seen in 6 steps"
    steps = {"duration_ns": {"mean": 2e6}}
    suspects = [{"name": "model", "share": 0.83}]
    report = {"steps": steps, "suspects": {"rows": suspects}, "verdict": {"headline": headline}}
    figure = of_report(report).breakdown()
    figure.draw_without_rendering()
    title = figure.axes[0]._left_title
    assert " ".join(title.get_text().split()) == "Where a step goes: " + headline
    assert title.get_window_extent().x1 <= figure.bbox.x1


def test_calls_on_the_critical_path_are_told_apart_by_their_operators():
    row = {"cause": "launch", "name": "cudaLaunchKernel", "ns": 1e6}
    rows = [{**row, "operator": "aten::mm"}, {**row, "operator": "aten::relu"}]
    rows.append({"cause": "host", "name": "", "operator": "", "ns": 1e6})
    axes = of_report({"critical_path": {"rows": rows}}).critical_path().axes[0]
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert labels[0] == "launch: cudaLaunchKernel of aten::mm"
    assert labels[1:] == ["launch: cudaLaunchKernel of aten::relu", "host: -"]


def test_ranks_whose_memory_the_report_leaves_out_are_counted():
    rows = [
        {"ts_ns": 0, "rank": rank, "device": 0, "total_allocated_bytes": None} for rank in range(3)
    ]
    curve = [{"ts_ns": 0, "allocated_bytes": 1}, {"ts_ns": 5, "allocated_bytes": 2}]
    report = {"memory": {"devices": [{"rank": 1, "device": 0, "curve": curve}]}}
    members = {"table": lambda self, *asked: rows, "report": lambda self: report}
    (axes,) = Plots(type("Run", (), members)()).memory().axes
    assert len(axes.lines) == 1
    assert "without 2 ranks" in axes._left_title.get_text()
