// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/phase_sums.h"

#include <algorithm>
#include <numeric>

#include "analyze/derive/operator_times.h"

namespace steptrace::analyze {
namespace {

template <class F>
void ForEachCount(F&& f) {
  std::apply([&](const auto&... count) { (f(count), ...); }, kCounts);
}

}  // namespace

void UserTimes::Add(store::StringId name, int64_t ns) {
  for (auto& [known, total_ns] : times_) {
    if (known == name) {
      total_ns += ns;
      return;
    }
  }
  if (times_.size() < kMaxNames) times_.emplace_back(name, ns);
}

void UserTimes::Add(const UserTimes& other) {
  for (const auto& [name, ns] : other.times_) Add(name, ns);
}

std::pair<store::StringId, int64_t> UserTimes::Longest() const {
  std::pair<store::StringId, int64_t> longest{store::StringId::kEmpty, 0};
  for (const auto& entry : times_) {
    if (entry.second > longest.second) longest = entry;
  }
  return longest;
}

void PhaseSums::Add(const PhaseSums& other) {
  for (size_t i = 0; i < kPhaseCount; ++i) phase_ns[i] += other.phase_ns[i];
  for (size_t i = 0; i < kStageCount; ++i) stage_ns[i] += other.stage_ns[i];
  ForEachCount([&](const auto& count) { this->*count.sum += other.*count.sum; });
  in_window_ns += other.in_window_ns;
  computing_ns += other.computing_ns;
  script_ns += other.script_ns;
  operators += other.operators;
  lost += other.lost;
  if (other.min_queue_depth >= 0) SawQueueDepth(other.min_queue_depth);
  user_in_other.Add(other.user_in_other);
}

void PhaseSums::SawQueueDepth(int32_t depth) {
  min_queue_depth = min_queue_depth < 0 ? depth : std::min(min_queue_depth, depth);
}

int64_t PhaseSums::TotalNs() const {
  return std::accumulate(phase_ns.begin(), phase_ns.end(), int64_t{0});
}

namespace {

// Of what has a range of a kind of its own, whatever is evaluated around it.
bool StaysInEvaluation(Phase phase) {
  switch (phase) {
    case Phase::kCommunication:
    case Phase::kCheckpoint:
    case Phase::kGc:
    case Phase::kCompile:
    case Phase::kCapture:
      return true;
    case Phase::kData:
    case Phase::kForward:
    case Phase::kBackward:
    case Phase::kOptimizer:
    case Phase::kEvaluation:
    case Phase::kLogging:
    case Phase::kOther:
      return false;
  }
  return false;
}

}  // namespace

PhaseSums AsEvaluation(const PhaseSums& sums) {
  PhaseSums result;
  for (size_t i = 0; i < kPhaseCount; ++i) {
    if (StaysInEvaluation(static_cast<Phase>(i))) result.phase_ns[i] = sums.phase_ns[i];
  }
  result[Phase::kEvaluation] = sums.TotalNs() - result.TotalNs();
  result.in_window_ns = sums.in_window_ns;
  result.lost = sums.lost;
  return result;
}

PhaseSums AsEvaluationRow(const PhaseSums& sums) {
  PhaseSums result = AsEvaluation(sums);
  result.in_window_ns = 0;
  result[Phase::kEvaluation] -= sums[Phase::kData];
  result[Phase::kData] = sums[Phase::kData];
  result.stage_ns = sums.stage_ns;
  ForEachCount([&](const auto& count) {
    if (count.in_evaluation == InEvaluation::kItsOwn) result.*count.sum = sums.*count.sum;
  });
  result.min_queue_depth = sums.min_queue_depth;
  return result;
}

namespace {

// The cause that a phase is counted to.
int64_t store::StepRow::*CauseOf(Phase phase) {
  switch (phase) {
    case Phase::kData:
      return &store::StepRow::data_pipeline_ns;
    case Phase::kForward:
    case Phase::kBackward:
    case Phase::kOptimizer:
      return &store::StepRow::model_ns;
    case Phase::kCommunication:
      return &store::StepRow::communication_ns;
    case Phase::kGc:
    case Phase::kCompile:
      return &store::StepRow::framework_overhead_ns;
    case Phase::kCheckpoint:
    case Phase::kEvaluation:
    case Phase::kLogging:
    case Phase::kCapture:
    case Phase::kOther:
      return &store::StepRow::other_ns;
  }
  return &store::StepRow::other_ns;
}

void FillCauses(const PhaseSums& sums, CauseRule rule, store::StepRow& row) {
  for (const store::StepColumn& cause : store::kStepCauses) row.*cause.ns = 0;
  for (size_t i = 0; i < kPhaseCount; ++i) {
    row.*CauseOf(static_cast<Phase>(i)) += sums.phase_ns[i];
  }
  if (rule.blocked_backward_is_communication) {
    row.model_ns -= sums.blocked_in_backward_ns;
    row.communication_ns += sums.blocked_in_backward_ns;
  }
}

void FillCounts(const PhaseSums& sums, store::StepRow& row) {
  ForEachCount([&](const auto& count) { row.*count.column = sums.*count.sum; });
  if (sums.min_queue_depth >= 0) row.min_queue_depth = sums.min_queue_depth;
  std::tie(row.longest_user_range, row.longest_user_range_ns) = sums.user_in_other.Longest();
}

}  // namespace

void FillRow(const PhaseSums& sums, CauseRule rule, store::StepRow& row) {
  for (size_t i = 0; i < kPhaseCount; ++i) row.*store::kStepPhases[i].ns = sums.phase_ns[i];
  for (size_t i = 0; i < kStageCount; ++i) row.*store::kStepStages[i].ns = sums.stage_ns[i];
  FillCauses(sums, rule, row);
  FillCounts(sums, row);
  const bool in_window = sums.in_window_ns > 0 && sums.in_window_ns == sums.TotalNs();
  if (in_window && sums.lost == 0) {
    FillOperators({sums.computing_ns, sums.script_ns, sums.operators}, row);
  }
}

bool SumsExactly(const store::StepRow& row) {
  const auto sum = [&row](const auto& columns) {
    int64_t ns = 0;
    for (const store::StepColumn& column : columns) ns += row.*column.ns;
    return ns;
  };
  const bool operators_sum = row.operators_ns.value_or(0) + row.dispatch_ns.value_or(0) <=
                                 row.forward_ns + row.backward_ns + row.optimizer_ns ||
                             !row.operators_ns;
  return operators_sum && sum(store::kStepPhases) == row.dur_ns &&
         sum(store::kStepCauses) == row.dur_ns && sum(store::kStepStages) == row.data_pipeline_ns;
}

}  // namespace steptrace::analyze
