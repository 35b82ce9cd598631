// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/trace/intervals.h"
#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// computation + overlap + exposed + other = total, exactly (TensorBoard's overview,
// torch-tb-profiler; the time ranges of steps are its, too).
struct OverlapTimes {
  int64_t total_ns = 0;
  int64_t computation_ns = 0;  // without the part that overlaps
  int64_t overlap_ns = 0;
  int64_t exposed_ns = 0;  // communication with no computation beside it
  int64_t other_ns = 0;
};

// Stretch of each step with the device work that it launched, by step.
std::vector<TimeRange> StepTimeRanges(const RankTrace& rank);

// Computation against communication of a rank.
class OverlapOf {
 public:
  explicit OverlapOf(const RankTrace& rank);
  OverlapTimes Within(const TimeRange& window) const;
  const TimeRange& window() const { return window_; }  // of all device work

 private:
  Intervals computation_;
  Intervals communication_;
  Intervals both_;
  TimeRange window_;
};

}  // namespace steptrace::analyze
