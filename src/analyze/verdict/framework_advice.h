// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"

namespace steptrace::analyze {

// What mends the framework's own time, but for settings that make it slow. `worth`: whether a stage
// has enough of the step to speak of.
std::vector<Advice> AdviseFramework(const VerdictInput& input,
                                    const std::function<bool(SubStage)>& worth);

}  // namespace steptrace::analyze
