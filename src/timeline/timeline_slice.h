// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace steptrace::timeline {

// A slice as the index keeps it. Ordered by begin, of those that begin together the longer first,
// so that parents precede their children.
struct LaneSlice {
  int64_t ts_ns = 0;
  int64_t dur_ns = 0;  // 0 <= dur_ns, ts_ns + dur_ns <= INT64_MAX
  uint32_t label = 0;  // name and category

  int64_t end_ns() const { return ts_ns + dur_ns; }

  friend bool Precedes(const LaneSlice& a, const LaneSlice& b) {
    return a.ts_ns != b.ts_ns ? a.ts_ns < b.ts_ns : a.dur_ns > b.dur_ns;
  }
};

// A duration as files may tell it, made one that the index can keep.
inline int64_t UsableDuration(int64_t ts_ns, int64_t dur_ns) {
  if (dur_ns <= 0) return 0;
  if (ts_ns <= 0) return dur_ns;
  const int64_t room = std::numeric_limits<int64_t>::max() - ts_ns;
  return dur_ns < room ? dur_ns : room;
}

}  // namespace steptrace::timeline
