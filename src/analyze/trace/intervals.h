// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

// Sets of moments as sorted time ranges of whole nanoseconds: exact, and linear in their number.
namespace steptrace::analyze {

// From begin up to, not including, end.
struct TimeRange {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;

  int64_t length_ns() const { return end_ns - begin_ns; }
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

// What of a time range lies in a window; inverted or empty where nothing does.
inline TimeRange Clip(const TimeRange& time, const TimeRange& window) {
  return {std::max(time.begin_ns, window.begin_ns), std::min(time.end_ns, window.end_ns)};
}

// Sorted by begin, disjoint, not touching, none empty. The functions below keep it so.
using Intervals = std::vector<TimeRange>;

// The union of time ranges in any order; empty and inverted ones hold no moment.
Intervals Union(std::vector<TimeRange> time_ranges);

Intervals Union(const Intervals& a, const Intervals& b);
Intervals Intersection(const Intervals& a, const Intervals& b);
Intervals Difference(const Intervals& a, const Intervals& b);

int64_t Length(const Intervals& set);
// |a and b| without making the set.
int64_t Overlap(const Intervals& a, const Intervals& b);
// |a and window|, in logarithmic time plus the time ranges in it.
int64_t LengthWithin(const Intervals& set, const TimeRange& window);
Intervals Within(const Intervals& set, const TimeRange& window);
bool Contains(const Intervals& set, int64_t ns);

// A set that is asked for its length within many windows: each takes logarithmic time, however much
// of the set lies in it.
class MeasuredIntervals {
 public:
  explicit MeasuredIntervals(Intervals set = {});

  const Intervals& set() const { return set_; }
  int64_t LengthWithin(const TimeRange& window) const;

 private:
  uint64_t LengthBefore(int64_t ns) const;

  Intervals set_;
  std::vector<uint64_t> before_ns_;  // of each time range, the length of those before it
};

}  // namespace steptrace::analyze
