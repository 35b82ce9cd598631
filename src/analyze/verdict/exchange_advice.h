// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"

namespace steptrace::analyze {

// How many collectives a step calls, and how large they are; empty: none that tell it.
std::optional<model::Finding> CallsEvidence(const VerdictInput& input);

// Of a wrapper that looks in every step for parameters without gradients: that is the model's time
// and the framework's, beside the exchange's.
std::optional<Advice> AdviseUnusedParameters(const VerdictInput& input);

// What makes the exchange itself cheaper, by whoever calls it.
std::vector<Advice> AdviseExchange(const VerdictInput& input, bool uses_device);

}  // namespace steptrace::analyze
