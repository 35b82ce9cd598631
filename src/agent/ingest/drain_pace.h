// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace steptrace::agent {

// How long the agent rests between two drains: as long as the rings can bear, so that at rest it
// costs next to nothing; most of its cost at rest is the waking.
//
//   behind ─► at once
//   many records ─► 1 ms        few ─► doubles up to 32 ms        no rings at all ─► 100 ms
//                               or 10 ms while threads with a small ring record
//                               or 2 ms while a window of operators is open
//
// A large ring (2^16 records) outlasts 32 ms at 2 M records/s, another (2^12) 10 ms at 400 k
// records/s. In a window tiny operators make more, after pauses as long as the script likes; at its
// begin the process wakes us. Without rings nothing can be lost: a new one wakes us.
class DrainPace {
 public:
  static constexpr int64_t kBusyMs = 1;
  static constexpr int64_t kWindowMs = 2;
  static constexpr int64_t kIdleMs = 10;
  static constexpr int64_t kQuietMs = 32;
  static constexpr int64_t kNoRingsMs = 100;
  // An eighth of the smallest ring: a burst of eight times this pass's rate still fits.
  static constexpr int64_t kManyRecords = 512;
  // A quarter of a main thread's ring: we were kept from a core, and may be again.
  static constexpr int64_t kBehindRecords = 1 << 14;
  // A thread that recorded in this time may do so again.
  static constexpr int64_t kSmallRingsTalkNs = 10 * kNsPerSecond;

  // The thread of a DataLoader worker that sends its batches says two records a batch. It is no
  // reason to wake more often: a ring that got less than this in a pass bears the longest rest.
  static constexpr int64_t kFewRecords = 64;

  // What a small ring's records of one pass add to Load::of_small_rings.
  static int64_t Talk(int64_t records, bool of_worker) {
    return of_worker && records < kFewRecords ? 0 : records;
  }

  // What a pass found.
  struct Load {
    int64_t processes = 0;  // of which there are rings
    int64_t most_of_a_ring = 0;
    // Records, but for what a worker says of its batches (Talk).
    int64_t of_small_rings = 0;
    bool in_window = false;  // of operators, in any process
  };

  // After a pass.
  int64_t NextWaitMs(const Load& load, int64_t now_ns) {
    if (load.processes != processes_) wait_ms_ = kBusyMs;  // one that begins has much to say
    processes_ = load.processes;
    if (load.processes == 0) return kNoRingsMs;
    if (load.of_small_rings > 0) small_until_ns_ = now_ns + kSmallRingsTalkNs;
    const int64_t longest_ms = load.in_window             ? kWindowMs
                               : now_ns < small_until_ns_ ? kIdleMs
                                                          : kQuietMs;
    if (load.most_of_a_ring >= kManyRecords) {
      wait_ms_ = kBusyMs;
    } else if (load.most_of_a_ring * 2 < kManyRecords) {
      wait_ms_ *= 2;
    }
    wait_ms_ = std::min(wait_ms_, longest_ms);
    return load.most_of_a_ring >= kBehindRecords ? 0 : wait_ms_;
  }

 private:
  int64_t wait_ms_ = kBusyMs;
  int64_t processes_ = 0;
  int64_t small_until_ns_ = INT64_MIN;
};

}  // namespace steptrace::agent
