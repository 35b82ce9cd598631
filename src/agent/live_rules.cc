// SPDX-License-Identifier: Apache-2.0
#include "agent/live_rules.h"

#include <nlohmann/json.hpp>

#include "agent/finding_row.h"
#include "analyze/rules/profiling_report.h"
#include "base/time.h"
#include "model/finding_kinds.h"
#include "store/manifest.h"

namespace steptrace::agent {

namespace finding = model::finding;

namespace {

constexpr int64_t kTurnNs = 60 * kNsPerSecond;
constexpr int64_t kStretchNs = 10 * kTurnNs;
constexpr size_t kMostSamples = 1200;  // ten minutes at the usual 500 ms
constexpr size_t kLeastSteps = 128;    // more than a rule's window of 100
constexpr size_t kMostSteps = 1024;

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
  const std::string& kind = strings.Text(row.kind);
  store::StepRow& kept = steps_.emplace_back(row);
  kept.kind = strings_.Intern(kind);
  kept.longest_user_range = {};
  if (!first_step_ && kind != "eval") {
    first_step_ = kept;
    // It tells when the training began, and is judged no more than a slow first step is.
    first_step_->kind = strings_.Intern("warm-up");
  }
  if (steps_.size() > kMostSteps) steps_.pop_front();
}

void LiveRules::Forget(int64_t now_ns) {
  const int64_t from_ns = now_ns - kStretchNs;
  for (auto& [key, line] : lines_) {
    while (!line.times_ns.empty() && line.times_ns.front() < from_ns) {
      line.times_ns.pop_front();
      line.values.pop_front();
    }
  }
  while (steps_.size() > kLeastSteps && steps_.front().ts_ns + steps_.front().dur_ns < from_ns) {
    steps_.pop_front();
  }
}

std::vector<analyze::CounterSeries> LiveRules::Counters() const {
  std::vector<analyze::CounterSeries> counters;
  for (const auto& [key, line] : lines_) {
    analyze::CounterSeries& one = counters.emplace_back();
    one.metric = store::InfoOf(key.first).name;
    one.node = node_;
    if (key.second >= 0) one.device = key.second;
    one.times_ns.assign(line.times_ns.begin(), line.times_ns.end());
    one.values.assign(line.values.begin(), line.values.end());
    if (key.first != store::Metric::kCpuIowaitShare) continue;
    // The rule sums over the cores; here there is their mean.
    one.metric = "I/OWaitPercentage";
    for (double& value : one.values) value *= 100.0 * cpus_;
  }
  return counters;
}

std::vector<store::StepRow> LiveRules::Steps() const {
  std::vector<store::StepRow> steps;
  if (first_step_) steps.push_back(*first_step_);
  steps.insert(steps.end(), steps_.begin(), steps_.end());
  return steps;
}

std::vector<analyze::RuleResult> LiveRules::Evaluate(int64_t now_ns) const {
  const std::vector<analyze::CounterSeries> counters = Counters();
  const std::vector<store::StepRow> steps = Steps();
  analyze::RulesInput input;
  input.run.status = store::kStatusInProgress;
  input.run.duration_ns = now_ns;
  input.run.nodes.push_back({node_, "", cpus_, 0});
  input.counters = counters;
  input.steps = steps;
  input.strings = &strings_;
  return analyze::RunRules(input, analyze::RuleSettings(analyze::RuleMode::kModern));
}

std::vector<store::FindingRow> LiveRules::Turn(int64_t now_ns, store::StringTable& strings) {
  std::vector<store::FindingRow> findings;
  if (now_ns < next_ns_) return findings;
  const bool first = next_ns_ == 0;
  next_ns_ = now_ns + kTurnNs;
  if (first) return findings;
  Forget(now_ns);
  for (const analyze::RuleResult& result : Evaluate(now_ns)) {
    const bool bad = result.status == analyze::RuleStatus::kIssuesFound;
    if (!bad && result.status != analyze::RuleStatus::kOk) continue;
    // It counts the others, which speak for themselves.
    if (result.rule == analyze::RuleId::kProfilerReport) continue;
    bool& told = told_[static_cast<size_t>(result.rule)];
    if (bad == told) continue;
    told = bad;
    const model::Finding found = !bad                      ? Make(finding::LiveRulePassed{})
                                 : result.evidence.empty() ? Make(finding::LiveRuleFound{})
                                                           : result.evidence.front();
    store::FindingRow row = MakeFindingRow(now_ns, bad ? "warning" : "info",
                                           analyze::InfoOf(result.rule).name, found, strings);
    row.kind = strings.Intern("rule");
    SetEvidence(found, analyze::RuleJson(result), row);
    findings.push_back(std::move(row));
  }
  return findings;
}

}  // namespace steptrace::agent
