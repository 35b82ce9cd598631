// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/hook_boundaries.h"

#include <gtest/gtest.h>

#include <vector>

namespace steptrace::agent {
namespace {

using analyze::Event;
using analyze::HookName;
using analyze::MarkKind;

// What comes of optimizers that step in that order, each 10 ns after the one before.
HookBoundaries After(const std::vector<uint64_t>& optimizers) {
  HookBoundaries boundaries;
  int64_t ts_ns = 0;
  for (uint64_t number : optimizers) {
    ts_ns += 10;
    const Event begin{.ts_ns = ts_ns,
                      .tid = 7,
                      .kind = MarkKind::kBegin,
                      .name = HookName::kOptimizer,
                      .a = number};
    const Event end{.ts_ns = ts_ns + 1, .tid = 7, .kind = MarkKind::kEnd};
    boundaries.OnEvents(std::vector<Event>{begin, end});
  }
  return boundaries;
}

// As test_hooks_units.py has them.
TEST(HookBoundaries, AStepHasEndedWhenAnOptimizerRepeats) {
  EXPECT_EQ(After({}).ended(), 0);
  EXPECT_EQ(After({1}).ended(), 0);
  EXPECT_EQ(After({1, 1, 1}).ended(), 2);
  EXPECT_EQ(After({1, 2, 1, 2, 1, 2}).ended(), 2);
  EXPECT_EQ(After({1, 2, 3, 2, 3, 1}).ended(), 1) << "which one is last may change";
}

TEST(HookBoundaries, TheUsualStepIsTheMiddleOne) {
  EXPECT_EQ(After({1}).StepNs(), 0);
  EXPECT_EQ(After({1, 1}).StepNs(), 10);
  EXPECT_EQ(After(std::vector<uint64_t>(30, 1)).StepNs(), 10);
  EXPECT_EQ(After({1, 2, 1, 2, 1, 2, 1}).StepNs(), 20);
}

TEST(HookBoundaries, WhereOptimizersMayBeLostThereIsNoCount) {
  HookBoundaries boundaries = After({1, 1});
  Event lost{.ts_ns = 50, .tid = 8, .name = HookName::kRecordsLost};
  boundaries.OnEvents({&lost, 1});
  EXPECT_EQ(boundaries.ended(), 1) << "of another thread";
  lost.tid = 7;
  boundaries.OnEvents({&lost, 1});
  EXPECT_EQ(boundaries.ended(), std::nullopt);
}

}  // namespace
}  // namespace steptrace::agent
