// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"
#include "model/finding.h"

namespace steptrace::analyze {

// What speaks for the verdict, the strongest first, with the rows that show it.
std::vector<model::Finding> CollectEvidence(const VerdictInput& input, const Verdict& verdict);

}  // namespace steptrace::analyze
