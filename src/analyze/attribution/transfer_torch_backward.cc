// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveTorchBackwardTime(const StepEvidence& step, StageTimes& times) {
  Move(times, SubStage::kForward, SubStage::kBackward, step.taken.backward);
}

}  // namespace

extern const Transfer kTorchBackwardTransfer;
const Transfer kTorchBackwardTransfer = {
    .name = "torch_backward",
    .from = {SubStage::kForward},
    .to = {SubStage::kBackward},
    .reason =
        "samples show more of backward than its phase: gradients that the script asks for itself",
    .move = MoveTorchBackwardTime,
};

}  // namespace steptrace::analyze
