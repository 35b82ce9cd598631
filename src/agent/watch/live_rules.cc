// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/live_rules.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/rows/finding_row.h"
#include "analyze/rules/profiling_report.h"
#include "base/time.h"
#include "model/finding_kinds.h"
#include "store/manifest.h"
#include "store/stored_words.h"

namespace steptrace::agent {

namespace finding = model::finding;

namespace {

constexpr int64_t kPeriodNs = 60 * kNsPerSecond;
constexpr int64_t kWindowNs = 10 * kPeriodNs;
constexpr size_t kMostSamples = 1200;  // ten minutes at the usual 500 ms
constexpr size_t kLeastSteps = 128;    // more than a rule's window of 100
constexpr size_t kMostSteps = 1024;

bool IsWatched(store::Metric metric) {
  using enum store::Metric;
  return metric == kCpuBusyShare || metric == kCpuIowaitShare || metric == kGpuUtilization ||
         metric == kGpuMemoryUsed || metric == kGpuMemoryTotal;
}

}  // namespace

void LiveRules::OnSample(const Sample& sample) {
  if (!sample.metric || !IsWatched(*sample.metric)) return;
  Line& line = lines_[{*sample.metric, std::max(sample.device, -1)}];
  line.times_ns.push_back(sample.ts_ns);
  line.values.push_back(sample.value);
  if (line.values.size() <= kMostSamples) return;
  line.times_ns.pop_front();
  line.values.pop_front();
}

void LiveRules::OnStep(const store::StepRow& row, std::string_view kind) {
  store::StepRow& kept = steps_.emplace_back(row);
  kept.kind = strings_.Intern(kind);
  kept.longest_user_range = {};
  if (!first_step_ && store::StepKindOf(kind) != store::StepKind::kEval) {
    first_step_ = kept;
    // It tells when the training began, and is judged no more than a slow first step is.
    first_step_->kind = strings_.Intern(store::NameOf(store::StepKind::kWarmUp));
  }
  if (steps_.size() > kMostSteps) steps_.pop_front();
}

void LiveRules::Forget(int64_t now_ns) {
  const int64_t from_ns = now_ns - kWindowNs;
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
  input.tables.whole = false;  // of the last minutes alone
  return analyze::RunRules(input, settings_);
}

std::vector<Alert> LiveRules::Check(Moment moment, int64_t now_ns, const Job&) {
  std::vector<Alert> alerts;
  if (moment != Moment::kSettled || now_ns < next_ns_) return alerts;
  const bool first = next_ns_ == 0;
  next_ns_ = now_ns + kPeriodNs;
  if (first) return alerts;
  Forget(now_ns);
  for (const analyze::RuleResult& result : Evaluate(now_ns)) {
    const bool bad = result.status == analyze::RuleStatus::kIssuesFound;
    if (!bad && result.status != analyze::RuleStatus::kOk) continue;
    // It counts the others, which speak for themselves.
    if (result.rule == analyze::RuleId::kProfilerReport) continue;
    bool& reported = reported_[static_cast<size_t>(result.rule)];
    if (bad == reported) continue;
    reported = bad;
    model::Finding found = !bad                      ? Make(finding::LiveRulePassed{})
                           : result.evidence.empty() ? Make(finding::LiveRuleFound{})
                                                     : result.evidence.front();
    found.subject.rule = analyze::InfoOf(result.rule).name;
    std::string evidence = EvidenceText(found, analyze::RuleJson(result));
    alerts.push_back({.found = std::move(found),
                      .severity = bad ? store::Severity::kWarning : store::Severity::kInfo,
                      .subject = std::string(analyze::InfoOf(result.rule).name),
                      .evidence = std::move(evidence),
                      .suggests = bad ? "rule" : nullptr});
  }
  return alerts;
}

}  // namespace steptrace::agent
