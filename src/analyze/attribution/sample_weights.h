// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "analyze/samples/rank_samples.h"
#include "analyze/stages/stages.h"

// Which stage of a step a bin of samples belongs to, and what the samples of a rank weigh by these
// stages.
namespace steptrace::analyze {

SubStage StageOfBatch(size_t bin);

// Whether a stage that a collate function's samples show is told by itself; the rest is collating.
bool IsSeparateFromCollate(size_t bin);

// Where code of the training thread outside torch belongs; nothing: it stays where it is.
// What functions that prepare data, or save, do besides is for the batch or checkpoint too.
struct OutsideIsFor {
  bool data = true;
  bool saving = true;
};
std::optional<SubStage> StageOutside(size_t bin, OutsideIsFor is_for);

using StageWeights = std::array<double, kSubStageCount>;

// Of a batch being made. storage: the machine shows storage at work, so what is blocked is reading.
double BatchWeight(const BatchBlock& block, size_t bin, bool storage);
// Of the training thread in code outside torch.
double OutsideWeight(const RankSamples& rank, const ThreadBlock& block, SubStage stage);
// Of other threads at work on what the training thread may await.
double MadeWeight(const RankSamples& rank, bool storage);
// Each stage's part of what they make, which is 1 in all: the dataset's own code where no sample
// shows who they are.
StageWeights MadeOf(const RankSamples& rank, bool storage);

// How many samples of one weight say as much.
double WorthOf(double weight, double squares);

// Shares out `ns` by the weights: each takes its part of what is left, and rounding loses nothing.
void ShareOut(const StageWeights& weights, int64_t ns, StageTimes& times);

}  // namespace steptrace::analyze
