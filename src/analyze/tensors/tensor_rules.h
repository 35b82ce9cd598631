// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analyze/tensors/tensors_section.h"

namespace steptrace::analyze {

// What each rule about tensors made of a run: they judge while it is recorded (src/agent/watch),
// and a run holds what they found. `readings`: by role, of the rank with most; as "": of any.
std::vector<TensorRuleResult> JudgeTensorRules(const std::map<std::string, int64_t>& readings,
                                               std::span<const model::Finding* const> found);

}  // namespace steptrace::analyze
