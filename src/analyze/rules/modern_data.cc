// SPDX-License-Identifier: Apache-2.0
#include "analyze/rules/modern_data.h"

#include <algorithm>

#include "analyze/input/step_selection.h"

namespace steptrace::analyze {
namespace {

struct TrainingTime {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  bool known = false;
};

// From the first step that trains to the end of the last; without steps all that was sampled.
TrainingTime TrainingTimeOf(const RulesInput& input, const SystemSignals& signals) {
  TrainingTime time_range;
  const StepKinds kinds(*input.strings);
  for (const store::StepRow& row : input.steps) {
    if (!IsPlausible(row) || kinds.IsEval(row)) continue;
    const int64_t begin = row.ts_ns, end = begin + row.dur_ns;
    time_range.from_ns = time_range.known ? std::min(time_range.from_ns, begin) : begin;
    time_range.to_ns = time_range.known ? std::max(time_range.to_ns, end) : end;
    time_range.known = true;
  }
  if (!time_range.known) return {signals.first_ns(), signals.last_ns() + 1, false};
  return time_range;
}

}  // namespace

ModernData::ModernData(const RulesInput& rules_input, const RuleSettings& rule_settings)
    : input(rules_input),
      settings(rule_settings),
      facts(ReadJobFacts(rules_input.facts, *rules_input.strings)),
      steps(StepEvents(rules_input)),
      signals(rules_input.counters) {
  const TrainingTime time_range = TrainingTimeOf(input, signals);
  from_ns = time_range.from_ns;
  to_ns = time_range.to_ns;
  training_known = time_range.known;
  for (const SignalSeries& one : signals.series()) around.insert(one.signal);
  if (training_known) signals = signals.Between(from_ns, to_ns);
  snapshots = Snapshots(signals);
  outside = SignalsOf(rules_input.metrics_outside);
  for (const SignalSeries& one : signals.series()) {
    around.erase(one.signal);
    outside.erase(one.signal);
  }
  const SystemSignals sampled(input.counters);
  activity = ActivityOf(input, sampled);
  allocated = AllocatedOf(input, sampled);
}

std::vector<const SignalSeries*> ModernData::Gpus() const {
  std::vector<const SignalSeries*> gpus = signals.Of(Signal::kGpu);
  for (const SignalSeries& one : activity) gpus.push_back(&one);
  return gpus;
}

size_t ModernData::PatienceFor(ParameterId patience, const SignalSeries& gpu) const {
  return gpu.rank >= 0 ? 0 : settings.Count(patience);
}

}  // namespace steptrace::analyze
