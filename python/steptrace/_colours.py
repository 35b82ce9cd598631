# SPDX-License-Identifier: Apache-2.0
"""Okabe and Ito's palette: told apart without red and green. Those of suspects are in _stages.py."""

FIRST, SECOND, THIRD, FOURTH, QUIET = "#0072B2", "#E69F00", "#CC79A7", "#D55E00", "#C9CDD3"
# For what needs more than a few: names of slices.
MANY = ("#0072B2", "#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#D55E00", "#7A6FB5", "#A68A64")
