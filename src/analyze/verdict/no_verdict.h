// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"

// Verdicts on runs that show too little; they say why, and what to do.
namespace steptrace::analyze {

Verdict NoStepsVerdict(const VerdictInput& input);
Verdict TooFewStepsVerdict(const VerdictInput& input);

}  // namespace steptrace::analyze
