// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"

namespace steptrace::analyze {

// Calls of the device's runtime that wait for nothing and take over 10 ms all the same. A launch
// takes microseconds; the first call of a process makes the device's context (seconds), the first
// launch of a kernel loads its code, or compiles it. A queue that is full makes launches wait too,
// but then the device is busy.
struct SlowCalls {
  int64_t calls = 0;
  int64_t ns = 0;  // in the profile's steps, of all calls
  int64_t longest_ns = 0;
  std::string longest;
};

// Nothing: there are none, or they are less than half of what launching takes.
std::optional<SlowCalls> FindSlowCalls(const VerdictInput& input);

std::optional<model::Finding> SlowCallsEvidence(const VerdictInput& input);
std::optional<Advice> AdviseSlowCalls(const VerdictInput& input);

}  // namespace steptrace::analyze
