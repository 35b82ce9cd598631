// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveModelWithoutPhaseTime(const StepEvidence& step, StageTimes& times) {
  Move(times, SubStage::kUnknown, SubStage::kForward, step.taken.computed);
}

}  // namespace

extern const Transfer kModelWithoutPhaseTransfer;
const Transfer kModelWithoutPhaseTransfer = {
    .name = "model_without_phase",
    .from = {SubStage::kUnknown},
    .to = {SubStage::kForward},
    .reason = "samples show torch compute in time of no phase, and there is no backward",
    .move = MoveModelWithoutPhaseTime,
};

}  // namespace steptrace::analyze
