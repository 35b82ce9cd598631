// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/system/agent_limiter.h"
#include "model/finding.h"

namespace steptrace::agent {

// Whom its findings are about.
inline constexpr const char* kAgentSubject = "agent";

// Who keeps to a budget: the agent as a whole, or its thread that samples stacks.
enum class Limited { kAgent, kStacks };

model::Finding LimitFinding(const LimiterEvent& event, Limited who);

}  // namespace steptrace::agent
