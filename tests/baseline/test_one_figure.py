# SPDX-License-Identifier: Apache-2.0
"""One figure has one name and one value: what the terminal, the page in a notebook and the comparison show is the report's."""

import html
import re
import sys

import pytest
import sources

sys.path.insert(0, str(sources.ROOT / "python"))

from steptrace import _format, _html

RUNS = sorted(set(sources.recordings()) - {"without_steps"})
BAR = re.compile(r"  (\S.*?)  +[\u2588-\u258f]* +(<?[\d.]+ %) +(\S+ \S+)$")


def terminal(*arguments):
    return sources.steptrace("report", *arguments)


def bars(text):
    """{title: (share, time a step)} as the terminal shows where a step goes."""
    begin = text.index("Where a step goes")
    lines = text[begin:].split("\n")[1:]
    found = {}
    for line in lines:
        match = BAR.match(line)
        if not match:
            break
        found[match[1]] = (match[2], match[3])
    return found


def one_line(paragraph):
    return " ".join(paragraph.split())


@pytest.fixture(scope="module", params=RUNS)
def run(request):
    path = sources.recordings()[request.param]
    return path, sources.report(path)


def by_title(report):
    """{title: [shares]} of suspects and stages: a title is of one thing, or of a suspect and its only stage."""
    titles = {}
    for section in ("suspects", "stages"):
        for row in report[section]["rows"]:
            titles.setdefault(_format.words(row["name"]), []).append(row["share"])
    return titles


def test_the_terminal_shows_the_reports_shares_and_times(run):
    path, report = run
    mean = report["steps"]["duration_ns"]["mean"]
    titles = by_title(report)
    shown = bars(terminal(path))
    shown.pop("the rest", None)  # stages too small for a line
    assert shown
    for title, figures in shown.items():
        known = [
            (_format.percent(share), _format.duration(share * mean)) for share in titles[title]
        ]
        assert figures in known, title


def test_the_terminal_has_the_reports_headline(run):
    path, report = run
    headline = report["verdict"]["headline"]
    assert one_line(terminal(path).split("Verdict:")[1]).startswith(headline)


def test_the_page_of_a_notebook_has_the_reports_shares(run):
    page = _html.page(run[1])
    shown = re.findall(
        r"<tr><td[^>]*>([^<]+)</td><td[^>]*><div[^>]*></div></td><td>([^<]*)</td>", page
    )
    told = {html.unescape(title): html.unescape(share) for title, share in shown}
    assert told == {
        _format.words(row["name"]): _format.percent(row["share"])
        for row in run[1]["suspects"]["rows"]
    }


def blamed(report):
    """The share of whom the verdict blames, as the bars have it: of a late rank that of the stage in which others wait."""
    verdict = report["verdict"]
    late = verdict["straggler_rank"] is not None
    section, name = ("stages", "straggler") if late else ("suspects", verdict["suspect"])
    (share,) = [row["share"] for row in report[section]["rows"] if row["name"] == name]
    return share


def check_headline(report):
    """One figure in the verdict, in the headline's values and in the bars."""
    verdict = report["verdict"]
    assert verdict["share"] == pytest.approx(blamed(report), abs=1e-12)
    assert verdict["share_low"] <= verdict["share"] <= verdict["share_high"]
    said = [one for one in verdict["figures"] if one["unit"] == "share"]
    if "share_share" in verdict["values"]:
        assert verdict["values"]["share_share"] == verdict["share"]
        assert verdict["share"] in [one["value"] for one in said]


def test_the_verdict_has_the_share_of_its_suspect(run):
    if run[1]["verdict"]["status"] != "found":
        pytest.skip("blames no one")
    check_headline(run[1])


def test_so_have_those_of_all_cases():
    """Late ranks among them, for which the others wait."""
    reports = sources.case_reports()
    found = {name: one for name, one in reports.items() if one["verdict"]["status"] == "found"}
    late = [name for name, one in found.items() if one["verdict"]["straggler_rank"] is not None]
    assert len(found) > 50 and len(late) > 4
    for report in found.values():
        check_headline(report)


def test_sections_count_what_stands_in_them(run):
    for name, section in run[1].items():
        if isinstance(section, dict) and "rows" in section and "count" in section:
            if name == "critical_path":
                continue
            assert section["truncated"] == (section["count"] > len(section["rows"])), name
            assert (section["status"] == "found") or section["reason"]["text"], name


def test_a_comparison_has_what_both_reports_tell_of_themselves():
    a, b = (sources.recordings()[name] for name in ("healthy", "slow_decode"))
    compared = sources.json.loads(terminal(a, "--compare", b, "--json"))["comparability"]
    for letter, path in (("a", a), ("b", b)):
        told = sources.report(path)["comparability"]
        assert compared[letter] == {name: told[name] for name in compared[letter]}
    names = " ".join(one.replace("_", " ") for one in compared["unlike"])
    text = one_line(terminal(a, "--compare", b))
    assert ("The runs differ in:" in text) == bool(names)
