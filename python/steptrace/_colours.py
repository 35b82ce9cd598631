# SPDX-License-Identifier: Apache-2.0
"""Okabe and Ito's palette: told apart without red and green. A suspect keeps its colour."""

SUSPECTS = {
    "data_pipeline": "#E69F00",
    "model": "#0072B2",
    "communication": "#CC79A7",
    "framework_overhead": "#D55E00",
    "other": "#8A8F98",
}
FIRST, SECOND, THIRD, FOURTH, QUIET = "#0072B2", "#E69F00", "#CC79A7", "#D55E00", "#C9CDD3"
# For what needs more than a few: names of slices.
MANY = ("#0072B2", "#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#D55E00", "#7A6FB5", "#A68A64")
