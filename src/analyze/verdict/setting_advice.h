// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"

namespace steptrace::analyze {

// What PyTorch is set to, or asked to do, that takes time of whatever phase it is in.
std::vector<Advice> AdviseSettings(const VerdictInput& input);

}  // namespace steptrace::analyze
