// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// A trace that outlives this, or none. It can be read in any case: none is a trace without ranks.
class TraceRef {
 public:
  TraceRef() = default;
  TraceRef(const Trace& trace) : trace_(&trace) {}  // implicit: a trace stands for itself
  TraceRef(const Trace&&) = delete;

  explicit operator bool() const { return !trace_->ranks.empty(); }
  const Trace& operator*() const { return *trace_; }
  const Trace* operator->() const { return trace_; }

 private:
  static inline const Trace kNone{};

  const Trace* trace_ = &kNone;
};

}  // namespace steptrace::analyze
