# SPDX-License-Identifier: Apache-2.0
"""What kernels compute in, drawn: of the report's `devices.rows[].precisions`."""

import pytest

pytest.importorskip("matplotlib")

from steptrace._plot import Plots


def test_precisions_of_devices_are_the_report():
    rows = [[("BF16", 5e6), (None, 1e6)], [("FP32", 2e6), ("BF16", 1e6)], []]
    devices = [
        {"rank": rank, "device": 0, "precisions": [{"precision": p, "ns": ns} for p, ns in of]}
        for rank, of in enumerate(rows)
    ]
    run = type("Run", (), {"report": lambda self: {"devices": {"rows": devices}}})()
    figure = Plots(run).precision()
    widths = [bar.get_width() for bar in figure.axes[0].patches]
    assert widths == [5, 1, 0, 2, 1, 0], "of two devices, by the longest of all"
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["BF16", "FP32", "unknown"]
    devices[:] = devices[2:]
    assert "no kernels" in Plots(run).precision().axes[0].texts[0].get_text()
