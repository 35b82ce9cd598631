// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"

namespace steptrace::analyze {

Verdict DecideVerdict(const VerdictInput& input);

}  // namespace steptrace::analyze
