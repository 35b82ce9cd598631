// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "analyze/attribution/portion.h"
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveWorkerShortageTime(const StepEvidence& step, StageTimes& times) {
  std::array<int64_t, 3> starved = {At(times, SubStage::kStorageRead),
                                    At(times, SubStage::kGetitem), At(times, SubStage::kCollate)};
  const int64_t had = starved[0] + starved[1] + starved[2];
  const int64_t known = At(times, SubStage::kCpuShortage);
  const int64_t shortage = Portion(step.rules.worker_shortage_share, had + known);
  const int64_t moved = std::clamp<int64_t>(shortage - known, 0, had);
  if (moved <= 0) return;
  FitParts(starved, had - moved, 1);
  At(times, SubStage::kStorageRead) = starved[0];
  At(times, SubStage::kGetitem) = starved[1];
  At(times, SubStage::kCollate) = starved[2];
  At(times, SubStage::kCpuShortage) += moved;
}

}  // namespace

extern const Transfer kWorkerShortageTransfer;
const Transfer kWorkerShortageTransfer = {
    .name = "worker_shortage",
    .from = {SubStage::kStorageRead, SubStage::kGetitem, SubStage::kCollate},
    .to = {SubStage::kCpuShortage},
    .reason = "the workers had no core, of a quota or of a crowded machine",
    .move = MoveWorkerShortageTime,
};

}  // namespace steptrace::analyze
