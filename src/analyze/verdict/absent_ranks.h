// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"

// Of a job of which not all ranks were seen. What those spend in communication is exchange and
// waiting for the absent ones, in one: nothing tells what the exchange itself takes, nor who is
// late.
namespace steptrace::analyze {

// How many ranks the job has beyond those whose steps are here.
int64_t AbsentRanks(const VerdictInput& input);

// Where communication is worth a word: that it holds more than the exchange.
std::optional<model::Finding> AbsentRanksEvidence(const VerdictInput& input);

// How to see all of them.
Advice AdviseAllRanks(const VerdictInput& input);

}  // namespace steptrace::analyze
