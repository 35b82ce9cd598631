// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"

// What DistributedDataParallel exchanges in backward, which no hook sees: its passes are counted.
namespace steptrace::analyze {

// Backward passes of a step, each of which exchanges the gradients of one model that is stepped
// once: all exchanges but the last are for nothing. nullopt: it is not so, or not known.
std::optional<double> NeedlessExchanges(const VerdictInput& input);

// How much a pass exchanges, or how many a step has in vain.
std::optional<model::Finding> GradientExchangeEvidence(const VerdictInput& input);

std::optional<Advice> AdviseNoSync(const VerdictInput& input);

}  // namespace steptrace::analyze
