// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace steptrace::agent {

// How long the agent rests between two drains: as long as the rings can bear, so that at rest it
// costs next to nothing.
//
//   many records ─► 1 ms        few ─► doubles up to 10 ms        no rings at all ─► 100 ms
//
// A ring of the training thread (2^16 records) outlasts 10 ms at 6 M records/s, one of another
// thread (2^12) 10 ms at 400 k records/s. Without rings nothing can be lost: a new one wakes us.
class DrainPace {
 public:
  static constexpr int64_t kBusyMs = 1;
  static constexpr int64_t kIdleMs = 10;
  static constexpr int64_t kNoRingsMs = 100;
  // An eighth of the smallest ring: a burst of eight times this pass's rate still fits.
  static constexpr int64_t kManyRecords = 512;

  // After a pass: how many records it brought, and of how many processes there are rings.
  int64_t NextWaitMs(int64_t most_records_of_a_ring, int64_t processes) {
    if (processes == 0) {
      wait_ms_ = kBusyMs;
      return kNoRingsMs;
    }
    if (most_records_of_a_ring >= kManyRecords) {
      wait_ms_ = kBusyMs;
    } else if (most_records_of_a_ring * 2 < kManyRecords) {
      wait_ms_ = std::min(wait_ms_ * 2, kIdleMs);
    }
    return wait_ms_;
  }

 private:
  int64_t wait_ms_ = kBusyMs;
};

}  // namespace steptrace::agent
