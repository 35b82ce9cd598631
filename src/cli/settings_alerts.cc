// SPDX-License-Identifier: Apache-2.0
#include "cli/settings_alerts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "analyze/rules/rule_catalogue.h"

namespace steptrace::cli {
namespace {

constexpr size_t kShownThresholdBytes = 80;

std::string KnownThresholds() {
  std::string names = "the names are ";
  for (const model::AlertThreshold& one : model::kAlertThresholds)
    names += fmt::format("{}, ", one.id);
  return names + "or Rule.parameter of a profiler rule";
}

// Not a number: it is none.
double ThresholdOf(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Status SetThreshold(const model::AlertThreshold& threshold, double value,
                    model::AlertThresholds& thresholds) {
  if (!(value >= threshold.least && value <= threshold.most)) {
    return Error{fmt::format("is not a number of {} from {:.0f} to {:.0f}", threshold.unit,
                             threshold.least, threshold.most)};
  }
  thresholds.*threshold.value = value + 0.0;  // of -0 the plain one
  return {};
}

Status AddAlertRules(std::string_view assignments, std::vector<std::string>& rules) {
  constexpr size_t kMostRules = 100;
  for (size_t begin = 0; begin <= assignments.size();) {
    const size_t end = std::min(assignments.find(',', begin), assignments.size());
    std::string_view one = assignments.substr(begin, end - begin);
    begin = end + 1;
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    STEPTRACE_RETURN_IF_ERROR(analyze::RuleSettings(analyze::RuleMode::kModern).Set(one));
    rules.emplace_back(one);
  }
  if (rules.size() > kMostRules) return Error{"more than 100 thresholds of rules"};
  return {};
}

Status SetAlert(std::string_view assignment, model::AlertSettings& alerts) {
  const size_t equals = assignment.find('=');
  const std::string_view name = assignment.substr(0, equals);
  if (equals == assignment.npos) {
    return Error{fmt::format("'{}' is not NAME=VALUE", assignment.substr(0, kShownThresholdBytes)),
                 KnownThresholds()};
  }
  if (name.find('.') != name.npos) return AddAlertRules(assignment, alerts.rules);
  const std::string_view text = assignment.substr(equals + 1);
  for (const model::AlertThreshold& one : model::kAlertThresholds) {
    if (name != one.id) continue;
    const Status set = SetThreshold(one, ThresholdOf(text), alerts.thresholds);
    if (set.ok()) return {};
    return Error{
        fmt::format("{}: '{}' {}", one.id, text.substr(0, kShownThresholdBytes), set.error().cause),
        "give such a number"};
  }
  return Error{fmt::format("no threshold '{}'", name.substr(0, kShownThresholdBytes)),
               KnownThresholds()};
}

}  // namespace steptrace::cli
