// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyze/verdict/verdict.h"

namespace steptrace::analyze {

// Whether most of `synchronisation` is work that was launched and did not begin, while no call of
// the host's waited: it was behind another stream's work, or behind another process's, which has
// the device in turn. In the calls that wait in these steps there is less than half of it.
bool IsUnbegunWork(const VerdictInput& input);

inline constexpr const char* kUnbegunWorkAdvice =
    "what was launched does not begin, and no call of the host waits: look what the device does "
    "meanwhile (steptrace ui, timeline): another stream's work that an event stands for, or "
    "another "
    "process's that has the device in turn";

}  // namespace steptrace::analyze
