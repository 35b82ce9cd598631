# SPDX-License-Identifier: Apache-2.0
"""The profiler rules and their parameters."""

import re
import sys
from pathlib import Path

import tomllib

from . import stages, text

SOURCE = Path("schema/rules.toml")
MADE = text.made_of(SOURCE)
PAGE = Path("docs/reference/rules.md")
KINDS = ("percent", "count", "window", "slope", "positive", "number", "text")
NONE = "kNoSuchParameter"


def declared():
    rules = tomllib.loads(SOURCE.read_text(encoding="utf-8"))["rule"]
    for rule in rules:
        if not re.fullmatch(r"[a-z][a-z0-9_]*", rule["id"]):
            sys.exit(f"{SOURCE}: a rule is named {rule['id']}")
        if not all(rule[key] for key in ("name", "sentence", "compat", "modern")):
            sys.exit(f"{SOURCE}: {rule['id']} lacks a text")
        for one in rule.get("parameter", []):
            if one["kind"] not in KINDS or len(one.get("compat", (0, 0, 0))) != 3:
                sys.exit(f"{SOURCE}: {rule['id']}.{one['name']} is of no kind, or lacks a default")
    for key in ("id", "name"):
        if len({rule[key] for rule in rules}) != len(rules):
            sys.exit(f"{SOURCE}: two rules have one {key}")
    return rules


def coded(rules):
    """Those with code of their own, as C++ names them."""
    return [text.camel(rule["id"]) for rule in rules if not rule.get("of_rules")]


def units(one):
    """Of a parameter's value, in compat and in modern."""
    unit = one.get("unit", "")
    return unit if isinstance(unit, list) else [unit, unit]


def values(one, absent):
    """Of a parameter: compat's three defaults, and modern's."""
    if one["kind"] == "text":
        return [0, 0, 0, 0]
    return [*one.get("compat", [absent] * 3), one.get("modern", absent)]


def head(about, *includes):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield "#pragma once"
    yield ""
    for include in includes:
        yield f"#include {include}" if include else ""
    yield ""
    yield f"// {about}"
    yield "namespace steptrace::analyze {"
    yield ""
    yield "// clang-format off"


def foot():
    yield "// clang-format on"
    yield ""
    yield "}  // namespace steptrace::analyze"


def rule_list(rules):
    local = ('"analyze/rules/rule_parameters.h"', '"model/finding_kinds.h"')
    system = ("<array>", "<cstddef>", "<cstdint>", "<optional>", "<span>")
    yield from head("Each rule, in the order of results.", *system, "", *local)
    yield "enum class RuleId : uint8_t {"
    for rule in rules:
        yield f"  k{text.camel(rule['id'])},  // {rule['sentence']}"
    yield "};"
    yield f"inline constexpr size_t kRuleCount = {len(rules)};"
    yield ""
    yield "namespace rule_parameters {"
    yield ""
    yield "// name, kind, compat: what ran, SDK, AWS docs; modern; the units of both; sentence"
    for rule in rules:
        if "parameter" not in rule:
            continue
        yield f"inline constexpr ParameterInfo k{text.camel(rule['id'])}[] = {{"
        for one in rule["parameter"]:
            kind = f"ParameterKind::k{text.camel(one['kind'])}"
            numbers = ", ".join(str(value) for value in values(one, NONE))
            named = ", ".join(text.cpp(unit) for unit in units(one))
            words = f"{numbers}, {named}, {text.cpp(one['sentence'])}"
            yield f"    {{{text.cpp(one['name'])}, {kind}, {words}}},"
        yield "};"
    yield ""
    yield "}  // namespace rule_parameters"
    yield ""
    yield "struct RuleInfo {"
    yield "  RuleId id;"
    yield "  const char* name;"
    yield "  const char* sentence;"
    yield "  std::optional<model::FindingKind> advice;  // of which a finding holds nothing more"
    yield "  std::span<const ParameterInfo> parameters;"
    yield "};"
    yield "inline constexpr std::array<RuleInfo, kRuleCount> kRuleInfos = {{"
    for rule in rules:
        name = text.camel(rule["id"])
        advises = rule.get("advises", True)
        advice = f"model::FindingKind::kRuleAdvice{name}" if advises else "std::nullopt"
        own = f"rule_parameters::k{name}" if "parameter" in rule else "{}"
        words = f"{text.cpp(rule['name'])}, {text.cpp(rule['sentence'])}"
        yield f"    {{RuleId::k{name}, {words}, {advice}, {own}}},"
    yield "}};"
    yield from foot()


