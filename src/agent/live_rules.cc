// SPDX-License-Identifier: Apache-2.0
#include "agent/live_rules.h"

#include <nlohmann/json.hpp>

#include "analyze/rules/profiling_report.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

constexpr int64_t kTurnNs = 60 * kNsPerSecond;
constexpr int64_t kWindowNs = 10 * kTurnNs;
constexpr size_t kMostSteps = 1024;
constexpr size_t kMostSamples = 1200;  // ten minutes at the usual 500 ms

bool Wanted(store::Metric metric) {
  using enum store::Metric;
  return metric == kCpuBusyShare || metric == kCpuIowaitShare || metric == kGpuUtilization ||
         metric == kGpuMemoryUsed || metric == kGpuMemoryTotal;
}

}  // namespace

void LiveRules::AddSample(store::Metric metric, std::optional<int32_t> device, int64_t ts_ns,
                          double value) {
  if (!Wanted(metric)) return;
  Line& line = lines_[{metric, device.value_or(-1)}];
  line.times_ns.push_back(ts_ns);
  line.values.push_back(value);
  if (line.values.size() <= kMostSamples) return;
  line.times_ns.pop_front();
  line.values.pop_front();
}

void LiveRules::AddStep(const store::StepRow& row, const store::StringTable& strings) {
  steps_.push_back(row);
  steps_.back().kind = strings_.Intern(strings.Text(row.kind));
  steps_.back().longest_user_range = {};
  if (steps_.size() > kMostSteps) steps_.pop_front();
}

void LiveRules::Forget(int64_t now_ns) {
  for (auto& [key, line] : lines_) {
    while (!line.times_ns.empty() && line.times_ns.front() < now_ns - kWindowNs) {
      line.times_ns.pop_front();
      line.values.pop_front();
    }
  }
}

struct LiveRules::Evaluation {
  static std::vector<analyze::RuleResult> Of(const LiveRules& rules, int64_t now_ns);
};

std::vector<analyze::RuleResult> LiveRules::Evaluation::Of(const LiveRules& rules, int64_t now_ns) {
  std::vector<analyze::CounterSeries> counters;
  for (const auto& [key, line] : rules.lines_) {
    analyze::CounterSeries& one = counters.emplace_back();
    one.metric = store::InfoOf(key.first).name;
    one.node = rules.node_;
    if (key.second >= 0) one.device = key.second;
    one.times_ns.assign(line.times_ns.begin(), line.times_ns.end());
    one.values.assign(line.values.begin(), line.values.end());
    if (key.first != store::Metric::kCpuIowaitShare) continue;
    // The rule sums over the cores; here there is their mean.
    one.metric = "I/OWaitPercentage";
    for (double& value : one.values) value *= 100.0 * rules.cpus_;
  }
  const std::vector<store::StepRow> steps(rules.steps_.begin(), rules.steps_.end());
  analyze::RulesInput input;
  input.run.status = "in_progress";
  input.run.duration_ns = now_ns;
  input.run.nodes.push_back({rules.node_, "", rules.cpus_, 0});
  input.counters = counters;
  input.steps = steps;
  input.strings = &rules.strings_;
  return analyze::RunRules(input, analyze::RuleSettings(analyze::RuleMode::kModern));
}

std::vector<store::FindingRow> LiveRules::Turn(int64_t now_ns, store::StringTable& strings) {
  std::vector<store::FindingRow> findings;
  if (now_ns < next_ns_) return findings;
  const bool first = next_ns_ == 0;
  next_ns_ = now_ns + kTurnNs;
  if (first) return findings;
  Forget(now_ns);
  for (const analyze::RuleResult& result : Evaluation::Of(*this, now_ns)) {
    if (result.rule == analyze::RuleId::kProfilerReport) continue;
    // The oldest step in the window is not the run's first one for long.
    if (result.rule == analyze::RuleId::kMaxInitializationTime && !steps_.empty() &&
        steps_.front().step > 0) {
      continue;
    }
    bool& told = told_[static_cast<size_t>(result.rule)];
    const bool bad = result.status == analyze::RuleStatus::kIssuesFound;
    if (bad == told) continue;
    told = bad;
    store::FindingRow row;
    row.ts_ns = now_ns;
    row.severity = strings.Intern(bad ? "warning" : "info");
    row.kind = strings.Intern("rule");
    row.subject = analyze::InfoOf(result.rule).name;
    row.text = bad ? result.evidence.front().text : "no issue in the last ten minutes";
    row.evidence = analyze::RuleJson(result).dump(-1, ' ', false,
                                                  nlohmann::ordered_json::error_handler_t::replace);
    findings.push_back(std::move(row));
  }
  return findings;
}

}  // namespace steptrace::agent
