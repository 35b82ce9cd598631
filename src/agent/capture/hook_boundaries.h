// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>

#include "analyze/derive/event.h"

namespace steptrace::agent {

// Counts a process's steps as its hooks do (python/steptrace/_hooks/windows.py, Boundaries), from
// the optimizers that it tells of: a request's `first_step` is compared with that number there. It
// is none of the rank's steps, which go on over restarts and follow steptrace.step().
class HookBoundaries {
 public:
  // In the order of each thread.
  void OnEvents(std::span<const analyze::Event> events);

  // Steps that have ended. Nothing: the count differs from the hooks', for records were lost.
  std::optional<int64_t> ended() const {
    return lost_ ? std::nullopt : std::optional<int64_t>(ended_);
  }
  // The middle one of the last few; 0: there were none.
  int64_t StepNs() const;

 private:
  static constexpr size_t kMaxGroup = 1 << 14;  // as in the hooks
  static constexpr size_t kSteps = 8;

  void OnOptimizer(uint64_t number, int64_t ts_ns);

  int64_t ended_ = 0;
  std::unordered_set<uint64_t> group_;
  int32_t tid_ = 0;  // of the last optimizer
  bool lost_ = false;
  int64_t boundary_ns_ = 0;                 // the last one
  std::array<int64_t, kSteps> steps_ns_{};  // of step n at n modulo kSteps
};

}  // namespace steptrace::agent
