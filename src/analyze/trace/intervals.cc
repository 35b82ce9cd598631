// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/intervals.h"

#include <algorithm>
#include <utility>

namespace steptrace::analyze {
namespace {

bool BeginsEarlier(const TimeRange& a, const TimeRange& b) {
  return a.begin_ns < b.begin_ns;
}

// The first time range that ends after the moment.
Intervals::const_iterator FirstEndingAfter(const Intervals& set, int64_t ns) {
  return std::upper_bound(set.begin(), set.end(), ns,
                          [](int64_t at, const TimeRange& one) { return at < one.end_ns; });
}

// Calls `with` for each time range of the intersection, in order.
template <class With>
void EachCommon(const Intervals& a, const Intervals& b, With with) {
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() && j != b.end()) {
    const TimeRange common = {std::max(i->begin_ns, j->begin_ns), std::min(i->end_ns, j->end_ns)};
    if (common.begin_ns < common.end_ns) with(common);
    if (i->end_ns < j->end_ns) {
      ++i;
    } else {
      ++j;
    }
  }
}

// Joins each time range to the one before it where that has not ended when it begins, and leaves
// out empty ones. Whether all that is left is in order: then it is the union.
bool Join(std::vector<TimeRange>& time_ranges) {
  size_t kept = 0;
  bool sorted = true;
  for (const TimeRange& one : time_ranges) {
    if (one.end_ns <= one.begin_ns) continue;
    if (kept > 0) {
      TimeRange& last = time_ranges[kept - 1];
      if (last.begin_ns <= one.begin_ns && one.begin_ns <= last.end_ns) {
        last.end_ns = std::max(last.end_ns, one.end_ns);
        continue;
      }
      sorted = sorted && last.end_ns < one.begin_ns;
    }
    time_ranges[kept++] = one;
  }
  time_ranges.resize(kept);
  return sorted;
}

}  // namespace

Intervals Union(std::vector<TimeRange> time_ranges) {
  // Events nest, and come lane by lane: what begins within the one before it is joined to it first,
  // and mostly little is left to sort.
  if (Join(time_ranges)) return time_ranges;
  std::sort(time_ranges.begin(), time_ranges.end(), BeginsEarlier);
  Join(time_ranges);
  return time_ranges;
}

Intervals Union(const Intervals& a, const Intervals& b) {
  std::vector<TimeRange> both(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin(), BeginsEarlier);
  return Union(std::move(both));
}

Intervals Intersection(const Intervals& a, const Intervals& b) {
  Intervals result;
  EachCommon(a, b, [&](const TimeRange& common) { result.push_back(common); });
  return result;
}

Intervals Difference(const Intervals& a, const Intervals& b) {
  Intervals result;
  auto j = b.begin();
  for (TimeRange left : a) {
    while (j != b.end() && j->end_ns <= left.begin_ns) ++j;
    for (auto k = j; k != b.end() && k->begin_ns < left.end_ns; ++k) {
      if (k->begin_ns > left.begin_ns) result.push_back({left.begin_ns, k->begin_ns});
      left.begin_ns = std::max(left.begin_ns, k->end_ns);
    }
    if (left.begin_ns < left.end_ns) result.push_back(left);
  }
  return result;
}

int64_t Length(const Intervals& set) {
  int64_t length = 0;
  for (const TimeRange& one : set) length += one.length_ns();
  return length;
}

int64_t Overlap(const Intervals& a, const Intervals& b) {
  int64_t length = 0;
  EachCommon(a, b, [&](const TimeRange& common) { length += common.length_ns(); });
  return length;
}

Intervals Within(const Intervals& set, const TimeRange& window) {
  Intervals result;
  if (window.length_ns() <= 0) return result;
  for (auto at = FirstEndingAfter(set, window.begin_ns);
       at != set.end() && at->begin_ns < window.end_ns; ++at) {
    result.push_back(
        {std::max(at->begin_ns, window.begin_ns), std::min(at->end_ns, window.end_ns)});
  }
  return result;
}

int64_t LengthWithin(const Intervals& set, const TimeRange& window) {
  int64_t length = 0;
  if (window.length_ns() <= 0) return length;
  for (auto at = FirstEndingAfter(set, window.begin_ns);
       at != set.end() && at->begin_ns < window.end_ns; ++at) {
    length += std::min(at->end_ns, window.end_ns) - std::max(at->begin_ns, window.begin_ns);
  }
  return length;
}

bool Contains(const Intervals& set, int64_t ns) {
  const auto at = FirstEndingAfter(set, ns);
  return at != set.end() && at->begin_ns <= ns;
}

MeasuredIntervals::MeasuredIntervals(Intervals set) : set_(std::move(set)) {
  before_ns_.reserve(set_.size() + 1);
  before_ns_.push_back(0);
  for (const TimeRange& one : set_) {
    before_ns_.push_back(before_ns_.back() + static_cast<uint64_t>(one.end_ns) -
                         static_cast<uint64_t>(one.begin_ns));
  }
}

// May be more than a signed number holds; differences are exact.
uint64_t MeasuredIntervals::LengthBefore(int64_t ns) const {
  const auto at = FirstEndingAfter(set_, ns);
  const uint64_t whole = before_ns_[static_cast<size_t>(at - set_.begin())];
  if (at == set_.end() || at->begin_ns >= ns) return whole;
  return whole + static_cast<uint64_t>(ns) - static_cast<uint64_t>(at->begin_ns);
}

int64_t MeasuredIntervals::LengthWithin(const TimeRange& window) const {
  if (window.length_ns() <= 0) return 0;
  return static_cast<int64_t>(LengthBefore(window.end_ns) - LengthBefore(window.begin_ns));
}

}  // namespace steptrace::analyze
