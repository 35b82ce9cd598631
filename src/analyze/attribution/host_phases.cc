// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/host_phases.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyze/trace/window_pieces.h"
#include "store/step_columns.h"

namespace steptrace::analyze {
namespace {

int64_t store::StepRow::*PhaseOf(HostActivityKind doing) {
  switch (doing) {
    case HostActivityKind::kData:
      return &store::StepRow::data_ns;
    case HostActivityKind::kCollective:
      return &store::StepRow::communication_phase_ns;
    case HostActivityKind::kCollection:
      return &store::StepRow::gc_ns;
    case HostActivityKind::kCompilation:
      return &store::StepRow::compile_ns;
    case HostActivityKind::kCheckpoint:
      return &store::StepRow::checkpoint_ns;
    case HostActivityKind::kEvaluation:
      return &store::StepRow::evaluation_ns;
    case HostActivityKind::kLogging:
      return &store::StepRow::logging_ns;
    default:
      return nullptr;
  }
}

// How much of a set lies in time ranges that come in order.
class LengthIn {
 public:
  LengthIn(const Intervals& set, int64_t from_ns)
      : at_(std::partition_point(set.begin(), set.end(),
                                 [=](const TimeRange& one) { return one.end_ns <= from_ns; })),
        end_(set.end()) {}

  int64_t operator()(const TimeRange& time) {
    while (at_ != end_ && at_->end_ns <= time.begin_ns) ++at_;
    int64_t ns = 0;
    for (auto one = at_; one != end_ && one->begin_ns < time.end_ns; ++one) {
      ns += Clip(*one, time).length_ns();
    }
    return ns;
  }

 private:
  Intervals::const_iterator at_;
  Intervals::const_iterator end_;
};

// What the thread does by name comes first, then the ranges of phases; what else it shows is
// forward, and where it shows nothing, other.
void AddPhases(const HostActivity& lane, const std::vector<PhaseRange>& ranges,
               const TimeRange& window, store::StepRow& sums) {
  store::StepRow row;
  std::vector<LengthIn> of_ranges;
  for (const PhaseRange& range : ranges) {
    of_ranges.emplace_back(range.time, window.begin_ns);
    row.*range.phase += LengthWithin(range.time, window);
  }
  row.other_phase_ns = window.length_ns();
  for (const PhaseRange& range : ranges) row.other_phase_ns -= row.*range.phase;
  for (size_t i = lane.FirstAfter(window.begin_ns); i < lane.size(); ++i) {
    const HostTimeRange one = lane[i];
    if (one.time.begin_ns >= window.end_ns) break;
    const auto phase = PhaseOf(one.doing);
    if (phase == nullptr && one.doing == HostActivityKind::kNothing) continue;
    const TimeRange time = Clip(one.time, window);
    int64_t left_ns = time.length_ns();
    for (size_t r = 0; r < ranges.size(); ++r) {
      const int64_t ns = of_ranges[r](time);
      left_ns -= ns;
      if (phase != nullptr) row.*ranges[r].phase -= ns;
    }
    row.*(phase != nullptr ? phase : &store::StepRow::forward_ns) +=
        phase != nullptr ? time.length_ns() : left_ns;
    row.other_phase_ns -= left_ns;
  }
  for (const store::StepColumn& phase : store::kStepPhases) sums.*phase.ns += row.*phase.ns;
}

}  // namespace

std::vector<PhaseRange> PhasesOf(const RankTrace& trace, const store::StringTable& strings) {
  std::unordered_map<store::StringId, int64_t store::StepRow::*> by_name;
  std::vector<TimeRange> optimizer, backward;
  for (const TraceEvent& event : trace.host) {
    if (event.kind != EventKind::kOperator && event.kind != EventKind::kAnnotation) continue;
    auto [found, added] = by_name.try_emplace(event.name, nullptr);
    if (added) {
      const std::string_view name = strings.Text(event.name);
      if (name.starts_with("Optimizer.")) found->second = &store::StepRow::optimizer_ns;
      if (name.starts_with("autograd::engine::evaluate_function")) {
        found->second = &store::StepRow::backward_ns;
      }
    }
    if (found->second == &store::StepRow::optimizer_ns) {
      optimizer.push_back({event.ts_ns, event.end_ns()});
    } else if (found->second == &store::StepRow::backward_ns) {
      backward.push_back({event.ts_ns, event.end_ns()});
    }
  }
  const Intervals optimizers = Union(std::move(optimizer));
  const Intervals backwards = Difference(Union(std::move(backward)), optimizers);
  return {{&store::StepRow::optimizer_ns, SubStage::kOptimizer, optimizers},
          {&store::StepRow::backward_ns, SubStage::kBackward, backwards}};
}

void AddHostPhases(const HostActivity& lane, const std::vector<PhaseRange>& ranges,
                   std::vector<store::StepRow>& rows) {
  std::vector<TimeRange> windows;
  for (const store::StepRow& row : rows) windows.push_back({row.ts_ns, row.ts_ns + row.dur_ns});
  store::StepRow sums;  // of the phases up to a moment
  GoOverWindows(
      windows,
      [&](size_t i) {
        for (const auto& [name, ns] : store::kStepPhases) rows[i].*ns -= sums.*ns;
      },
      [&](const TimeRange& time) { AddPhases(lane, ranges, time, sums); },
      [&](size_t i) {
        for (const auto& [name, ns] : store::kStepPhases) rows[i].*ns += sums.*ns;
      });
}

}  // namespace steptrace::analyze
