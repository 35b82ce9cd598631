// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/phase_sums.h"

#include <algorithm>
#include <numeric>

#include "analyze/derive/operator_times.h"

namespace steptrace::analyze {
namespace {

template <class F>
void ForEachCount(F&& f) {
  std::apply([&](const auto&... count) { (f(count.first, count.second), ...); }, kCounts);
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
  ForEachCount([&](auto count, auto /*column*/) { this->*count += other.*count; });
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

PhaseSums AsEvaluation(const PhaseSums& sums) {
  PhaseSums result;
  for (Phase kept :
       {Phase::kCommunication, Phase::kCheckpoint, Phase::kGc, Phase::kCompile, Phase::kCapture}) {
    result[kept] = sums[kept];
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
  result.blocked_in_fetch_ns = sums.blocked_in_fetch_ns;
  result.batches = sums.batches;
  result.waits = sums.waits;
  result.starved_waits = sums.starved_waits;
  result.min_queue_depth = sums.min_queue_depth;
  return result;
}

namespace {

void FillPhases(const PhaseSums& sums, store::StepRow& row) {
  row.data_ns = sums[Phase::kData];
  row.forward_ns = sums[Phase::kForward];
  row.backward_ns = sums[Phase::kBackward];
  row.optimizer_ns = sums[Phase::kOptimizer];
  row.communication_phase_ns = sums[Phase::kCommunication];
  row.checkpoint_ns = sums[Phase::kCheckpoint];
  row.evaluation_ns = sums[Phase::kEvaluation];
  row.logging_ns = sums[Phase::kLogging];
  row.gc_ns = sums[Phase::kGc];
  row.compile_ns = sums[Phase::kCompile];
  row.capture_ns = sums[Phase::kCapture];
  row.other_phase_ns = sums[Phase::kOther];
}

void FillCauses(const PhaseSums& sums, CauseRule rule, store::StepRow& row) {
  const int64_t to_communication_ns =
      rule.blocked_backward_is_communication ? sums.blocked_in_backward_ns : 0;
  row.data_pipeline_ns = row.data_ns;
  row.model_ns = row.forward_ns + row.backward_ns + row.optimizer_ns - to_communication_ns;
  row.communication_ns = row.communication_phase_ns + to_communication_ns;
  row.framework_overhead_ns = row.gc_ns + row.compile_ns;
  row.other_ns =
      row.checkpoint_ns + row.evaluation_ns + row.logging_ns + row.capture_ns + row.other_phase_ns;
}

void FillStages(const PhaseSums& sums, store::StepRow& row) {
  row.getitem_ns = sums[Stage::kGetitem];
  row.collate_ns = sums[Stage::kCollate];
  row.receive_ns = sums[Stage::kReceive];
  row.cpu_shortage_ns = sums[Stage::kCpuShortage];
  row.worker_start_ns = sums[Stage::kWorkerStart];
}

void FillCounts(const PhaseSums& sums, store::StepRow& row) {
  ForEachCount([&](auto count, auto column) { row.*column = sums.*count; });
  if (sums.min_queue_depth >= 0) row.min_queue_depth = sums.min_queue_depth;
  std::tie(row.longest_user_range, row.longest_user_range_ns) = sums.user_in_other.Longest();
}

}  // namespace

void FillRow(const PhaseSums& sums, CauseRule rule, store::StepRow& row) {
  FillPhases(sums, row);
  FillCauses(sums, rule, row);
  FillStages(sums, row);
  FillCounts(sums, row);
  const bool in_window = sums.in_window_ns > 0 && sums.in_window_ns == sums.TotalNs();
  if (in_window && sums.lost == 0) {
    FillOperators({sums.computing_ns, sums.script_ns, sums.operators}, row);
  }
}

bool SumsExactly(const store::StepRow& row) {
  const int64_t phases_ns = row.data_ns + row.forward_ns + row.backward_ns + row.optimizer_ns +
                            row.communication_phase_ns + row.checkpoint_ns + row.evaluation_ns +
                            row.logging_ns + row.gc_ns + row.compile_ns + row.capture_ns +
                            row.other_phase_ns;
  const int64_t causes_ns = row.data_pipeline_ns + row.model_ns + row.communication_ns +
                            row.framework_overhead_ns + row.other_ns;
  const int64_t stages_ns = row.storage_read_ns + row.getitem_ns + row.collate_ns + row.receive_ns +
                            row.cpu_shortage_ns + row.worker_start_ns;
  const bool operators_sum = row.operators_ns.value_or(0) + row.dispatch_ns.value_or(0) <=
                                 row.forward_ns + row.backward_ns + row.optimizer_ns ||
                             !row.operators_ns;
  return operators_sum && phases_ns == row.dur_ns && causes_ns == row.dur_ns &&
         stages_ns == row.data_pipeline_ns;
}

}  // namespace steptrace::analyze
