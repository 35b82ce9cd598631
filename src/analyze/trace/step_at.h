// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// Which of the steps, by begin, a moment lies in; kNone: in none. Of a step that another overlaps
// the earlier counts.
inline int32_t StepAt(const std::vector<TraceStep>& steps, int64_t ts_ns) {
  const auto after =
      std::upper_bound(steps.begin(), steps.end(), ts_ns,
                       [](int64_t ts, const TraceStep& step) { return ts < step.ts_ns; });
  if (after == steps.begin() || std::prev(after)->end_ns() <= ts_ns) return kNone;
  return static_cast<int32_t>(after - steps.begin()) - 1;
}

}  // namespace steptrace::analyze
