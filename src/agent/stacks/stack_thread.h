// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "agent/stacks/stack_sampler.h"
#include "base/time.h"

namespace steptrace::agent {

// What is kept at most; a test may have less.
struct StackLimits {
  size_t max_stacks = StackTable::kMaxStacks;  // with a number of their own
  // The owner takes them twice a second; if it is stopped that long, the newest are left out.
  size_t max_waiting_samples = size_t{1} << 18;
};

// Samples stacks in a thread of its own ("steptrace-stk"), at moments that jitter so that they do
// not fall into step with the training. It measures its own CPU time: over the budget it samples
// less often and says so. The owner, one thread, tells the processes and takes; it never waits but
// in Stop.
class StackThread {
 public:
  // Of a core, for each process whose stacks are read.
  static constexpr double kBudgetCores = 0.003;
  // At its begin a training is sampled five times as often, at most 100 times a second: one of a
  // second has enough samples then to name what it does. What that takes is no part of the budget.
  static constexpr int64_t kQuickNs = 2 * kNsPerSecond;
  static constexpr int64_t kTimesAsOften = 5;
  static constexpr int64_t kQuickPeriodNs = 10 * kNsPerMs;

  explicit StackThread(int64_t period_ns,
                       std::shared_ptr<StackNumbers> numbers = std::make_shared<StackNumbers>(0),
                       const StackLimits& limits = {});
  ~StackThread();
  StackThread(const StackThread&) = delete;
  StackThread& operator=(const StackThread&) = delete;

  // From the next sample on, which comes within a period.
  void SetProcesses(std::vector<JobRoot> processes);
  // Its first steps are there. Until then imports and set-up change every stack that is read, which
  // costs more than a training does: what that took is forgotten.
  void TrainingBegan();
  // What has been read since the last call.
  StackReadings Take();
  // Waits for the sample under way, at most so long; no other follows.
  void Stop(int64_t at_most_ms);

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace steptrace::agent
