// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyze/verdict/verdict_input.h"

namespace steptrace::analyze {

// Whether most of `synchronisation` is work that was launched and did not begin: it was behind what
// an event stands for, or behind another process's work, which has the device in turn. A call of
// the host's that waits for such work meanwhile, as .item() does, is not what keeps the device
// idle.
bool IsUnbegunWork(const VerdictInput& input);

}  // namespace steptrace::analyze
