# SPDX-License-Identifier: Apache-2.0
"""The metrics of the table `counters`."""

import re
import sys
from pathlib import Path

import tomllib

from . import stages, text

SOURCE = Path("schema/metrics.toml")


def declared():
    schema = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    units = {unit["id"]: unit for unit in schema["unit"]}
    seen, constants = set(), set()
    for group in [*schema["scope"], *schema["told"]]:
        for metric in group["metric"]:
            check(metric, group["id"], units)
            if metric["name"] in seen or constant(metric, units) in constants:
                sys.exit(f"{SOURCE}: {metric['name']}, or its enumerator, is there twice")
            seen.add(metric["name"])
            constants.add(constant(metric, units))
    return schema, units


def check(metric, group, units):
    """A name tells what it is of and its unit, in one way."""
    name = metric["name"]
    if not re.fullmatch(r"[a-z][a-z_]*\.[a-z][a-z0-9_]*", name):
        sys.exit(f"{SOURCE}: a metric is named {name}")
    if group != "node" and not name.startswith(f"{group}."):
        sys.exit(f"{SOURCE}: {name} is of {group}, and its name does not say so")
    if metric["unit"] not in units:
        sys.exit(f"{SOURCE}: {name} is in {metric['unit']}, which is no unit")
    if ending(name, units) != units[metric["unit"]].get("ends", ""):
        sys.exit(f"{SOURCE}: {name} is in {metric['unit']}, and its name ends otherwise")
    if not metric["what"].endswith(".") or "|" in metric["what"]:
        sys.exit(f"{SOURCE}: {name} is explained by no sentence, or by one that breaks a table")


def ending(name, units):
    """That of a unit which the name has; the longest, for _bytes_per_s ends as _per_s does."""
    ends = [unit["ends"] for unit in units.values() if name.endswith(unit.get("ends", "\n"))]
    return max(ends, key=len, default="")


def constant(metric, units):
    """`memory.used_bytes` as MemoryUsed; shares keep their word, for they are of something."""
    name = metric["name"]
    end = "" if metric["unit"] == "share" else ending(name, units)
    return metric.get("constant", text.camel(name.removesuffix(end).replace(".", "_")))


def cpp(schema, units):
    metrics = [(scope, metric) for scope in schema["scope"] for metric in scope["metric"]]
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {text.made_of(SOURCE)}"
    yield "#pragma once"
    yield ""
    yield "#include <cstddef>"
    yield "#include <cstdint>"
    yield "#include <optional>"
    yield "#include <string_view>"
    yield ""
    yield "namespace steptrace::store {"
    yield ""
    yield "// clang-format off"
    scopes = ", ".join(f"k{text.camel(scope['id'])}" for scope in schema["scope"])
    yield f"enum class MetricScope : uint8_t {{ {scopes} }};"
    yield ""
    yield "enum class MetricUnit : uint8_t {"
    for unit in units.values():
        note = f"  // {unit['what']}" if "what" in unit else ""
        yield f"  k{text.camel(unit['id'])},{note}"
    yield "};"
    yield ""
    yield "// A number for use in memory only: files hold the name."
    yield "enum class Metric : uint16_t {"
    for _, metric in metrics:
        yield f"  k{constant(metric, units)},"
    yield "};"
    yield ""
    yield "struct MetricInfo {"
    yield "  Metric metric;"
    yield "  const char* name;"
    yield "  MetricScope scope;"
    yield "  MetricUnit unit;"
    yield "};"
    yield "inline constexpr MetricInfo kMetrics[] = {"
    for scope, metric in metrics:
        head = f"Metric::k{constant(metric, units)}, {text.cpp(metric['name'])}"
        of = f"MetricScope::k{text.camel(scope['id'])}, MetricUnit::k{text.camel(metric['unit'])}"
        yield f"    {{{head}, {of}}},"
    yield "};"
    yield f"inline constexpr size_t kMetricCount = {len(metrics)};"
    yield ""
    for kind, words in (
        ("MetricScope", [scope["id"] for scope in schema["scope"]]),
        ("MetricUnit", [unit["symbol"] for unit in units.values()]),
    ):
        yield f"constexpr const char* NameOf({kind} of) {{"
        yield f"  constexpr const char* kNames[] = {{{', '.join(text.cpp(w) for w in words)}}};"
        yield "  return kNames[static_cast<size_t>(of)];"
        yield "}"
    for group in schema["told"]:
        yield ""
        yield "// What hooks tell, by name."
        yield f"namespace {group['id']} {{"
        names = [metric["name"] for metric in group["metric"]]
        for name in names:
            short = text.camel(name.split(".")[1])
            yield f"inline constexpr std::string_view k{short} = {text.cpp(name)};"
        yield f"inline constexpr std::string_view kAll[] = {{{', '.join(map(text.cpp, names))}}};"
        yield f"}}  // namespace {group['id']}"
    yield "// clang-format on"
    yield ""
    yield "constexpr const MetricInfo& InfoOf(Metric metric) {"
    yield "  return kMetrics[static_cast<size_t>(metric)];"
    yield "}"
    yield ""
    yield "constexpr const char* NameOf(Metric metric) {"
    yield "  return InfoOf(metric).name;"
    yield "}"
    yield ""
    yield "constexpr bool operator==(std::string_view stored, Metric metric) {"
    yield "  return stored == NameOf(metric);"
    yield "}"
    yield ""
    yield "constexpr std::optional<Metric> MetricNamed(std::string_view name) {"
    yield "  for (const MetricInfo& info : kMetrics) {"
    yield "    if (name == info.name) return info.metric;"
    yield "  }"
    yield "  return std::nullopt;"
    yield "}"
    yield ""
    yield "}  // namespace steptrace::store"


