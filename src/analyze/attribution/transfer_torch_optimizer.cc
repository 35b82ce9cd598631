// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveTorchOptimizerTime(const StepEvidence& step, StageTimes& times) {
  Move(times, SubStage::kForward, SubStage::kOptimizer, step.taken.optimizer);
}

}  // namespace

extern const Transfer kTorchOptimizerTransfer;
const Transfer kTorchOptimizerTransfer = {
    .name = "torch_optimizer",
    .from = {SubStage::kForward},
    .to = {SubStage::kOptimizer},
    .reason =
        "samples show more of the optimizer than its phase: it works between calls of its closure",
    .move = MoveTorchOptimizerTime,
};

}  // namespace steptrace::analyze
