// SPDX-License-Identifier: Apache-2.0
#include "analyze/rules/rule_catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace steptrace::analyze {
namespace {

using enum ParameterKind;

bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

const RuleInfo* FindRule(std::string_view name) {
  for (const RuleInfo& rule : RuleCatalogue()) {
    if (SameName(rule.name, name)) return &rule;
  }
  return nullptr;
}

std::string RulesWithParameters() {
  std::string names;
  for (const RuleInfo& rule : RuleCatalogue()) {
    if (rule.parameters.empty()) continue;
    names += (names.empty() ? "" : ", ") + std::string(rule.name);
  }
  return names;
}

std::string ParameterNames(const RuleInfo& rule, RuleMode mode) {
  std::string names;
  for (const ParameterInfo& parameter : rule.parameters) {
    if (parameter.In(mode)) names += (names.empty() ? "" : ", ") + std::string(parameter.name);
  }
  return names.empty() ? "none" : names;
}

const char* ExpectedOf(ParameterKind kind, RuleMode mode) {
  switch (kind) {
    case kPercent:
      return "a number from 0 to 100";
    case kCount:
      return "a whole number from 0 to 1e9";
    case kWindow:
      return mode == RuleMode::kCompat ? "a whole number from 0 (all) to 1e9"
                                       : "a whole number from 1 to 1e9";
    case kSlope:
      return "a whole number from 2 to 1e9";
    case kPositive:
      return "a number over 0, up to 1e9";
    case kNumber:
      return "a number from 0 to 1e9";
    case kText:
      return "None, TRAIN or EVAL";
  }
  return "a number";
}

bool Fits(ParameterKind kind, RuleMode mode, double value) {
  constexpr double kLargest = 1e9;
  if (!std::isfinite(value) || value < 0 || value > kLargest) return false;
  switch (kind) {
    case kPercent:
      return value <= 100;
    case kCount:
      return value == std::floor(value);
    case kWindow:
      return value == std::floor(value) && value >= (mode == RuleMode::kCompat ? 0 : 1);
    case kSlope:
      return value == std::floor(value) && value >= 2;
    case kPositive:
      return value > 0;
    default:
      return true;
  }
}

bool ParseStepMode(std::string_view text, std::string& mode) {
  constexpr std::string_view kPrefix = "Step:ModeKeys.";
  if (text.size() > kPrefix.size() && SameName(text.substr(0, kPrefix.size()), kPrefix)) {
    text.remove_prefix(kPrefix.size());
  }
  if (SameName(text, "none")) mode.clear();
  if (SameName(text, "train")) mode = "train";
  if (SameName(text, "eval")) mode = "eval";
  return SameName(text, "none") || SameName(text, "train") || SameName(text, "eval");
}

}  // namespace

const RuleInfo& InfoOf(RuleId rule) {
  return RuleCatalogue()[static_cast<size_t>(rule)];
}

std::optional<model::Finding> AdviceOf(RuleId rule) {
  const auto kind = InfoOf(rule).advice;
  if (!kind) return std::nullopt;
  model::Finding advice;
  advice.kind = *kind;
  return advice;
}

const char* NameOf(RuleMode mode) {
  return mode == RuleMode::kCompat ? "compat" : "modern";
}

RuleSettings::RuleSettings(RuleMode mode, RulePreset preset) : mode_(mode) {
  for (const RuleInfo& rule : RuleCatalogue()) {
    for (const ParameterInfo& parameter : rule.parameters) {
      double value = parameter.modern;
      if (mode == RuleMode::kCompat) {
        value = preset == RulePreset::kCode  ? parameter.code
                : preset == RulePreset::kSdk ? parameter.sdk
                                             : parameter.aws_docs;
      }
      values_[static_cast<size_t>(rule.id)].push_back(value);
    }
  }
}

Status RuleSettings::Set(std::string_view assignment) {
  const size_t equals = assignment.find('=');
  const size_t dot = assignment.find('.');
  if (equals == std::string_view::npos || dot == std::string_view::npos || dot > equals) {
    return Error{fmt::format("{}: not Rule.param=value", assignment),
                 "write for example LowGPUUtilization.window=200"};
  }
  std::string_view name = assignment.substr(0, dot);
  std::string_view parameter = assignment.substr(dot + 1, equals - dot - 1);
  const size_t underscore = parameter.find('_');
  if (SameName(name, "ProfilerReport") && underscore != std::string_view::npos) {
    name = parameter.substr(0, underscore);
    parameter.remove_prefix(underscore + 1);
  }
  const RuleInfo* rule = FindRule(name);
  if (rule == nullptr) {
    return Error{fmt::format("{}: no rule '{}'", assignment, name),
                 fmt::format("the rules with parameters are {}", RulesWithParameters())};
  }
  return SetValue(*rule, parameter, assignment.substr(equals + 1));
}

Status RuleSettings::SetValue(const RuleInfo& rule, std::string_view name, std::string_view value) {
  for (size_t i = 0; i < rule.parameters.size(); ++i) {
    const ParameterInfo& parameter = rule.parameters[i];
    if (!SameName(parameter.name, name) || !parameter.In(mode_)) continue;
    double number = -1;
    bool good = false;
    if (parameter.kind == kText) {
      good = ParseStepMode(value, step_mode_);
      number = 0;
    } else {
      const char* end = value.data() + value.size();
      const auto parsed = std::from_chars(value.data(), end, number);
      good = parsed.ec == std::errc{} && parsed.ptr == end && Fits(parameter.kind, mode_, number);
    }
    if (!good) {
      return Error{fmt::format("{}.{}={}: not {}", rule.name, parameter.name, value,
                               ExpectedOf(parameter.kind, mode_)),
                   "give one, or leave it out"};
    }
    values_[static_cast<size_t>(rule.id)][i] = number + 0.0;  // of -0 the plain one
    return {};
  }
  return Error{fmt::format("{}.{}: no such parameter in mode {}", rule.name, name, NameOf(mode_)),
               fmt::format("its parameters are {}", ParameterNames(rule, mode_))};
}

double RuleSettings::Number(ParameterId parameter) const {
  return values_[static_cast<size_t>(parameter.rule())][parameter.index()];
}

std::vector<RuleParameter> RuleSettings::Parameters(RuleId rule) const {
  std::vector<RuleParameter> parameters;
  const RuleInfo& info = InfoOf(rule);
  for (size_t i = 0; i < info.parameters.size(); ++i) {
    const ParameterInfo& parameter = info.parameters[i];
    if (!parameter.In(mode_)) continue;
    std::string value = parameter.kind == kText
                            ? (step_mode_.empty() ? "None" : step_mode_)
                            : fmt::format("{}", values_[static_cast<size_t>(rule)][i]);
    parameters.push_back({parameter.name, std::move(value), parameter.UnitIn(mode_)});
  }
  return parameters;
}

Result<RuleMode> ParseRuleMode(std::string_view text) {
  if (text == "compat") return RuleMode::kCompat;
  if (text == "modern") return RuleMode::kModern;
  return Error{fmt::format("--mode {}: no such mode", text), "use compat or modern"};
}

Result<RulePreset> ParseRulePreset(std::string_view text) {
  if (text == "code") return RulePreset::kCode;
  if (text == "sdk") return RulePreset::kSdk;
  if (text == "aws-docs") return RulePreset::kAwsDocs;
  return Error{fmt::format("--preset {}: no such preset", text), "use code, sdk or aws-docs"};
}

}  // namespace steptrace::analyze
