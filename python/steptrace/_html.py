# SPDX-License-Identifier: Apache-2.0
"""A report as a small piece of HTML for notebooks: no script, nothing from outside.

Names in a report come from strangers: every text passes _text(), every number is made by us.
"""

import html

from ._colours import COLOURS
from ._format import duration, percent, words
from ._inert import inert
from ._stages import SUSPECT_COLOURS


def _text(text):
    """Of a stranger, for a page: no markup, nothing hidden."""
    return html.escape(inert(text))


def _words(name):
    return _text(words(name))


def _bar(name, share):
    width = max(0.0, min(100.0, 100.0 * float(share or 0)))
    colour = SUSPECT_COLOURS.get(name, COLOURS["other"])
    return f'<div style="background:{colour};height:.8em;width:{width:.1f}%;min-width:1px"></div>'


def _suspect_row(suspect, step_ns):
    name, share = suspect.get("name", ""), float(suspect.get("share") or 0)
    each = duration(step_ns * share) if step_ns else ""
    return (
        f'<tr><td style="text-align:left">{_words(name)}</td>'
        f'<td style="width:20em">{_bar(name, share)}</td>'
        f"<td>{html.escape(percent(share))}</td><td>{each}</td></tr>"
    )


def _rows(report, section):
    return (report.get(section) or {}).get("rows") or ()


def _suspects(report):
    step_ns = ((report.get("steps") or {}).get("duration_ns") or {}).get("mean") or 0
    rows = "".join(_suspect_row(suspect, step_ns) for suspect in _rows(report, "suspects"))
    return f"<table>{rows}</table>" if rows else ""


def _list(title, texts):
    lines = "".join(f"<li>{_text(text)}</li>" for text in texts)
    return f"<p><b>{title}</b></p><ul>{lines}</ul>" if lines else ""


def _texts(items):
    return [item.get("text", "") for item in items or ()]


def _losses(report):
    return [loss.get("detail") or loss.get("cause", "") for loss in _rows(report, "data_loss")]


def _head(report):
    run, steps = report.get("run") or {}, report.get("steps") or {}
    name, count = _text(run.get("name", "")), int(steps.get("count") or 0)
    return f"{name} &middot; {_words(run.get('status', ''))} &middot; {count} steps"


def page(report):
    """The verdict, the shares of the suspects, evidence, advice and losses."""
    verdict = report.get("verdict") or {}
    return "".join(
        [
            '<div style="font-family:sans-serif;max-width:50em">',
            f"<p>{_head(report)}</p>",
            f"<p><b>{_text(verdict.get('headline', ''))}</b></p>",
            _suspects(report),
            _list("Evidence", _texts(verdict.get("evidence"))),
            _list("What to change", _texts(verdict.get("advice"))),
            _list("Lost", _losses(report)),
            "</div>",
        ]
    )


_KINDS = (("step", "Step"), ("suspect", "Suspects"), ("sub_stage", "Stages"), ("phase", "Phases"))
_LEFT, _LEFT_TWO = '<th style="text-align:left">', '<th style="text-align:left" colspan="2">'
_LEAST_SHARE = 0.005  # what is less in both runs is left out


def _signed(ns):
    return ("+" if ns > 0 else "") + duration(ns)


def _side(side, name, longest):
    """Two cells: a bar as long as its time among the others, and the figures."""
    if not side["ns"]:
        return "<td></td><td>-</td>"
    bar = _bar(name, side["ns"] / longest)
    return (
        f'<td style="min-width:9em">{bar}</td>'
        f"<td>{duration(side['ns'])}, {percent(side['share'])}</td>"
    )


def _compared_row(row, longest):
    low, high = row["change_low_ns"], row["change_high_ns"]
    interval = "not known: too few steps"
    if low is not None and high is not None:
        chance = "; may be chance" if low <= 0 <= high else ""
        interval = f"{_signed(low)} to {_signed(high)}{chance}"
    name = "mean step" if row["kind"] == "step" else _words(row["name"])
    return (
        f'<tr><td style="text-align:left">{name}</td>'
        + _side(row["a"], row["name"], longest)
        + _side(row["b"], row["name"], longest)
        + f"<td>{_signed(row['change_ns'])}</td>"
        f'<td style="text-align:left">{interval}</td></tr>'
    )


def _compared(rows):
    """A block of rows a kind; a bar is measured by the longest of its block."""
    lines = []
    for kind, title in _KINDS:
        block = [row for row in rows if row["kind"] == kind]
        block = [r for r in block if max(r["a"]["share"], r["b"]["share"]) >= _LEAST_SHARE]
        if not block:
            continue
        longest = max(max(row["a"]["ns"], row["b"]["ns"]) for row in block)
        lines.append(
            f"<tr>{_LEFT}{title}</th>{_LEFT_TWO}A</th>{_LEFT_TWO}B</th><th>B - A</th>"
            f"{_LEFT}95 % interval</th></tr>"
        )
        lines += [_compared_row(row, longest) for row in block]
    table = f'<table style="white-space:nowrap">{"".join(lines)}</table>'
    return table if lines else ""


def comparison(compared, a, b):
    """The sentence, both verdicts, and the parts of the step in both; a, b: their reports."""
    verdicts = "".join(
        f"<p><b>{letter}</b> {_head(report)}<br>{_text(report['verdict']['headline'])}</p>"
        for letter, report in (("A", a), ("B", b))
    )
    rows = compared["rows"]
    steps = [row for row in rows if row["kind"] == "step"]
    both = all(row[side]["ns"] > 0 for row in steps for side in "ab")
    note = "".join(f"<p>{_text(one['text'])}</p>" for one in compared["notes"])
    unlike = ", ".join(words(name) for name in compared["comparability"]["unlike"])
    note += f"<p>The runs differ in: {_text(unlike)}.</p>" if unlike else ""
    return (
        '<div style="font-family:sans-serif;max-width:70em">'
        f"<p><b>{_text(compared['headline']['text'])}</b></p>{verdicts}"
        f"{_compared(rows) + note if steps and both else ''}</div>"
    )
