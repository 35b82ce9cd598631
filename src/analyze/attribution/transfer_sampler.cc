// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/portion.h"
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveSamplerTime(const StepEvidence& step, StageTimes& times) {
  if (step.thread == nullptr) return;
  Move(times, SubStage::kReceive, SubStage::kDatasetCode,
       Portion(step.thread->of_receive, At(times, SubStage::kReceive)));
}

}  // namespace

extern const Transfer kSamplerTransfer;
const Transfer kSamplerTransfer = {
    .name = "sampler",
    .from = {SubStage::kReceive},
    .to = {SubStage::kDatasetCode},
    .reason =
        "samples show a sampler of the user's, which the DataLoader asks in the training thread",
    .move = MoveSamplerTime,
};

}  // namespace steptrace::analyze
