// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"

namespace steptrace::analyze {

// Whether the next batch stood ready in most waits.
bool WorkersKeepUp(const VerdictInput& input);

// Whether nearly every step makes an iterator, and with it its workers.
bool StartsWorkersEachStep(const VerdictInput& input);

// To let it run on cores that a setting of its own keeps it from, where it would gain by that.
std::optional<model::Finding> AdviseCoresOutside(const LoadSummary& load);

// How many workers would hide the loading behind the rest of the step, as far as the cores go: a
// proposal, or why more would not help. Empty: nothing is known of the loader.
std::optional<Advice> AdviseWorkers(const VerdictInput& input);

// Of an imported profile whose steps wait for a loader: who loads, and what would tell more or
// help. Empty: it is none, or it shows no loader.
std::optional<Advice> AdviseProfiledLoader(const VerdictInput& input);

}  // namespace steptrace::analyze
