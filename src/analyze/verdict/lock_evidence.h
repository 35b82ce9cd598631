// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyze/verdict/verdict_input.h"

namespace steptrace::analyze {

// Of functions that wait for a lock in much of the steps: who holds it, or that it is not known.
std::vector<model::Finding> LockEvidence(const VerdictInput& input);

}  // namespace steptrace::analyze
