// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyze/verdict/verdict.h"

namespace steptrace::analyze {

// Whether most of `synchronisation` is work that was launched and did not begin: it was behind what
// an event stands for, or behind another process's work, which has the device in turn. A call of
// the host's that waits for such work meanwhile, as .item() does, is not what keeps the device
// idle.
bool IsUnbegunWork(const VerdictInput& input);

inline constexpr const char* kUnbegunWorkAdvice =
    "what was launched does not begin at once, whether the host waits for it or not: look what the "
    "device does meanwhile (steptrace ui, timeline): another stream's work that an event stands "
    "for, gaps within a graph, or another process's work that has the device in turn";

}  // namespace steptrace::analyze
