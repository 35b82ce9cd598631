// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/attribution.h"

#include <algorithm>
#include <array>

#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

StageTimes FromRow(const store::StepRow& row) {
  // No part of a step is longer than it: what a damaged row says beyond that is cut.
  const auto part = [&row](int64_t ns) { return std::clamp<int64_t>(ns, 0, row.dur_ns); };
  std::array<int64_t, 6> data = {part(row.storage_read_ns), part(row.getitem_ns),
                                 part(row.collate_ns),      part(row.receive_ns),
                                 part(row.cpu_shortage_ns), part(row.worker_start_ns)};
  FitParts(data, part(row.data_pipeline_ns), 1);
  // What of communication is no explicit collective is a blocked backward: the derivation took it
  // from the model.
  const int64_t communication = part(row.communication_ns);
  const int64_t within_backward =
      std::max<int64_t>(communication - part(row.communication_phase_ns), 0);
  std::array<int64_t, 3> model = {part(row.forward_ns), part(row.backward_ns) - within_backward,
                                  part(row.optimizer_ns)};
  FitParts(model, part(row.model_ns), 0);
  // What of it has no phase of its own is between operators, as the rows of profiles have it.
  const int64_t overhead = part(row.framework_overhead_ns);
  std::array<int64_t, 3> framework = {part(row.gc_ns), part(row.compile_ns), 0};
  framework[2] = std::max<int64_t>(overhead - framework[0] - framework[1], 0);
  FitParts(framework, overhead, 2);
  std::array<int64_t, 5> other = {part(row.checkpoint_ns), part(row.evaluation_ns),
                                  part(row.logging_ns), part(row.capture_ns),
                                  part(row.other_phase_ns)};
  FitParts(other, part(row.other_ns), 4);

  StageTimes times{};
  At(times, SubStage::kStorageRead) = data[0];
  At(times, SubStage::kGetitem) = data[1];
  At(times, SubStage::kCollate) = data[2];
  At(times, SubStage::kReceive) = data[3];
  At(times, SubStage::kCpuShortage) = data[4];
  At(times, SubStage::kWorkerStart) = data[5];
  At(times, SubStage::kForward) = model[0];
  At(times, SubStage::kBackward) = model[1];
  At(times, SubStage::kOptimizer) = model[2];
  At(times, SubStage::kExposed) = communication;
  At(times, SubStage::kGarbageCollection) = framework[0];
  At(times, SubStage::kRecompilation) = framework[1];
  At(times, SubStage::kDispatch) = framework[2];
  At(times, SubStage::kCheckpoint) = other[0];
  At(times, SubStage::kEvaluation) = other[1];
  At(times, SubStage::kLogging) = other[2];
  At(times, SubStage::kCapture) = other[3];
  At(times, SubStage::kUnknown) = other[4];
  return times;
}

// Time that the row does not explain is unknown; a row that explains too much is scaled down.
void FitToDuration(StageTimes& times, int64_t dur_ns) {
  const int64_t sum = Sum(times);
  if (sum < dur_ns) {
    At(times, SubStage::kUnknown) += dur_ns - sum;
  } else if (sum > dur_ns) {
    FitParts(times, dur_ns, static_cast<size_t>(SubStage::kUnknown));
  }
}

}  // namespace

AttributionRules MakeRules(const store::PackedSteps& rows, const LoadSummary& load,
                           const DeviceBusy& device, bool has_peers) {
  const bool rows_say = std::any_of(
      rows.begin(), rows.end(), [](const store::StepRow& row) { return row.cpu_shortage_ns > 0; });
  const double throttled = load.throttled_time_share();
  const double delayed = load.delayed_share();
  AttributionRules rules;
  rules.storage_evidence = load.storage_busy(!has_peers);
  rules.worker_shortage_share = rows_say ? throttled : std::max(throttled, delayed);
  rules.parent_shortage_share = std::max(throttled, delayed);
  rules.device = device.any() ? &device : nullptr;
  return rules;
}

StageTimes Attribute(const store::StepRow& row, const AttributionRules& rules) {
  if (rules.profiled != nullptr) {
    const auto found = rules.profiled->find({row.rank, row.ts_ns});
    if (found != rules.profiled->end() && Sum(found->second) == row.dur_ns) return found->second;
  }
  StageTimes times = FromRow(row);
  FitToDuration(times, row.dur_ns);
  StepEvidence step = EvidenceOf(row, rules, times);
  for (const Transfer* transfer : Transfers()) transfer->move(step, times);
  return times;
}

}  // namespace steptrace::analyze
