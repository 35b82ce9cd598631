// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analyze/trace/trace.h"

// Clocks of nodes that run at different speeds: what they differ by grows over the profile.
// Crystals differ by some ten parts in a million, 10 us in a second; one offset for all of it then
// leaves waits that were none.
namespace steptrace::analyze {

// What one clock is ahead of another at a moment of the first.
struct ClockSample {
  int64_t at_ns = 0;
  int64_t ahead_ns = 0;
};

struct DriftFit {
  int64_t drift_ppb = 0;         // it runs faster by so many parts in 10^9
  int64_t steady_left_ns = 0;    // median of what one offset leaves
  int64_t drifting_left_ns = 0;  // of what an offset and a drift leave
  bool is_drift = false;         // what it explains is well over what is left
};

// A line by the median of slopes (Theil-Sen): nearly a third of the samples may be anything. Of
// fewer than 16 samples, and of those that one offset explains as well, none is a drift.
DriftFit FitDrift(std::vector<ClockSample> samples);

// A moment by a clock that runs drift_ppb too fast, without the drift since `from_ns`. Keeps order.
int64_t WithoutDrift(int64_t ns, int64_t drift_ppb, int64_t from_ns);

// A profile whose clocks run at one speed. Moments are moved, durations stay as they were measured:
// a drift changes them by less than their last digit.
struct Undrifted {
  Trace trace;
  std::map<int32_t, int64_t> drift_ppb;  // by node, against the first one
};

// Empty: one node, or no drift between nodes that collectives show.
std::optional<Undrifted> RemoveDrift(const Trace& trace);

}  // namespace steptrace::analyze
