// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/sample_bins.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analyze/samples/rank_samples.h"

namespace steptrace::analyze {

SubStage StageOfBatch(size_t bin) {
  constexpr std::array<SubStage, kBinCount> kStages = {
      SubStage::kStorageRead, SubStage::kDecode,      SubStage::kAugmentation,
      SubStage::kTokenise,    SubStage::kCollate,     SubStage::kCopy,
      SubStage::kLock,        SubStage::kDatasetCode, SubStage::kDatasetCode,
      SubStage::kDatasetCode, SubStage::kGetitem,     SubStage::kDatasetCode,
      SubStage::kDatasetCode, SubStage::kDatasetCode, SubStage::kDatasetCode,
      SubStage::kDatasetCode};
  return kStages[bin];
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

int64_t PortionLeft(double share, int64_t ns) {
  return std::llround(std::clamp(share, 0.0, 1.0) * static_cast<double>(std::max<int64_t>(ns, 0)));
}

}  // namespace steptrace::analyze
