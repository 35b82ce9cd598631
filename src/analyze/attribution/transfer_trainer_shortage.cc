// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/portion.h"
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveTrainerShortageTime(const StepEvidence& step, StageTimes& times) {
  Move(times, SubStage::kReceive, SubStage::kCpuShortage,
       Portion(step.rules.parent_shortage_share, At(times, SubStage::kReceive)));
}

}  // namespace

extern const Transfer kTrainerShortageTransfer;
const Transfer kTrainerShortageTransfer = {
    .name = "trainer_shortage",
    .from = {SubStage::kReceive},
    .to = {SubStage::kCpuShortage},
    .reason = "the training thread had no core while it took over a batch",
    .move = MoveTrainerShortageTime,
};

}  // namespace steptrace::analyze
