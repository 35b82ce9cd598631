// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "analyze/stages/stages.h"

namespace steptrace::analyze {

// Steps that take longer and longer, little by little: each works on what was gathered until then.
struct StepSlowdown {
  int64_t from_ns = 0;  // a step in the first eighth
  int64_t to_ns = 0;    // and in the last
  // The stage that has most of what it grew by; nothing: several share it.
  std::optional<SubStage> stage = std::nullopt;
  int64_t stage_from_ns = 0;
  int64_t stage_to_ns = 0;
};

// `cells`: of steps one after the other what a mean step of some neighbours took. Evaluations and
// checkpoints do not count.
//
// The cells are cut into eighths, each with its median, so that single long steps are none. A drift
// grows from each eighth to the next, but for a fiftieth, in all by a quarter and by more than
// twice what cells differ by within an eighth; and not by one jump, which is something that
// happened.
std::optional<StepSlowdown> FindDrift(std::span<const StageTimes> cells);

}  // namespace steptrace::analyze
