// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/attribution.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <span>
#include <tuple>

#include "analyze/attribution/transfer.h"
#include "base/saturating.h"
#include "store/step_columns.h"

namespace steptrace::analyze {
namespace {

// The stage that each phase is of a step, and each stage of the data pipeline that the row has:
// phase `data` is these.
struct StageOfColumn {
  int64_t store::StepRow::*ns;
  SubStage stage;
};
constexpr StageOfColumn kStagesOfColumns[] = {
    {&store::StepRow::storage_read_ns, SubStage::kStorageRead},
    {&store::StepRow::getitem_ns, SubStage::kGetitem},
    {&store::StepRow::collate_ns, SubStage::kCollate},
    {&store::StepRow::receive_ns, SubStage::kReceive},
    {&store::StepRow::cpu_shortage_ns, SubStage::kCpuShortage},
    {&store::StepRow::worker_start_ns, SubStage::kWorkerStart},
    {&store::StepRow::forward_ns, SubStage::kForward},
    {&store::StepRow::backward_ns, SubStage::kBackward},
    {&store::StepRow::optimizer_ns, SubStage::kOptimizer},
    {&store::StepRow::communication_phase_ns, SubStage::kExposed},
    {&store::StepRow::gc_ns, SubStage::kGarbageCollection},
    {&store::StepRow::compile_ns, SubStage::kRecompilation},
    {&store::StepRow::checkpoint_ns, SubStage::kCheckpoint},
    {&store::StepRow::evaluation_ns, SubStage::kEvaluation},
    {&store::StepRow::logging_ns, SubStage::kLogging},
    {&store::StepRow::capture_ns, SubStage::kCapture},
    {&store::StepRow::other_phase_ns, SubStage::kUnknown},
};

constexpr bool HasStage(const store::StepColumn& column) {
  return column.ns == &store::StepRow::data_ns ||
         std::ranges::any_of(kStagesOfColumns,
                             [&](const StageOfColumn& one) { return one.ns == column.ns; });
}
static_assert(std::ranges::all_of(store::kStepPhases, HasStage) &&
                  std::ranges::all_of(store::kStepStages, HasStage),
              "a column of `steps` is not a stage: its time would be unattributed");

// The stages that a cause of the row is made of, and which of them takes what none of them
// explains. Listed while compiling: a run has millions of steps.
struct StagesOfCause {
  std::array<SubStage, std::size(kStagesOfColumns) + 1> stages{};
  size_t count = 0;
  size_t rest = 0;
};
constexpr StagesOfCause StagesOf(std::initializer_list<SuspectId> suspects, SubStage rest) {
  StagesOfCause of;
  for (const StageOfColumn& column : kStagesOfColumns) {
    if (std::ranges::find(suspects, SuspectOf(column.stage)) == suspects.end()) continue;
    const std::span listed(of.stages.data(), of.count);
    if (std::ranges::find(listed, column.stage) != listed.end()) continue;  // of two columns
    of.stages[of.count++] = column.stage;
  }
  const auto end = of.stages.begin() + of.count;
  of.rest = static_cast<size_t>(std::find(of.stages.begin(), end, rest) - of.stages.begin());
  if (of.rest == of.count) of.stages[of.count++] = rest;
  return of;
}
constexpr StagesOfCause kDataPipeline = StagesOf({SuspectId::kDataPipeline}, SubStage::kGetitem);
constexpr StagesOfCause kModel = StagesOf({SuspectId::kModel}, SubStage::kForward);
constexpr StagesOfCause kOverhead = StagesOf({SuspectId::kFrameworkOverhead}, SubStage::kDispatch);
constexpr StagesOfCause kOther =
    StagesOf({SuspectId::kOtherWork, SuspectId::kUnattributed}, SubStage::kUnknown);

// Makes the stages of a cause sum to it.
void FitCause(const StagesOfCause& of, int64_t ns, StageTimes& times) {
  std::array<int64_t, std::tuple_size_v<decltype(of.stages)>> parts;
  for (size_t i = 0; i < of.count; ++i) parts[i] = At(times, of.stages[i]);
  FitParts(std::span(parts.data(), of.count), ns, of.rest);
  for (size_t i = 0; i < of.count; ++i) At(times, of.stages[i]) = parts[i];
}

StageTimes FromRow(const store::StepRow& row) {
  // No part of a step is longer than it: what a damaged row says beyond that is cut.
  const auto part = [&row](int64_t ns) { return std::clamp<int64_t>(ns, 0, row.dur_ns); };
  StageTimes times{};
  for (const StageOfColumn& column : kStagesOfColumns) {
    int64_t& ns = At(times, column.stage);
    ns = SaturatingAdd(ns, part(row.*column.ns));
  }
  // What of communication is no explicit collective is a blocked backward: the derivation took it
  // from the model.
  const int64_t communication = part(row.communication_ns);
  At(times, SubStage::kBackward) -=
      std::max<int64_t>(communication - At(times, SubStage::kExposed), 0);
  At(times, SubStage::kExposed) = communication;
  // What of it has no phase of its own is between operators, as the rows of profiles have it.
  const int64_t overhead = part(row.framework_overhead_ns);
  int64_t known = 0;
  for (size_t i = 0; i < kOverhead.count; ++i) known += At(times, kOverhead.stages[i]);
  At(times, SubStage::kDispatch) = std::max<int64_t>(overhead - known, 0);
  FitCause(kDataPipeline, part(row.data_pipeline_ns), times);
  FitCause(kModel, part(row.model_ns), times);
  FitCause(kOverhead, overhead, times);
  FitCause(kOther, part(row.other_ns), times);
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
                           const DeviceUtilization& device, bool has_peers) {
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
