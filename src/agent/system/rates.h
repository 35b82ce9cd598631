// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/time.h"

namespace steptrace::agent {

// What a counter grew by. One that went backwards (reset, wrapped, replaced) says nothing.
inline std::optional<uint64_t> Growth(uint64_t before, uint64_t now) {
  if (now < before) return std::nullopt;
  return now - before;
}

// As above, where going backwards is known to be noise of the kernel's and means no growth.
inline uint64_t GrowthOrZero(uint64_t before, uint64_t now) {
  return now < before ? 0 : now - before;
}

// Whether something done every `period_ns` is to be done now; a clock that went back counts as due.
inline bool IsDue(std::optional<int64_t> last_ns, int64_t now_ns, int64_t period_ns) {
  return !last_ns || now_ns < *last_ns || now_ns - *last_ns >= period_ns;
}

// The time since the reader's last good reading. One thread; a member of each reader.
class Elapsed {
 public:
  // Seconds since the call before; nothing the first time or when the clock stood or went back.
  std::optional<double> Advance(int64_t now_ns) {
    const std::optional<int64_t> before = std::exchange(last_ns_, now_ns);
    if (!before || now_ns <= *before) return std::nullopt;
    return static_cast<double>(now_ns - *before) / static_cast<double>(kNsPerSecond);
  }
  void Reset() { last_ns_.reset(); }

 private:
  std::optional<int64_t> last_ns_;
};

// A counter and its rate. One thread.
class RateOf {
 public:
  // Growth per second since the reading before; nothing the first time or when it went backwards.
  std::optional<double> Update(uint64_t value, std::optional<double> seconds) {
    const std::optional<uint64_t> before = std::exchange(last_, value);
    if (!before || !seconds) return std::nullopt;
    const std::optional<uint64_t> growth = Growth(*before, value);
    if (!growth) return std::nullopt;
    return static_cast<double>(*growth) / *seconds;
  }
  void Reset() { last_.reset(); }

 private:
  std::optional<uint64_t> last_;
};

}  // namespace steptrace::agent
