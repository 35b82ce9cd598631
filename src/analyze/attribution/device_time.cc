// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/device_time.h"

#include <algorithm>

namespace steptrace::analyze {

const StepOnDevice* OnDevice(const StepEvidence& step) {
  if (step.rules.phases == nullptr) return nullptr;
  const auto known = step.rules.phases->find({step.row.rank, step.row.ts_ns});
  return known == step.rules.phases->end() ? nullptr : &known->second;
}

int64_t MoveUnnamed(StageTimes& times, int64_t computing_ns) {
  for (SubStage unnamed : {SubStage::kUnknown, SubStage::kLoopCode}) {
    const int64_t part = std::clamp<int64_t>(computing_ns, 0, At(times, unnamed));
    Move(times, unnamed, SubStage::kCompute, part);
    computing_ns -= part;
  }
  return computing_ns;
}

}  // namespace steptrace::analyze
