# SPDX-License-Identifier: Apache-2.0
"""A report as a small piece of HTML for notebooks: no script, nothing from outside.

Names in a report come from strangers: every text is escaped, every number made by us.
"""

from html import escape

_COLOURS = {
    "data_pipeline": "#d9822b",
    "model": "#2b7bd9",
    "communication": "#8f2bd9",
    "framework_overhead": "#d92b55",
}
_OTHER_COLOUR = "#8a8f98"


def _words(name):
    return escape(str(name).replace("_", " "))


def _ms(ns):
    return "%.1f ms" % (float(ns or 0) / 1e6)


def _bar(name, share):
    width = max(0.0, min(100.0, 100.0 * float(share or 0)))
    colour = _COLOURS.get(name, _OTHER_COLOUR)
    return f'<div style="background:{colour};height:.8em;width:{width:.1f}%;min-width:1px"></div>'


def _suspect_row(suspect, step_ns):
    name, share = suspect.get("name", ""), float(suspect.get("share") or 0)
    each = _ms(step_ns * share) if step_ns else ""
    return (
        f'<tr><td style="text-align:left">{_words(name)}</td>'
        f'<td style="width:20em">{_bar(name, share)}</td>'
        f"<td>{100 * share:.0f} %</td><td>{each}</td></tr>"
    )


def _suspects(report):
    step_ns = ((report.get("steps") or {}).get("duration_ns") or {}).get("mean") or 0
    rows = "".join(_suspect_row(suspect, step_ns) for suspect in report.get("suspects") or ())
    return f"<table>{rows}</table>" if rows else ""


def _list(title, texts):
    lines = "".join(f"<li>{escape(str(text))}</li>" for text in texts)
    return f"<p><b>{title}</b></p><ul>{lines}</ul>" if lines else ""


def _texts(items):
    return [item.get("text", "") for item in items or ()]


def _losses(report):
    return [loss.get("detail") or loss.get("cause", "") for loss in report.get("losses") or ()]


def _head(report):
    run, steps = report.get("run") or {}, report.get("steps") or {}
    name, count = escape(str(run.get("name", ""))), int(steps.get("count") or 0)
    return f"{name} &middot; {_words(run.get('status', ''))} &middot; {count} steps"


def page(report):
    """The verdict, the shares of the suspects, evidence, advice and losses."""
    verdict = report.get("verdict") or {}
    return "".join(
        [
            '<div style="font-family:sans-serif;max-width:50em">',
            f"<p>{_head(report)}</p>",
            f"<p><b>{escape(str(verdict.get('headline', '')))}</b></p>",
            _suspects(report),
            _list("Evidence", _texts(verdict.get("evidence"))),
            _list("Try", _texts(verdict.get("advice"))),
            _list("Lost", _losses(report)),
            "</div>",
        ]
    )
