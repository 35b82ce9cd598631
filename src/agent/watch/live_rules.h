// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/watch/observer.h"
#include "analyze/input/report_input.h"
#include "analyze/rules/rule_catalogue.h"
#include "analyze/rules/rule_result.h"
#include "store/metrics.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::agent {

// The rules (mode modern) on the newest time range of a run that goes on: once a minute, and a
// finding where a rule's status has changed; while a rule has nothing to judge by, its last word
// stands. The time range is ten minutes of samples (1200 a line at most) and of steps (128 to
// 1024). It holds lines of the node and of its GPUs, never of cores, so that it stays small: 1 MiB
// with 8 GPUs.
class LiveRules : public Observer {
 public:
  LiveRules(int32_t node, int32_t cpus,
            analyze::RuleSettings settings = analyze::RuleSettings(analyze::RuleMode::kModern))
      : node_(node), cpus_(cpus), settings_(std::move(settings)) {}

  void OnSample(const Sample& sample) override;
  void OnStep(const store::StepRow& row, std::string_view kind) override;
  // Nothing unless a minute went by.
  std::vector<Alert> Check(Moment moment, int64_t now_ns, const Job& job) override;

 private:
  struct Line {
    std::deque<int64_t> times_ns;
    std::deque<double> values;
  };

  void Forget(int64_t now_ns);
  std::vector<analyze::CounterSeries> Counters() const;
  std::vector<store::StepRow> Steps() const;
  std::vector<analyze::RuleResult> Evaluate(int64_t now_ns) const;

  int32_t node_;
  int32_t cpus_;
  analyze::RuleSettings settings_;
  int64_t next_ns_ = 0;
  std::map<std::pair<store::Metric, int32_t>, Line> lines_;  // metric, device
  store::StringTable strings_;                               // the kinds of steps
  std::optional<store::StepRow> first_step_;  // of the run: the training began with it
  std::deque<store::StepRow> steps_;
  std::array<bool, analyze::kRuleCount> reported_{};  // the rules that have an issue
};

}  // namespace steptrace::agent
