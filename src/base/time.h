// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>

namespace steptrace {

inline constexpr int64_t kNsPerSecond = 1'000'000'000;
inline constexpr int64_t kNsPerHour = 3600 * kNsPerSecond;
inline constexpr int64_t kNsPerMs = 1'000'000;
inline constexpr int64_t kNsPerUs = 1'000;

// A clock of this machine in ns; `clock` is one of the CLOCK_* ids.
inline int64_t ClockNowNs(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<int64_t>(now.tv_sec) * kNsPerSecond + now.tv_nsec;
}

inline int64_t MonotonicNowNs() {
  return ClockNowNs(CLOCK_MONOTONIC);
}
inline int64_t UtcNowNs() {
  return ClockNowNs(CLOCK_REALTIME);
}

}  // namespace steptrace
