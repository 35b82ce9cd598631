# SPDX-License-Identifier: Apache-2.0
"""What the agent watches while a run goes on, by which its findings are told apart."""

import functools
import re
import sys
from pathlib import Path

import tomllib

from . import text

SOURCE = Path("schema/findings.toml")


@functools.cache
def declared():
    found = tomllib.loads(SOURCE.read_text(encoding="utf-8"))["topic"]
    for one in found:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", one["name"]) or not one["is"]:
            sys.exit(f"{SOURCE}: topic {one['name']} is no name, or says nothing")
    return found


def topic_of(kind):
    return kind.get("topic", "rule" if kind["role"] == "rule" else None)


def check(kind, refuse):
    known = {one["name"] for one in declared()}
    if (topic_of(kind) in known) != (kind["role"] in ("live", "rule")):
        refuse(kind, "needs a topic, or none")


def enumerator(kind):
    return f"Topic::k{text.camel(topic_of(kind) or 'none')}"


def cpp():
    yield "enum class Topic : uint8_t {"
    yield "  kNone,  // of all that was not noticed while a run went on"
    for one in declared():
        yield f"  k{text.camel(one['name'])},  // {one['is']}"
    yield "};"
    yield ""
    yield "struct TopicInfo {"
    yield "  std::string_view name;"
    yield "  std::string_view former;  // with what the subject of its rows began, before findings had kinds"
    yield "};"
    yield "inline constexpr TopicInfo kTopics[] = {"
    yield '    {"", ""},'
    for one in declared():
        yield f'    {{"{one["name"]}", {text.cpp(one.get("former", ""))}}},'
    yield "};"
