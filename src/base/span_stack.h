// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace steptrace {

// The open ranges of one thread, outermost first: each begins and ends within the one before it.
//
//   Push ─► open, one deeper ─ Pop ─► gone, it was the innermost
//   Push deeper than kMaxDepth ─► only counted, with its end (EndsBeyondDepth), so that what is
//   outside stays right
//
// A value, of one thread.
template <class Span, size_t kMaxDepth>
class SpanStack {
 public:
  // Nothing: too deep, not held.
  Span* Push(const Span& span) {
    if (spans_.size() >= kMaxDepth) {
      ++beyond_depth_;
      return nullptr;
    }
    spans_.push_back(span);
    return &spans_.back();
  }
  // True: the end belongs to a range that was too deep to be held.
  bool EndsBeyondDepth() {
    if (beyond_depth_ == 0) return false;
    --beyond_depth_;
    return true;
  }
  // There must be one.
  void Pop() { spans_.pop_back(); }
  // Of what is too deep no end will come.
  void ForgetBeyondDepth() { beyond_depth_ = 0; }

  bool empty() const { return spans_.empty(); }
  size_t size() const { return spans_.size(); }
  // Whether the innermost of all is one that is not held.
  bool is_beyond_depth() const { return beyond_depth_ > 0; }
  Span& top() { return spans_.back(); }
  const Span& top() const { return spans_.back(); }
  std::vector<Span>& spans() { return spans_; }
  const std::vector<Span>& spans() const { return spans_; }

 private:
  std::vector<Span> spans_;
  size_t beyond_depth_ = 0;
};

}  // namespace steptrace
