# SPDX-License-Identifier: Apache-2.0
"""docs/reference/findings.md: each kind with its sentence and its values."""

import re

from . import finding_topics


def said(part):
    """The sentence with its clauses in place: `[a / b]`, of which one is said."""
    whole = {}
    for name, cases in part.get("clauses", {}).items():
        texts = [placed(one, whole) for one in cases.values()]
        if list(cases) == ["else"]:
            whole[name] = texts[0]
            continue
        if "else" not in cases:
            texts.append("")
        whole[name] = f"[{' / '.join(texts)}]" if texts[-1] else f"[{' / '.join(texts[:-1])}]"
    return placed(part["sentence"], whole)


def placed(sentence, clauses_by_name):
    return re.sub(r"\{(\w+)\}", lambda m: clauses_by_name.get(m[1], m[0]), sentence)


def rows_of(kind):
    return f"`{kind['table']}`" if "table" in kind else "no table"


def cell(value):
    return value.replace("|", "\\|").replace("<", "&lt;")


def holds(part, kind=None):
    named = [
        f"`{name}` ({unit.removesuffix('?')}{', or null' if unit.endswith('?') else ''})"
        for name, unit in part.get("figures", {}).items()
    ]
    named += [
        f"`{name}` (text: {what.removesuffix('?')}{', or null' if what.endswith('?') else ''})"
        for name, what in part.get("texts", {}).items()
    ]
    return ", ".join(named + [of_part(kind, *one) for one in part.get("parts", {}).items()])


def of_part(kind, field, of):
    """The values of a part by their names in the kind."""
    names = [f"`{name}`" for name, (in_field, *_) in kind["of"].items() if in_field == field]
    absent = ", or null" if of.endswith("?") else ""
    return f"{', '.join(names)} (of [{of.removesuffix('?')}](#parts){absent})"


def page(kinds, parts, roles, made):
    yield "# Kinds of findings"
    yield ""
    yield f"<!-- {made} -->"
    yield ""
    yield "What a report says is values of these kinds, with their figures and texts (`values`), and of evidence the rows that"
    yield "show it; the sentence beside them is made of these. Programs go by `kind` and `values`: kinds are added, and none is used"
    yield "again for something else, while a sentence may be written better. A part in brackets is said where it applies; `{items}`"
    yield "are the sentences of the items, one after the other."
    for role, title in roles.items():
        of_role = [kind for kind in kinds if kind["role"] == role]
        if not of_role:
            continue
        yield ""
        yield f"## {title}"
        yield ""
        if role == "live":
            yield "By `topic`, which says what the agent watches: its newest finding on a subject is the last word on it."
            yield ""
        shows = role == "evidence"
        more = {"evidence": " rows of |", "live": " topic |"}.get(role, "")
        yield f"| kind | is | sentence | values |{more} since |"
        yield f"| --- | --- | --- | --- |{' --- |' if more else ''} --- |"
        for kind in of_role:
            items = kind.get("items")
            sentence = cell(said(kind["declared"])) + (
                f"; an item: {cell(said(items))}" if items else ""
            )
            value = holds(kind["declared"], kind)
            if items:
                value += f"{', ' if value else ''}`items`: {holds(items)}"
            table = f" {rows_of(kind)} |" if shows else ""
            topic = f" `{finding_topics.topic_of(kind)}` |" if role == "live" else ""
            yield f"| `{kind['id']}` | {kind['title']} | {sentence} | {value} |{table}{topic} {kind['since']} |"
    yield ""
    yield "## Parts"
    yield ""
    yield "What several kinds say alike. A kind that has one has its values, each behind the name that the part has there: `share_low`."
    yield ""
    yield "| part | sentence | values |"
    yield "| --- | --- | --- |"
    for part in parts:
        yield f"| `{part['name']}` | {cell(said(part))} | {holds(part)} |"
