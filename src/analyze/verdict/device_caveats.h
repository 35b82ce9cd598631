// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyze/verdict/verdict_input.h"

namespace steptrace::analyze {

// What limits all that a verdict says of devices: steps that are not looked at, and who else uses
// the GPUs.
std::vector<model::Finding> DeviceCaveats(const VerdictInput& input);

}  // namespace steptrace::analyze
