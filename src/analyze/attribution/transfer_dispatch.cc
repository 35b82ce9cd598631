// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveDispatchTime(const StepEvidence& step, StageTimes& times) {
  if (step.rules.dispatch == nullptr) return;
  const int64_t moved_ns = step.forward_ns - At(times, SubStage::kForward) - step.taken.evaluated;
  MoveDispatch(step.row, *step.rules.dispatch, moved_ns, times);
}

}  // namespace

extern const Transfer kDispatchTransfer;
const Transfer kDispatchTransfer = {
    .name = "dispatch",
    .from = {SubStage::kForward, SubStage::kBackward, SubStage::kOptimizer},
    .to = {SubStage::kDispatch},
    .reason = "windows of operators show the way from one to the next, and no device computes",
    .move = MoveDispatchTime,
};

}  // namespace steptrace::analyze
