# SPDX-License-Identifier: Apache-2.0
"""The thresholds above which the agent reports something during a run."""

import re
import sys
from pathlib import Path

import tomllib

from . import text

SOURCE = Path("schema/alerts.toml")
MADE = text.made_of(SOURCE)
# What ends an id, by its unit.
ENDS = {"seconds": "_s", "steps": "_steps", "percent": "_percent", "MB per hour": "_mb_per_hour"}
ALERTS = ("hang", "step_time", "memory")


def declared():
    schema = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    seen = set()
    for one in schema["threshold"]:
        name = one["id"]
        if not re.fullmatch(r"[a-z]+(_[a-z]+)*", name) or name in seen:
            sys.exit(f"{SOURCE}: '{name}' is no name, or there twice")
        seen.add(name)
        if not name.endswith(ENDS.get(one["unit"], "?")):
            sys.exit(f"{SOURCE}: {name} does not end as its unit does")
        if one["alert"] not in ALERTS:
            sys.exit(f"{SOURCE}: {name} is of no alert")
        if not one["least"] <= one["default"] <= one["most"]:
            sys.exit(f"{SOURCE}: {name} is by default what it may not be")
        if one["what"].endswith("."):
            sys.exit(f"{SOURCE}: {name} has a full stop at its end")
    return schema


def cpp(schema):
    thresholds = schema["threshold"]
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    yield "#include <array>"
    yield ""
    yield "namespace steptrace::model {"
    yield ""
    yield "// clang-format off"
    yield "// Above which the agent reports something during a run. The unit ends the name."
    yield "struct AlertThresholds {"
    for one in thresholds:
        yield f"  double {one['id']} = {one['default']};"
    yield ""
    yield "  bool operator==(const AlertThresholds&) const = default;"
    yield "};"
    yield ""
    yield "struct AlertThreshold {"
    yield "  const char* id;"
    yield "  const char* key;  // of steptrace.toml"
    yield "  const char* variable;"
    yield "  const char* unit;"
    yield "  double least;"
    yield "  double most;"
    yield "  const char* sentence;"
    yield "  double AlertThresholds::*value;"
    yield "};"
    yield ""
    yield f"inline constexpr std::array<AlertThreshold, {len(thresholds)}> kAlertThresholds = {{{{"
    for one in thresholds:
        sentence = f"{one['what']}. In {one['unit']}, {one['least']} to {one['most']}."
        yield (
            f"    {{{text.cpp(one['id'])}, {text.cpp('alert_' + one['id'])},"
            f" {text.cpp('STEPTRACE_ALERT_' + one['id'].upper())}, {text.cpp(one['unit'])},"
            f" {one['least']}, {one['most']}, {text.cpp(sentence)}, &AlertThresholds::{one['id']}}},"
        )
    yield "}};"
    yield "// clang-format on"
    yield ""
    yield "}  // namespace steptrace::model"


def page(schema):
    yield "# Thresholds of alerts"
    yield ""
    yield f"<!-- {MADE} -->"
    yield from schema["text"].strip().splitlines()
    yield ""
    yield "| name | in | default | least | most | what |"
    yield "| --- | --- | ---: | ---: | ---: | --- |"
    for one in schema["threshold"]:
        yield (
            f"| `{one['id']}` | {one['unit']} | {one['default']} | {one['least']} | {one['most']} |"
            f" {one['what']}. |"
        )


def files():
    schema = declared()
    return {
        Path("src/model/alert_thresholds.h"): text.whole(cpp(schema)),
        Path("docs/reference/alerts.md"): text.whole(page(schema)),
    }
