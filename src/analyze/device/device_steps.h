// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// A step as long as its device work takes (torch-tb-profiler): it ends with the last device
// work that calls within the host's step launched, and the next one begins no sooner. Disjoint and
// in order.
struct DeviceStep {
  int64_t number = 0;
  int64_t ts_ns = 0;
  int64_t dur_ns = 0;
  int32_t host_step = kNone;  // index in RankTrace::steps; kNone: the profile has no marks
  int64_t device_events = 0;  // launched within it

  int64_t end_ns() const { return ts_ns + dur_ns; }
};

struct DeviceSteps {
  std::vector<DeviceStep> steps;
  int64_t dropped = 0;  // at the end: the profiler saw none or under 0.8 of their device work
};

// Without marks of the script: one step, number 0, over all operators and what they launched.
// Empty where there is no host event.
DeviceSteps FindDeviceSteps(const RankTrace& trace);

}  // namespace steptrace::analyze
