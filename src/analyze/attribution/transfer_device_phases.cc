// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <span>

#include "analyze/attribution/device_time.h"
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveDevicePhasesTime(const StepEvidence& step, StageTimes& times) {
  const StepOnDevice* device = OnDevice(step);
  if (device == nullptr) return;
  const auto stages = std::span<int64_t>(times).first(kHostDataStages);
  const int64_t waits = std::accumulate(stages.begin(), stages.end(), int64_t{0});
  const int64_t awaited = std::min(waits, device->Of(DevicePhase::kData));
  FitParts(stages, awaited, static_cast<size_t>(SubStage::kGetitem));
  At(times, SubStage::kCompute) += waits - awaited;
  const int64_t left = step.row.dur_ns - device->BusyNs() - device->Of(DevicePhase::kData);
  MoveUnnamed(times, At(times, SubStage::kUnknown) + At(times, SubStage::kLoopCode) - left);
}

}  // namespace

extern const Transfer kDevicePhasesTransfer;
const Transfer kDevicePhasesTransfer = {
    .name = "device_phases",
    .from = StageSet::Between(SubStage::kStorageRead, SubStage::kWorkerStart) |
            StageSet{SubStage::kUnknown, SubStage::kLoopCode},
    .to = {SubStage::kCompute},
    .reason = "events at the boundaries of phases show when the device had work",
    .move = MoveDevicePhasesTime,
};

}  // namespace steptrace::analyze
