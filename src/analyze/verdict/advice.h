// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"

namespace steptrace::analyze {

// What to change, with the setting and its value now. Never what the evidence contradicts: no more
// workers where the cores are full or batches stand ready, no pinned memory without a device.
std::vector<Advice> CollectAdvice(const VerdictInput& input, const Verdict& verdict);

}  // namespace steptrace::analyze
