// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/range_pairs.h"

#include <algorithm>

namespace steptrace::agent {

int64_t RangePairs::Rise(int64_t ts_ns) {
  newest_ns_ = std::max(newest_ns_, ts_ns);
  return newest_ns_;
}

bool RangePairs::Begin(OpenRange range) {
  range.begin_ns = Rise(range.begin_ns);
  if (open_.Push(range) != nullptr) return true;
  ++too_deep_ranges_;
  return false;
}

std::optional<ClosedRange> RangePairs::End(int64_t end_ns, uint64_t a, uint64_t b) {
  end_ns = Rise(end_ns);
  if (open_.EndsBeyondDepth()) return std::nullopt;
  if (open_.empty()) {
    ++unmatched_ends_;
    return std::nullopt;
  }
  return CloseInnermost(end_ns, a, b);
}

std::vector<ClosedRange> RangePairs::CloseAll(int64_t end_ns) {
  end_ns = Rise(end_ns);
  open_.ForgetBeyondDepth();
  std::vector<ClosedRange> closed;
  while (!open_.empty()) closed.push_back(CloseInnermost(end_ns, 0, 0));
  return closed;
}

ClosedRange RangePairs::CloseInnermost(int64_t end_ns, uint64_t a, uint64_t b) {
  ClosedRange closed;
  closed.open = open_.top();
  open_.Pop();
  closed.end_ns = end_ns;
  closed.depth = static_cast<int32_t>(open_.size());
  closed.end_a = a;
  closed.end_b = b;
  return closed;
}

}  // namespace steptrace::agent
