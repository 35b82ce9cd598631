// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/time.h"
#include "import/core/rows/losses.h"
#include "import/formats/kineto/kineto_event.h"
#include "import/formats/kineto/reads.h"

namespace steptrace::import::kineto {

// The times of a file's events, and the count of those that are none.
class EventTimes {
 public:
  EventTimes(LossCounts& lost, Reads reads) : lost_(lost), reads_(reads) {}

  // False: the event has no time, or, of a piece, whether it has one is not known (refused).
  bool Of(const RawEvent& event, int64_t* ns);
  // 0 where it has none.
  int64_t DurationOf(const RawEvent& event);
  // Whether 0 is no time in this file.
  bool IsNone(int64_t ts_ns) {
    if (ts_ns != 0 || first_ns_ < kZeroIsTimeNs) return false;
    ++lost_[LossCause::kZeroTimestamp];
    return true;
  }

  // The first that is not 0; 0: there was none yet.
  int64_t first_ns() const { return first_ns_; }
  bool counts_from_1970() const;
  bool refused() const { return refused_; }
  // Events that were left out for want of a time.
  int64_t left_out() const;
  // A piece follows all that came so far.
  void Absorb(const EventTimes& piece) {
    if (first_ns_ == 0) first_ns_ = piece.first_ns_;
  }

 private:
  // Times at 0 beside others later than this are the profiler's failure (a time before its base was
  // clamped), not times.
  static constexpr int64_t kZeroIsTimeNs = 60 * kNsPerSecond;

  LossCounts& lost_;
  Reads reads_;
  int64_t first_ns_ = 0;
  bool refused_ = false;
};

}  // namespace steptrace::import::kineto
