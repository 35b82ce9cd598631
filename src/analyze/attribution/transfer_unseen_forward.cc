// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyze/attribution/transfer.h"
#include "analyze/attribution/unseen_forward.h"

namespace steptrace::analyze {
namespace {

// Forward lies between two hooks, with no begin and end of its own: what the loop waits for there
// looks like it.
void MoveUnseenForwardTime(const StepEvidence& step, StageTimes& times) {
  Move(times, SubStage::kForward, SubStage::kUnknown,
       std::min(At(times, SubStage::kForward),
                UnseenForwardNs(step.row, step.forward_ns, step.rules)));
}

}  // namespace

extern const Transfer kUnseenForwardTransfer;
const Transfer kUnseenForwardTransfer = {
    .name = "unseen_forward",
    .from = {SubStage::kForward},
    .to = {SubStage::kUnknown},
    .reason = "neither samples, CPU time, operators nor a device show that forward computed",
    .move = MoveUnseenForwardTime,
};

}  // namespace steptrace::analyze
