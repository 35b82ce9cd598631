// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analyze/stages/stages.h"

// Which stage of a step a bin of samples belongs to (analyze/samples/rank_samples.h).
namespace steptrace::analyze {

SubStage StageOfBatch(size_t bin);

// Whether a stage that a collate function's samples show is told by itself; the rest is collating.
bool IsToldOfCollate(size_t bin);

// Where code of the training thread outside torch belongs; nothing: it stays where it is.
std::optional<SubStage> StageOutside(size_t bin);

}  // namespace steptrace::analyze
