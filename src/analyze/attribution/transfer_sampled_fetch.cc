// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/sample_split.h"
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveSampledFetchTime(const StepEvidence& step, StageTimes& times) {
  const AttributionRules& rules = step.rules;
  if (rules.samples == nullptr || rules.dataset == DatasetTime::kAsOne) return;
  rules.samples->ShareOutFetch(step.row.rank, times);
}

}  // namespace

extern const Transfer kSampledFetchTransfer;
const Transfer kSampledFetchTransfer = {
    .name = "sampled_fetch",
    .from = {SubStage::kStorageRead, SubStage::kGetitem},
    .to = StageSet::Between(kSampledStages.front(), kSampledStages.back()) |
          StageSet{SubStage::kCollate},
    .reason = "samples of fetches show what the dataset does",
    .move = MoveSampledFetchTime,
};

}  // namespace steptrace::analyze
