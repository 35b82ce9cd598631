# SPDX-License-Identifier: Apache-2.0
"""Parts that sentences of several kinds share: their figures, texts and clauses become those of each
kind that uses them, under the name that the part has there. What a kind declares itself stays in `declared`."""

import re


def flatten(kind, parts, refuse):
    """Takes the kind's parts in; its own figures and texts stand before theirs. What remains of them: which
    field of its struct holds a figure or text, `of` by name."""
    kind["declared"] = {
        key: dict(kind.get(key, {})) for key in ("figures", "texts", "clauses", "parts")
    }
    kind["declared"]["sentence"] = kind["sentence"]
    kind["of"] = {}
    begun = {}
    for field, named in kind.get("parts", {}).items():
        part = parts.get(named.removesuffix("?"))
        if part is None:
            refuse(kind, f"has the part {named}, which is not declared")
        begun |= taken_in(kind, field, part, named.endswith("?"))
    if begun:
        known = known_by(kind, parts)
        own = {
            name: {known.get(condition, condition): said for condition, said in cases.items()}
            for name, cases in kind.get("clauses", {}).items()
        }
        kind["clauses"] = begun | own


def known_by(kind, parts):
    """A part that need not be there is where the first thing is that it always holds."""
    return {
        field: f"{field}_{first(parts[named.removesuffix('?')])}"
        for field, named in kind["parts"].items()
        if named.endswith("?")
    }


def first(part):
    held = [*part.get("texts", {}).items(), *part.get("figures", {}).items()]
    return next((name for name, what in held if not what.endswith("?") and what != "flag"), None)


def taken_in(kind, field, part, optional):
    """The part's clauses by the kind's names, and the part as one of them."""
    names = {*part.get("figures", {}), *part.get("texts", {}), *part.get("clauses", {})}

    def renamed(said):
        return re.sub(
            r"\{(\w+)\}", lambda m: f"{{{field}_{m[1]}}}" if m[1] in names else m[0], said
        )

    def condition(asked):
        name, equals, number = asked.partition(" = ")
        return asked if asked == "else" else f"{field}_{name}{equals}{number}"

    for group in ("figures", "texts"):
        for name, what in part.get(group, {}).items():
            mark = "" if what.endswith("?") or not optional else "?"
            kind.setdefault(group, {})[f"{field}_{name}"] = what + mark
            kind["of"][f"{field}_{name}"] = (field, name, what.endswith("?"), optional)
    clauses = {
        f"{field}_{name}": {condition(asked): renamed(said) for asked, said in cases.items()}
        for name, cases in part.get("clauses", {}).items()
    }
    whole = renamed(part["sentence"])
    return clauses | {field: {f"{field}_{first(part)}" if optional else "else": whole}}
