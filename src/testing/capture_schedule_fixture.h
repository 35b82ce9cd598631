// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "agent/capture/capture_schedule.h"
#include "base/time.h"

namespace steptrace::agent {

inline constexpr int64_t kS = kNsPerSecond;
inline constexpr int64_t kMonotonic = 1'000 * kS;
inline constexpr int64_t kUtc = 1'790'000'000 * kS;

// A schedule of one process, and the marks by which the process answers it.
class CaptureScheduleTest : public ::testing::Test {
 protected:
  CaptureSchedule Of(const std::string& windows) {
    return CaptureSchedule(*ParsePlan({windows}, {}), kMonotonic, kUtc);
  }
  static WindowMark Begin(uint64_t request, int64_t ts_ns, uint32_t first_step = 0,
                          uint32_t kinds = 1) {
    return {.ts_ns = ts_ns,
            .begins = true,
            .request = request,
            .kinds = kinds,
            .first_step = first_step};
  }
  static WindowMark End(uint64_t request, int64_t ts_ns, uint32_t steps,
                        wire::WindowEnd end = wire::WindowEnd::kDone) {
    return {.ts_ns = ts_ns, .request = request, .steps = steps, .end = end};
  }
};

}  // namespace steptrace::agent