def facts(schema, group, metric, units):
    """What the pages know of a metric: its words are the name without its prefix and its unit."""
    prefix, name = metric["name"].removesuffix(ending(metric["name"], units)).split(".")
    scope = group["id"] if group in schema["scope"] else "told"
    values = (scope, units[metric["unit"]]["symbol"], prefix, name.replace("_", " "))
    return ", ".join(stages.quoted(value) for value in values)


def typescript(schema, units):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {text.made_of(SOURCE)}"
    yield ""
    groups = [*schema["scope"], *schema["told"]]
    for group in groups:
        names = [stages.quoted(metric["name"]) for metric in group["metric"]]
        yield from stages.union(f"{text.camel(group['id'])}Metric", names)
    yield from stages.union("Metric", [f"{text.camel(group['id'])}Metric" for group in groups])
    yield ""
    yield "/** What it counts for, its unit, and its name's words: the group, and the rest without the unit. */"
    yield "export interface MetricInfo {"
    yield "  readonly scope: string;"
    yield "  readonly unit: string;"
    yield "  readonly group: string;"
    yield "  readonly words: string;"
    yield "}"
    yield ""
    yield "const METRICS: Readonly<Record<Metric, readonly [string, string, string, string]>> = {"
    for group in groups:
        for metric in group["metric"]:
            yield f"  {stages.quoted(metric['name'])}: [{facts(schema, group, metric, units)}],"
    yield "};"
    yield ""
    yield "/** Of a name that counters of imported traces have: undefined. */"
    yield "export function metricInfo(name: string): MetricInfo | undefined {"
    yield "  if (!Object.hasOwn(METRICS, name)) return undefined;"
    yield "  const [scope, unit, group, words] = METRICS[name as Metric];"
    yield "  return { scope, unit, group, words };"
    yield "}"


def page(schema, units):
    yield "# Metrics"
    yield ""
    yield f"<!-- {text.made_of(SOURCE)} -->"
    yield ""
    yield schema["text"].strip()
    for group in [*schema["scope"], *schema["told"]]:
        yield ""
        yield f"## {group['id']}"
        if "text" in group:
            yield ""
            yield group["text"]
        yield ""
        yield "| metric | unit | meaning |"
        yield "| --- | --- | --- |"
        for metric in group["metric"]:
            symbol = units[metric["unit"]]["symbol"]
            yield f"| `{metric['name']}` | {symbol} | {metric['what']} |"


def files():
    schema, units = declared()
    return {
        Path("src/store/metrics.h"): text.whole(cpp(schema, units)),
        Path("ui/src/api/metrics.ts"): text.whole(typescript(schema, units)),
        Path("docs/reference/metrics.md"): text.whole(page(schema, units)),
    }
