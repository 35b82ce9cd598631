// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyze/trace/trace.h"

// An operator of dense arithmetic takes as long as its shapes ask for, whatever the numbers are.
// Denormal numbers are the exception: many CPUs take tens to hundreds of cycles for one. What else
// makes a call slower (no core, a lower clock, new memory) makes calls slower that only move
// memory, too.
namespace steptrace::analyze {

struct SlowedOperators {
  struct Steps {
    int64_t first = 0, last = 0;  // their numbers
  };
  std::string name;            // the operator that has most of it
  double times = 0;            // so many times as long
  double share = 0;            // of the steps that are slow: its slow calls, whole
  std::optional<Steps> steps;  // that are slow; none: all are, by calls of the same shapes in them
};

// Compares each call of a step with the call at the same place in other steps, where these call the
// same operators in the same order, and with other calls of the same step. Only calls whose shapes
// are the same count: as recorded, or, with `same_shapes`, as is known of what enters the steps.
// nullopt: there are none, they are worth no word, or what only moves memory is slower, too.
std::optional<SlowedOperators> FindSlowedOperators(const Trace& operators, bool same_shapes);

}  // namespace steptrace::analyze
