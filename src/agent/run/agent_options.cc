// SPDX-License-Identifier: Apache-2.0
#include "agent/run/agent_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

namespace steptrace::agent {
namespace {

template <class Number>
bool ParseNumber(const std::string& text, Number& out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

// "hang_s=30"
bool AssignThreshold(const std::string& text, model::AlertThresholds& thresholds) {
  const size_t equals = text.find('=');
  if (equals == text.npos) return false;
  for (const model::AlertThreshold& one : model::kAlertThresholds) {
    if (text.substr(0, equals) != one.id) continue;
    double value = 0;
    if (!ParseNumber(text.substr(equals + 1), value)) return false;
    if (!(value >= one.least && value <= one.most)) return false;
    return thresholds.*one.value = value, true;
  }
  return false;
}

bool Assign(const std::string& flag, const std::string& value, AgentOptions& options) {
  if (flag == "--run-dir") return options.run_dir = value, true;
  if (flag == "--ring-dir") return options.ring_dir = value, true;
  if (flag == "--run-id") return options.run_id = value, true;
  if (flag == "--run-name") return options.run_name = value, true;
  if (flag == "--sample-interval-ms") return ParseNumber(value, options.sample_interval_ms);
  if (flag == "--stack-rate") return ParseNumber(value, options.stack_rate);
  if (flag == "--window-budget-ns") return ParseNumber(value, options.windows.budget.ns);
  if (flag == "--window-budget-bytes") return ParseNumber(value, options.windows.budget.bytes);
  if (flag == "--hang-watch") {
    int on = 0;
    if (!ParseNumber(value, on)) return false;
    return options.hang_watch = on != 0, true;
  }
  if (flag == "--alert") return AssignThreshold(value, options.alerts.thresholds);
  if (flag == "--alert-rule") return options.alerts.rules.push_back(value), true;
  if (flag == "--windows") {
    auto plan = ParsePlan({value}, {});
    if (plan.ok()) plan->budget = options.windows.budget;
    if (plan.ok()) options.windows = *std::move(plan);
    return plan.ok();
  }
  if (flag == "--capture") {  // behind --windows
    const auto kinds = ParseKinds(value);
    if (kinds.ok()) options.windows.kinds = *kinds;
    return kinds.ok();
  }
  if (flag == "--redact") return options.redact.push_back(value), true;
  if (flag == "--tag") {
    const size_t equals = value.find('=');
    if (equals == value.npos) return false;
    return options.tags[value.substr(0, equals)] = value.substr(equals + 1), true;
  }
  if (flag == "--keep-traces") return options.keep_traces = value == "1", true;
  if (flag == "--control-fd") return ParseNumber(value, options.control_fd);
  if (flag == "--kineto-fd") return ParseNumber(value, options.kineto_fd);
  if (flag == "--kineto-dir") return options.kineto_dir = value, true;
  if (flag == "--lock-fd") return ParseNumber(value, options.lock_fd);
  return false;
}

}  // namespace

std::string ChangesText(const AgentOptions& options) {
  const WindowPlan& plan = options.windows;
  return fmt::format(
      "--stack-rate {} --window-budget-ns {} --window-budget-bytes {} --windows {} --capture {} "
      "--end",
      options.stack_rate, plan.budget.ns, plan.budget.bytes, ToText(plan), KindsText(plan.kinds));
}

bool ApplyChanges(std::string_view text, AgentOptions& options) {
  static constexpr std::string_view kMayChange[] = {
      "--stack-rate", "--window-budget-ns", "--window-budget-bytes", "--windows", "--capture"};
  AgentOptions changed = options;
  std::istringstream words{std::string(text)};
  std::string flag, value;
  bool whole = false;
  while (words >> flag) {
    whole = flag == "--end";
    if (whole) break;
    const bool known = std::ranges::find(kMayChange, flag) != std::end(kMayChange);
    if (!known || !(words >> value) || !Assign(flag, value, changed)) return false;
  }
  if (!whole || changed.stack_rate < 0 || changed.stack_rate > kMaxStackRate) return false;
  options = std::move(changed);
  return true;
}

std::vector<std::string> ToArguments(const AgentOptions& options) {
  std::vector<std::string> arguments = {"--run-dir",
                                        options.run_dir.string(),
                                        "--ring-dir",
                                        options.ring_dir.string(),
                                        "--run-id",
                                        options.run_id,
                                        "--run-name",
                                        options.run_name,
                                        "--sample-interval-ms",
                                        std::to_string(options.sample_interval_ms),
                                        "--stack-rate",
                                        std::to_string(options.stack_rate),
                                        "--hang-watch",
                                        options.hang_watch ? "1" : "0",
                                        "--windows",
                                        ToText(options.windows),
                                        "--window-budget-ns",
                                        std::to_string(options.windows.budget.ns),
                                        "--window-budget-bytes",
                                        std::to_string(options.windows.budget.bytes),
                                        "--capture",
                                        KindsText(options.windows.kinds),
                                        "--keep-traces",
                                        options.keep_traces ? "1" : "0",
                                        "--control-fd",
                                        std::to_string(options.control_fd),
                                        "--kineto-fd",
                                        std::to_string(options.kineto_fd),
                                        "--kineto-dir",
                                        options.kineto_dir.string(),
                                        "--lock-fd",
                                        std::to_string(options.lock_fd)};
  for (const model::AlertThreshold& one : model::kAlertThresholds) {
    arguments.insert(
        arguments.end(),
        {"--alert", fmt::format("{}={}", one.id, options.alerts.thresholds.*one.value)});
  }
  for (const std::string& rule : options.alerts.rules) {
    arguments.insert(arguments.end(), {"--alert-rule", rule});
  }
  for (const std::string& name : options.redact) {
    arguments.insert(arguments.end(), {"--redact", name});
  }
  for (const auto& [tag, value] : options.tags) {
    arguments.insert(arguments.end(), {"--tag", tag + "=" + value});
  }
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), options.command.begin(), options.command.end());
  return arguments;
}

Result<AgentOptions> ParseArguments(const std::vector<std::string>& arguments) {
  AgentOptions options;
  size_t i = 0;
  while (i < arguments.size() && arguments[i] != "--") {
    if (i + 1 >= arguments.size() || !Assign(arguments[i], arguments[i + 1], options)) {
      return Error{"agent: " + arguments[i] + ": not an option of it",
                   "it is started by `steptrace run`, not by hand"};
    }
    i += 2;
  }
  if (i < arguments.size()) {
    options.command.assign(arguments.begin() + static_cast<ptrdiff_t>(i) + 1, arguments.end());
  }
  if (options.stack_rate < 0 || options.stack_rate > kMaxStackRate) {
    return Error{"agent: --stack-rate is not from 0 to 1000"};
  }
  if (options.run_dir.empty() || options.ring_dir.empty()) {
    return Error{"agent: no run folder given", "it is started by `steptrace run`, not by hand"};
  }
  return options;
}

}  // namespace steptrace::agent
