# SPDX-License-Identifier: Apache-2.0
"""Which rows of a table show a finding, and which of its figures and texts say what it is about."""

import re

from . import text

NAME = r"[a-z][a-z0-9_]*"
# What a figure or text may be of a finding's subject, and its enumerator.
SUBJECT_FIGURES = {
    "rank": "kRank",
    "device": "kDevice",
    "node": "kNode",
    "first_step": "kFirstStep",
    "last_step": "kLastStep",
    "step_kind": "kStepKind",
}
SUBJECT_TEXTS = {
    "function": "kFunction",
    "rule": "kRule",
    "hook": "kHook",
    "data_source": "kDataSource",
    "text": "kText",
}
COMPARISONS = {"=": "kEqual", "<": "kLess", "<=": "kAtMost", ">": "kMore", ">=": "kAtLeast"}


def check(kind, refuse):
    list(conditions(kind, refuse))
    subjects(kind, refuse)


def conditions(kind, refuse=None):
    """The kind's own predicate as conditions of C++."""
    for one in kind.get("where", "").split(" and ") if kind.get("where") else ():
        found = re.fullmatch(rf"({NAME}) (=|<|<=|>|>=) ('[\w.-]+'|-?\d+)", one)
        if not found:
            refuse(kind, f"has the condition {one}")
        value = text.cpp(found[3].strip("'")) if "'" in found[3] else f"int64_t{{{found[3]}}}"
        yield f'{{"{found[1]}", Compare::{COMPARISONS[found[2]]}, {value}}}'


def subjects(kind, refuse=None):
    """(member, whether it is a text, whether it is of the items, which of these) of what the kind declares to be its subject."""
    found = []
    for member, names in kind.get("subject", {}).items():
        for name in [names] if isinstance(names, str) else names:
            of_items = name.startswith("items.")
            part, name = kind.get("items", {}) if of_items else kind, name.removeprefix("items.")
            is_text = member in SUBJECT_TEXTS
            held = list(part.get("texts" if is_text else "figures", {}))
            if member not in (*SUBJECT_TEXTS, *SUBJECT_FIGURES) or name not in held:
                refuse(kind, f"is about {member}, {name}")
            found.append((member, is_text, of_items, held.index(name)))
    return found


def subject_names(kind):
    """The kind's own figures and texts among these."""
    for names in kind.get("subject", {}).values():
        for name in [names] if isinstance(names, str) else names:
            if not name.startswith("items."):
                yield name


def subject_infos(kind, name):
    found = ", ".join(
        f"{{SubjectMember::{(SUBJECT_FIGURES | SUBJECT_TEXTS)[member]}, {str(is_text).lower()}, {str(of_items).lower()}, {at}}}"
        for member, is_text, of_items, at in subjects(kind)
    )
    if found:
        yield f"constexpr SubjectInfo {name}[] = {{{found}}};"
