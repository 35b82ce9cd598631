# SPDX-License-Identifier: Apache-2.0
"""Every figure of a report by a name that does not depend on the order of lists: `stages[model,forward].ns`."""

import math

# What tells the elements of a list apart, where they have it.
IDENTITY = (
    *(
        "suspect",
        "stage",
        "kind",
        "name",
        "metric",
        "precision",
        "call",
        "cause",
        "role",
        "about",
    ),
    *("node", "rank", "device", "stream", "pid", "parent", "step", "step_kind", "phase", "table"),
    *(
        "input_shapes",
        "call_stack",
        "function",
        "file",
        "line",
        "operator",
        "grid",
        "block",
        "change",
    ),
)
# Sentences, and what belongs to them: their wording has tests of its own.
WORDS = {
    *(
        "text",
        "headline",
        "advice",
        "figures",
        "places",
        "detail",
        "reason",
        "sentence",
        "message",
        "title",
    ),
    *("notes", "sentences", "where", "conditions", "proposed", "evidence"),
}
# Of this installation, not of the run.
OF_THE_MACHINE = {"source"}
MOST_ROWS = 30  # of a list; its length is a figure of its own


def figures(report):
    """{name: value}, of numbers, truth values, nulls and words; not of sentences."""
    found = {}
    walk(report, "", found)
    return found


def walk(value, name, found):
    if isinstance(value, dict):
        for key, one in value.items():
            # Of a section that is a list the rows are those of the section.
            if key == "rows" and "truncated" in value and isinstance(one, list) and "." not in name:
                walk(one, name if name != "critical_path" else f"{name}.{key}", found)
            elif key not in WORDS and key not in OF_THE_MACHINE:
                walk(one, f"{name}.{key}" if name else key, found)
    elif isinstance(value, list):
        found[f"{name}.length"] = len(value)
        for label, one in zip(labels(value[:MOST_ROWS]), value, strict=False):
            if isinstance(one, dict):
                one = {key: v for key, v in one.items() if key not in IDENTITY}
            walk(one, f"{name}[{label}]", found)
    elif not isinstance(value, str) or " " not in value:
        found[name] = value


def identity(row):
    """A row's name tells it apart: not its kind, too."""
    return [key for key in IDENTITY if key in row and not (key == "kind" and "name" in row)]


def labels(rows):
    seen = {}
    for at, row in enumerate(rows):
        keys = [str(row[key]) for key in identity(row)] if isinstance(row, dict) else []
        label = ",".join(keys) or str(at)
        seen[label] = seen.get(label, 0) + 1
        yield label if seen[label] == 1 else f"{label}#{seen[label]}"


def same(before, now):
    """Numbers may differ in the last digits: compilers order additions in their own ways."""
    if isinstance(before, float) or isinstance(now, float):
        numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (before, now))
        return numbers and math.isclose(before, now, rel_tol=1e-9, abs_tol=1e-12)
    return type(before) is type(now) and before == now
