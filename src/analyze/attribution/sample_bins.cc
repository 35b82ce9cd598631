// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/sample_bins.h"

#include "analyze/samples/rank_samples.h"

namespace steptrace::analyze {

SubStage StageOfBatch(size_t bin) {
  if (bin < kWorkStageCount) return kWorkInfos[bin].batch;
  return bin == kUnnamed ? SubStage::kGetitem : SubStage::kDatasetCode;
}

bool IsToldOfCollate(size_t bin) {
  const auto is = [bin](WorkStage stage) { return bin == static_cast<size_t>(stage); };
  return is(WorkStage::kDecode) || is(WorkStage::kAugmentation) || is(WorkStage::kTokenise);
}

std::optional<SubStage> StageOutside(size_t bin) {
  if (bin == static_cast<size_t>(WorkStage::kModel) || bin == kUnnamed) return std::nullopt;
  if (bin == static_cast<size_t>(WorkStage::kUserCode) || bin == kTensorCode || bin == kGradless ||
      bin == kModelLine || bin == kModuleLine || bin == kApart ||
      bin == static_cast<size_t>(WorkStage::kLock)) {
    return SubStage::kLoopCode;
  }
  if (bin == static_cast<size_t>(WorkStage::kLogging)) return SubStage::kLogging;
  return StageOfBatch(bin);
}

}  // namespace steptrace::analyze
