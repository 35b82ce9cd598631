// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyze/distributed/distributed.h"
#include "analyze/trace/intervals.h"

namespace steptrace::analyze {

// Stretch of each step with the device work that it launched (pytorch_profiler.md 1.2), by step.
std::vector<Stretch> StepStretches(const RankTrace& rank);

// Computation against communication of a rank.
class OverlapOf {
 public:
  explicit OverlapOf(const RankTrace& rank);
  OverlapTimes Within(const Stretch& window) const;
  const Stretch& window() const { return window_; }  // of all device work

 private:
  Intervals computation_;
  Intervals communication_;
  Intervals both_;
  Stretch window_;
};

}  // namespace steptrace::analyze