def modern(rules):
    about = "The rules of the mode modern, in the order of results."
    yield from head(about, '"analyze/rules/rule_result.h"')
    yield "struct ModernData;"
    yield "using ModernRule = RuleResult (*)(const ModernData& data);"
    yield ""
    for name in coded(rules):
        yield f"RuleResult Modern{name}(const ModernData& data);"
    yield ""
    yield "inline constexpr ModernRule kModernRules[] = {"
    for name in coded(rules):
        yield f"    Modern{name},"
    yield "};"
    yield from foot()


def compat(rules):
    about = "The rules of the mode compat, in the order of results."
    yield from head(about, "<memory>")
    yield "class CompatRule;"
    yield "class RuleSettings;"
    yield "using CompatRuleMaker = std::unique_ptr<CompatRule> (*)(const RuleSettings& settings);"
    yield ""
    for name in coded(rules):
        yield f"std::unique_ptr<CompatRule> MakeCompat{name}(const RuleSettings& settings);"
    yield ""
    yield "inline constexpr CompatRuleMaker kCompatRules[] = {"
    for name in coded(rules):
        yield f"    MakeCompat{name},"
    yield "};"
    yield from foot()


def modes(rules):
    yield ""
    yield "| rule | compat | modern |"
    yield "| --- | --- | --- |"
    for rule in rules:
        yield f"| {rule['name']} | {rule['compat']} | {rule['modern']} |"
    yield ""


def parameters(rules):
    yield ""
    yield "| parameter | unit | compat: `code` | compat: `sdk` | compat: `aws-docs` | modern | meaning |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for rule in rules:
        for one in rule.get("parameter", []):
            told = ["None"] * 4 if one["kind"] == "text" else values(one, "-")
            cells = " | ".join(str(value) for value in told)
            of_compat, of_modern = units(one)
            unit = of_modern if of_compat == of_modern else f"{of_compat}, modern: {of_modern}"
            named = f"`{rule['name']}.{one['name']}`"
            yield f"| {named} | {unit or '-'} | {cells} | {one['sentence']} |"
    yield ""


def typescript(rules):
    yield "// SPDX-License-Identifier: Apache-2.0"
    yield f"// {MADE}"
    yield ""
    yield "/** What a parameter of a profiler rule means, and the unit of its value in each mode; '': none. */"
    yield "export interface ParameterInfo {"
    yield "  readonly meaning: string;"
    yield "  readonly compat: string;"
    yield "  readonly modern: string;"
    yield "}"
    yield ""
    yield "// prettier-ignore"
    yield "const PARAMETERS: Readonly<Record<string, readonly [string, string, string]>> = {"
    for rule in rules:
        for one in rule.get("parameter", []):
            told = ", ".join(stages.quoted(word) for word in (one["sentence"], *units(one)))
            yield f"  '{rule['name']}.{one['name']}': [{told}],"
    yield "};"
    yield ""
    yield "export function parameterInfo(rule: string, parameter: string): ParameterInfo | undefined {"
    yield "  const key = `${rule}.${parameter}`;"
    yield "  if (!Object.hasOwn(PARAMETERS, key)) return undefined;"
    yield "  const [meaning, compat, modern] = PARAMETERS[key] ?? ['', '', ''];"
    yield "  return { meaning, compat, modern };"
    yield "}"


def page(rules):
    """Two tables of a page that is written by hand."""
    made = PAGE.read_text(encoding="utf-8")
    for name, table in (("modes", modes(rules)), ("parameters", parameters(rules))):
        begin = f"<!-- begin of {name}, by tools/generate.py of {SOURCE} -->\n"
        made = text.within(PAGE, made, begin, f"<!-- end of {name} -->\n", table)
    return made


def files():
    rules = declared()
    folder = Path("src/analyze/rules")
    return {
        folder / "rule_list.h": text.whole(rule_list(rules)),
        folder / "modern_rules.h": text.whole(modern(rules)),
        folder / "compat_rules.h": text.whole(compat(rules)),
        Path("ui/src/api/rule_parameters.ts"): text.whole(typescript(rules)),
        PAGE: page(rules),
    }
