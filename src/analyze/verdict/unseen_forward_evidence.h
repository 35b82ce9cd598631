// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyze/verdict/verdict_input.h"
#include "model/finding.h"

namespace steptrace::analyze {

// Why nothing tells whether forward computed or waited, and what windows of operators do tell;
// empty where it is seen.
std::vector<model::Finding> UnseenForwardEvidence(const VerdictInput& input);

}  // namespace steptrace::analyze
