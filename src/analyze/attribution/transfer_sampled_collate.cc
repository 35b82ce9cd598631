// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/sample_split.h"
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveSampledCollateTime(const StepEvidence& step, StageTimes& times) {
  if (step.rules.samples != nullptr) step.rules.samples->ShareOutCollate(step.row.rank, times);
}

}  // namespace

extern const Transfer kSampledCollateTransfer;
const Transfer kSampledCollateTransfer = {
    .name = "sampled_collate",
    .from = {SubStage::kCollate},
    .to = kPreparedStages,
    .reason = "samples of the collate function show it prepare samples: decode, augment, tokenise",
    .move = MoveSampledCollateTime,
};

}  // namespace steptrace::analyze
