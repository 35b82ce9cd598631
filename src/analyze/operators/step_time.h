// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// The steps of a trace, over which a time in them is a mean and a share. Of several ranks the sums.
struct StepTime {
  int64_t steps = 0;
  int64_t ns = 0;  // their durations

  StepTime& operator+=(const StepTime& other) {
    steps += other.steps;
    ns += other.ns;
    return *this;
  }

  // A step's part of a time that lies in all of them, to the nearest ns; none: there are no steps.
  std::optional<int64_t> PerStep(int64_t in_steps_ns) const {
    if (steps <= 0) return std::nullopt;
    return (in_steps_ns + steps / 2) / steps;
  }

  // Above 1 where threads or streams work at the same time.
  std::optional<double> ShareOf(int64_t in_steps_ns) const {
    if (ns <= 0) return std::nullopt;
    return static_cast<double>(in_steps_ns) / static_cast<double>(ns);
  }
};

inline StepTime StepTimeOf(const RankTrace& rank) {
  StepTime time;
  for (const TraceStep& step : rank.steps) time += {1, step.dur_ns};
  return time;
}

inline StepTime StepTimeOf(const Trace& trace) {
  StepTime time;
  for (const RankTrace& rank : trace.ranks) time += StepTimeOf(rank);
  return time;
}

}  // namespace steptrace::analyze
