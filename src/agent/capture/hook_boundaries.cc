// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/hook_boundaries.h"

#include <algorithm>

namespace steptrace::agent {
namespace {

using analyze::HookName;
using analyze::MarkKind;

}  // namespace

void HookBoundaries::OnEvents(std::span<const analyze::Event> events) {
  for (const analyze::Event& event : events) {
    if (event.name == HookName::kOptimizer && event.kind == MarkKind::kBegin) {
      tid_ = event.tid;
      OnOptimizer(event.a, event.ts_ns);
    } else if (event.name == HookName::kRecordsLost && (tid_ == 0 || tid_ == event.tid)) {
      lost_ = true;  // optimizers may be among them
    } else if (event.name == HookName::kHooksAside) {
      lost_ = true;
    }
  }
}

void HookBoundaries::OnOptimizer(uint64_t number, int64_t ts_ns) {
  if (group_.contains(number) || group_.size() >= kMaxGroup) {
    steps_ns_[static_cast<size_t>(ended_) % kSteps] = ts_ns - boundary_ns_;
    ++ended_;
    group_.clear();
  }
  if (group_.empty()) boundary_ns_ = ts_ns;
  group_.insert(number);
}

int64_t HookBoundaries::StepNs() const {
  const auto count = std::min<size_t>(kSteps, static_cast<size_t>(ended_));
  if (count == 0) return 0;
  std::array<int64_t, kSteps> sorted = steps_ns_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(sorted.begin(), middle, sorted.begin() + static_cast<std::ptrdiff_t>(count));
  return *middle;
}

}  // namespace steptrace::agent
