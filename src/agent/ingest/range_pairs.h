// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/span_stack.h"

namespace steptrace::agent {

// A range as its begin record opened it.
struct OpenRange {
  int64_t begin_ns = 0;
  uint32_t name = 0;  // number of the name in its process
  uint64_t a = 0;
  uint64_t b = 0;
  std::optional<int64_t> flow_out;
  std::optional<int64_t> flow_in;
};

// A range with both its ends.
struct ClosedRange {
  OpenRange open;
  int64_t end_ns = 0;
  int32_t depth = 0;
  uint64_t end_a = 0;
  uint64_t end_b = 0;
};

// Pairs the begin and end records of one thread, as far as they nest (base/span_stack.h). An end
// with nothing open is counted as unmatched: a window that was opened late. Times are made to rise
// within the thread. Passive, one thread.
class RangePairs {
 public:
  static constexpr size_t kMaxDepth = 512;  // deeper nesting is a runaway recursion, not a timeline

  // False: too deep, not opened.
  bool Begin(OpenRange range);
  std::optional<ClosedRange> End(int64_t end_ns, uint64_t a, uint64_t b);
  // Everything open ends here, innermost first: the thread is gone, or records were lost.
  std::vector<ClosedRange> CloseAll(int64_t end_ns);

  // The innermost open range, which flows attach to; nullptr: none.
  OpenRange* Innermost() {
    return open_.empty() || open_.is_beyond_depth() ? nullptr : &open_.top();
  }
  // `ts_ns`, or the thread's newest time if that is later.
  int64_t Rise(int64_t ts_ns);

  size_t depth() const { return open_.size(); }
  int64_t newest_ns() const { return newest_ns_; }
  int64_t unmatched_ends() const { return unmatched_ends_; }
  int64_t too_deep_ranges() const { return too_deep_ranges_; }

 private:
  ClosedRange CloseInnermost(int64_t end_ns, uint64_t a, uint64_t b);

  SpanStack<OpenRange, kMaxDepth> open_;
  int64_t newest_ns_ = INT64_MIN;
  int64_t unmatched_ends_ = 0;
  int64_t too_deep_ranges_ = 0;
};

}  // namespace steptrace::agent
