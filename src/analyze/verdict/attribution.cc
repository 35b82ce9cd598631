// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/attribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analyze/stats/distribution.h"
#include "analyze/verdict/sample_split.h"

namespace steptrace::analyze {
namespace {

int64_t Portion(double share, int64_t ns) {
  return std::llround(std::clamp(share, 0.0, 1.0) * static_cast<double>(ns));
}

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

void MoveShortage(StageTimes& times, const AttributionRules& rules) {
  std::array<int64_t, 3> starved = {At(times, SubStage::kStorageRead),
                                    At(times, SubStage::kGetitem), At(times, SubStage::kCollate)};
  const int64_t had = starved[0] + starved[1] + starved[2];
  const int64_t known = At(times, SubStage::kCpuShortage);
  const double share = rules.worker_shortage_share;
  const int64_t moved = std::clamp<int64_t>(Portion(share, had + known) - known, 0, had);
  if (moved > 0) {
    FitParts(starved, had - moved, 1);
    At(times, SubStage::kStorageRead) = starved[0];
    At(times, SubStage::kGetitem) = starved[1];
    At(times, SubStage::kCollate) = starved[2];
    At(times, SubStage::kCpuShortage) += moved;
  }
  const int64_t receive = At(times, SubStage::kReceive);
  Move(times, SubStage::kReceive, SubStage::kCpuShortage,
       Portion(rules.parent_shortage_share, receive));
}

// Computing: what the device did while the host was in code without a name of its own (a
// loss.item()). Returns what is left of it; nothing moves where there is none.
int64_t MoveUnnamed(StageTimes& times, int64_t computing_ns) {
  for (SubStage unnamed : {SubStage::kUnknown, SubStage::kLoopCode}) {
    const int64_t part = std::clamp<int64_t>(computing_ns, 0, At(times, unnamed));
    Move(times, unnamed, SubStage::kCompute, part);
    computing_ns -= part;
  }
  return computing_ns;
}

// The host's waits count as far as the device was idle in them. What it computed while the host
// was in code without a name goes first: that is where it was launched.
void MoveBusyWaits(StageTimes& times, int64_t dur_ns, double busy_share) {
  const int64_t idle = dur_ns - Portion(busy_share, dur_ns);
  const int64_t waits = BySuspect(times)[static_cast<size_t>(SuspectId::kDataPipeline)];
  const int64_t unnamed = At(times, SubStage::kUnknown) + At(times, SubStage::kLoopCode);
  const int64_t excess = MoveUnnamed(times, waits + unnamed - idle);
  if (excess <= 0) return;
  const auto stages = std::span<int64_t>(times).first(kHostDataStages);
  FitParts(stages, waits - excess, static_cast<size_t>(SubStage::kGetitem));
  At(times, SubStage::kCompute) += excess;
}

// The same where events tell of each phase: waits for a batch count as far as the device waited for
// one too, code without a name as far as the device was in no phase of the model.
void MoveByPhases(StageTimes& times, int64_t dur_ns, const StepOnDevice& device) {
  const auto stages = std::span<int64_t>(times).first(kHostDataStages);
  const int64_t waits = std::accumulate(stages.begin(), stages.end(), int64_t{0});
  const int64_t awaited = std::min(waits, device.Of(DevicePhase::kData));
  FitParts(stages, awaited, static_cast<size_t>(SubStage::kGetitem));
  At(times, SubStage::kCompute) += waits - awaited;
  const int64_t left = dur_ns - device.BusyNs() - device.Of(DevicePhase::kData);
  MoveUnnamed(times, At(times, SubStage::kUnknown) + At(times, SubStage::kLoopCode) - left);
}

// Whether it moved what it knows of the step.
bool MoveByKnownPhases(const store::StepRow& row, const StepsOnDevice& phases, StageTimes& times) {
  const auto known = phases.find({row.rank, row.ts_ns});
  if (known == phases.end()) return false;
  MoveByPhases(times, row.dur_ns, known->second);
  return true;
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
  if (rules.storage_evidence) {
    Move(times, SubStage::kGetitem, SubStage::kStorageRead, row.blocked_in_fetch_ns);
  } else {
    Move(times, SubStage::kStorageRead, SubStage::kGetitem, At(times, SubStage::kStorageRead));
  }
  MoveShortage(times, rules);
  const int64_t forward = At(times, SubStage::kForward);
  SampleSplit::TakenOfForward taken;
  double idle_share = 0;
  if (rules.samples != nullptr) {
    rules.samples->SplitBatch(row.rank, times, rules.dataset);
    taken = rules.samples->SplitThread(row.rank, times);
    if (rules.on_host) idle_share = rules.samples->IdleOfForward(row.rank);
  }
  int64_t idle_ns = Portion(idle_share, forward);
  if (const auto idle = rules.idle_of_forward.find(row.rank); idle != rules.idle_of_forward.end()) {
    // The process was as idle in what the thread awaited from others.
    idle_ns = std::max(idle_ns, Portion(idle->second, forward) - taken.awaited);
  }
  Move(times, SubStage::kForward, SubStage::kUnknown, idle_ns);
  if (rules.dispatch != nullptr) {
    const int64_t moved_ns = forward - At(times, SubStage::kForward) - taken.evaluated;
    MoveDispatch(row, *rules.dispatch, moved_ns, times);
  }
  Move(times, SubStage::kUnknown, SubStage::kForward, taken.computed);
  if (rules.phases != nullptr && MoveByKnownPhases(row, *rules.phases, times)) return times;
  if (rules.device != nullptr) {
    const auto busy = rules.device->Share(row.rank, row.ts_ns, row.ts_ns + row.dur_ns);
    if (busy) MoveBusyWaits(times, row.dur_ns, *busy);
  }
  return times;
}

}  // namespace steptrace::analyze
