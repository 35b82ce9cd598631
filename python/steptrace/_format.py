# SPDX-License-Identifier: Apache-2.0
"""Numbers and names as pages show them; of numbers at most three significant digits."""

from ._stages import TITLES

_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"))


def _three_digits(value):
    """12.345 -> 12.3, 1048.1 -> 1050, 4.0 -> 4."""
    text = f"{float(f'{value:.3g}'):.12f}".rstrip("0")
    return text.rstrip(".")


def duration(ns):
    """62.1 ms, 1.05 s, 12.4 min, -3 µs; minutes from ten of them on."""
    ns = float(ns or 0)
    if ns == 0:
        return "0 s"
    if abs(ns) >= 600e9:
        return _three_digits(ns / 60e9) + " min"
    for scale, unit in _UNITS:
        # 999.9 µs is 1 ms.
        if abs(float(f"{ns / scale:.3g}")) >= 1:
            return f"{_three_digits(ns / scale)} {unit}"
    return f"{ns:.0f} ns"


def percent(share):
    """65 %, 0.4 %, <0.1 %: as the report's text has it."""
    value = 100 * float(share or 0)
    if 0 < value < 0.05:
        return "<0.1 %"
    return f"{value:.1f} %" if 0 < value < 0.95 else f"{value:.0f} %"


def words(name):
    """data_pipeline -> data pipeline."""
    name = str(name)
    return TITLES.get(name) or name.replace("_", " ")
