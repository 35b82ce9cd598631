// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/sample_weights.h"

#include <algorithm>
#include <numeric>

#include "analyze/attribution/portion.h"

namespace steptrace::analyze {

SubStage StageOfBatch(size_t bin) {
  if (bin < kWorkStageCount) return kWorkInfos[bin].batch;
  return bin == kUnnamed ? SubStage::kGetitem : SubStage::kDatasetCode;
}

bool IsSeparateFromCollate(size_t bin) {
  return bin < kWorkStageCount && kWorkInfos[bin].prepares;
}

std::optional<SubStage> StageOutside(size_t bin, OutsideIsFor is_for) {
  if (bin == kSaving || (bin == kOfSaver && is_for.saving)) return SubStage::kCheckpoint;
  if (bin == kPreparing && is_for.data) return SubStage::kDatasetCode;
  if (bin == static_cast<size_t>(WorkStage::kModel) || bin == kUnnamed) return std::nullopt;
  if (bin == static_cast<size_t>(WorkStage::kUserCode) || bin == kTensorCode || bin == kGradless ||
      bin == kModelLine || bin == kModuleLine || bin == kApart || bin == kPreparing ||
      bin == kReading || bin == kOfSaver || bin == static_cast<size_t>(WorkStage::kLock)) {
    return SubStage::kLoopCode;
  }
  if (bin == static_cast<size_t>(WorkStage::kLogging)) return SubStage::kLogging;
  return StageOfBatch(bin);
}

double BatchWeight(const BatchBlock& block, size_t bin, bool storage) {
  double weight = block.ran[bin] + (storage ? 0 : block.blocked[bin]);
  if (storage && bin == static_cast<size_t>(WorkStage::kStorageRead)) {
    for (double blocked : block.blocked) weight += blocked;
  }
  return weight;
}

double OutsideWeight(const RankSamples& rank, const ThreadBlock& block, SubStage stage) {
  const OutsideIsFor is_for{.data = rank.is_for_data(), .saving = rank.is_for_saving()};
  double weight = 0;
  for (size_t bin = 0; bin < kBinCount; ++bin) {
    if (StageOutside(bin, is_for) == stage) weight += block.outside[bin];
  }
  return weight;
}

double MadeWeight(const RankSamples& rank, bool storage) {
  double sum = 0;
  for (size_t bin = 0; bin < kBinCount; ++bin) sum += BatchWeight(rank.made, bin, storage);
  return sum;
}

StageWeights MadeOf(const RankSamples& rank, bool storage) {
  StageWeights made{};
  double sum = 0;
  for (size_t bin = 0; bin < kBinCount; ++bin) {
    const double weight = BatchWeight(rank.made, bin, storage);
    made[static_cast<size_t>(StageOfBatch(bin))] += weight;
    sum += weight;
  }
  if (rank.made_samples < kLeastSamples || sum <= 0) {
    made = {};
    made[static_cast<size_t>(SubStage::kDatasetCode)] = sum = 1;
  }
  for (double& weight : made) weight /= sum;
  return made;
}

double WorthOf(double weight, double squares) {
  return squares > 0 ? weight * weight / squares : 0;
}

void ShareOut(const StageWeights& weights, int64_t ns, StageTimes& times) {
  double left_weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  size_t last = kSubStageCount - 1;
  while (last > 0 && weights[last] <= 0) --last;
  if (weights[last] <= 0) last = static_cast<size_t>(SubStage::kGetitem);  // none has any
  for (size_t i = 0; i < last; ++i) {
    if (weights[i] <= 0) continue;
    const int64_t part = std::min(ns, Portion(weights[i] / left_weight, ns));
    times[i] += part;
    ns -= part;
    left_weight -= weights[i];
  }
  times[last] += ns;
}

}  // namespace steptrace::analyze
