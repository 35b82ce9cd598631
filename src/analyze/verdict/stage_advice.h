// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyze/stages/stages.h"
#include "analyze/verdict/verdict_input.h"

namespace steptrace::analyze {

// What to change about a stage that samples found, by the function in which they saw most of it;
// nothing for stages that are known otherwise.
std::optional<model::Finding> AdviseSampledStage(const VerdictInput& input, SubStage stage,
                                                 bool uses_device);

}  // namespace steptrace::analyze
