// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <numeric>
#include <span>

#include "analyze/attribution/device_time.h"
#include "analyze/attribution/portion.h"
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveDeviceBusyTime(const StepEvidence& step, StageTimes& times) {
  if (step.rules.device == nullptr || OnDevice(step) != nullptr) return;
  const store::StepRow& row = step.row;
  const auto busy = step.rules.device->Share(row.rank, row.ts_ns, row.ts_ns + row.dur_ns);
  if (!busy) return;
  // What it computed while the host was in code without a name goes first: that is where it was
  // launched.
  const int64_t idle = row.dur_ns - Portion(*busy, row.dur_ns);
  const auto stages = std::span<int64_t>(times).first(kHostDataStages);
  const int64_t waits = std::accumulate(stages.begin(), stages.end(), int64_t{0});
  const int64_t unnamed = At(times, SubStage::kUnknown) + At(times, SubStage::kLoopCode);
  const int64_t excess = MoveUnnamed(times, waits + unnamed - idle);
  if (excess <= 0) return;
  FitParts(stages, waits - excess, static_cast<size_t>(SubStage::kGetitem));
  At(times, SubStage::kCompute) += excess;
}

}  // namespace

extern const Transfer kDeviceBusyTransfer;
const Transfer kDeviceBusyTransfer = {
    .name = "device_busy",
    .from = StageSet::Between(SubStage::kStorageRead, SubStage::kWorkerStart) |
            StageSet{SubStage::kUnknown, SubStage::kLoopCode},
    .to = {SubStage::kCompute},
    .reason = "the utilization counter shows how long the device had work, if no events do",
    .move = MoveDeviceBusyTime,
};

}  // namespace steptrace::analyze
