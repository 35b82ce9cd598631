// SPDX-License-Identifier: Apache-2.0
#include "agent/span_stack.h"

#include <algorithm>

namespace steptrace::agent {

int64_t SpanStack::Rise(int64_t ts_ns) {
  newest_ns_ = std::max(newest_ns_, ts_ns);
  return newest_ns_;
}

bool SpanStack::Begin(OpenRange range) {
  range.begin_ns = Rise(range.begin_ns);
  if (too_deep_ > 0 || open_.size() >= kMaxDepth) {
    ++too_deep_;
    ++too_deep_ranges_;
    return false;
  }
  open_.push_back(range);
  return true;
}

std::optional<ClosedRange> SpanStack::End(int64_t end_ns, uint64_t a, uint64_t b) {
  end_ns = Rise(end_ns);
  if (too_deep_ > 0) {
    --too_deep_;
    return std::nullopt;
  }
  if (open_.empty()) {
    ++unmatched_ends_;
    return std::nullopt;
  }
  return CloseInnermost(end_ns, a, b);
}

std::vector<ClosedRange> SpanStack::CloseAll(int64_t end_ns) {
  end_ns = Rise(end_ns);
  too_deep_ = 0;
  std::vector<ClosedRange> closed;
  while (!open_.empty()) closed.push_back(CloseInnermost(end_ns, 0, 0));
  return closed;
}

ClosedRange SpanStack::CloseInnermost(int64_t end_ns, uint64_t a, uint64_t b) {
  ClosedRange closed;
  closed.open = open_.back();
  open_.pop_back();
  closed.end_ns = end_ns;
  closed.depth = static_cast<int32_t>(open_.size());
  closed.end_a = a;
  closed.end_b = b;
  return closed;
}

}  // namespace steptrace::agent
