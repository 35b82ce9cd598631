// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyze/verdict/verdict_input.h"

namespace steptrace::analyze {

// Of a profile: how much of the steps its devices compute, and are idle. Of several devices in one
// rank that is of all of them together. nullopt: they did nothing.
std::optional<model::Finding> ComputingEvidence(const VerdictInput& input);

}  // namespace steptrace::analyze
