# SPDX-License-Identifier: Apache-2.0
"""What a notebook shows of a run, by its answers alone."""

from steptrace import _html


def test_the_note_of_a_comparison_stands_below_its_rows():
    side = {"ns": 5, "share": 1.0}
    step = {"kind": "step", "name": "step", "a": side, "b": side, "change_ns": 0}
    step.update(change_low_ns=None, change_high_ns=None)
    report = {"verdict": {"headline": ""}}

    def shown(note, *unlike):
        notes = [{"text": note}] if note else []
        answer = {"headline": {"text": "Same."}, "notes": notes, "rows": [step]}
        answer["comparability"] = {"unlike": list(unlike)}
        return _html.comparison(answer, report, report)

    assert shown("Only <i> tells.").endswith("</table><p>Only &lt;i&gt; tells.</p></div>")
    assert shown(None).endswith("</table></div>")
    told = "</table><p>The runs differ in: torch version, ranks.</p></div>"
    assert shown(None, "torch_version", "ranks").endswith(told)
